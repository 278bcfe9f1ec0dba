/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/ask.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "abi/msg/writer.h"
#include "t/kit/tap.h"

enum { ROOM = 1 << 20 };

static _Thread_local char said[ROOM];
static _Thread_local uint8_t request_room[ROOM];
static _Thread_local uint8_t answer_room[ROOM];

static void spaces(const char **at)
{
    while (isspace((unsigned char)**at) || **at == ',')
        (*at)++;
}

static size_t word_length(const char *at)
{
    size_t len = 0;

    while (isalnum((unsigned char)at[len]) || (at[len] && strchr("_./-!", at[len])))
        len++;
    return len;
}

static void pack_word(const char **at, struct msg_writer *w, bool is_key)
{
    bool quoted = **at == '\'';
    const char *word = *at + quoted;
    size_t len = quoted ? strcspn(word, "'") : word_length(word);
    char *end;
    long long number = strtoll(word, &end, 10);

    if (len == 0 && !quoted) {
        fprintf(stderr, "ask: no word at: %s\n", *at);
        abort();
    }
    if (quoted || is_key)
        msg_put_text(w, word, len);
    else if (end == word + len)
        msg_put_int(w, number);
    else if (len == 3 && memcmp(word, "nil", 3) == 0)
        msg_put_nil(w);
    else if ((len == 4 && memcmp(word, "true", 4) == 0) ||
             (len == 5 && memcmp(word, "false", 5) == 0))
        msg_put_bool(w, len == 4);
    else
        msg_put_text(w, word, len);
    *at = word + len + quoted;
}

static void pack_value(const char **at, struct msg_writer *w)
{
    char closing = **at == '{' ? '}' : ']';
    uint32_t count = 0;

    spaces(at);
    if (**at != '{' && **at != '[') {
        pack_word(at, w, false);
        return;
    }
    closing = **at == '{' ? '}' : ']';
    size_t place = closing == '}' ? msg_put_map_later(w) : msg_put_array_later(w);
    for ((*at)++, spaces(at); **at != closing; count++, spaces(at)) {
        if (closing == '}') {
            pack_word(at, w, true);
            spaces(at);
            (*at)++;
            spaces(at);
        }
        pack_value(at, w);
    }
    (*at)++;
    msg_set_count(w, place, count);
}

size_t ask_pack(const char *text, uint8_t *out, size_t cap)
{
    struct msg_writer w;

    msg_writer_init(&w, out, cap);
    pack_value(&text, &w);
    spaces(&text);
    if (*text != '\0' || !msg_writer_fits(&w)) {
        fprintf(stderr, "ask: trailing text, or too long: %s\n", text);
        abort();
    }
    return msg_writer_length(&w);
}

static size_t print(const uint8_t *bytes, size_t len, char *out, size_t cap)
{
    msgpack_unpacked message;
    size_t length = 0;
    size_t offset = 0;

    msgpack_unpacked_init(&message);
    if (msgpack_unpack_next(&message, (const char *)bytes, len, &offset) ==
            MSGPACK_UNPACK_SUCCESS &&
        offset == len)
        length = (size_t)msgpack_object_print_buffer(out, cap, message.data);
    else
        length = (size_t)snprintf(out, cap, "not a message");
    msgpack_unpacked_destroy(&message);
    return length;
}

static void text_of_key(const msgpack_object *map, uint32_t i, char *out, size_t cap)
{
    msgpack_object value = map->via.map.ptr[i].val;

    snprintf(out, cap, "%.*s", (int)value.via.str.size, value.via.str.ptr);
}

static void explain(int64_t result, const uint8_t *bytes)
{
    static const char *const names[] = {"?",        "TOO_SMALL",   "NO_HANDLE", "MESSAGE",
                                        "FIELD",    "UNSUPPORTED", "NO_MEMORY", "LIMIT",
                                        "ARGUMENT", "BROKEN"};
    int code = sluice_error_code(result);
    size_t len = sluice_error_length(result);
    size_t offset = 0;
    char part[3][256];
    msgpack_unpacked message;

    if (len == 0 || code == SLUICE_TOO_SMALL) {
        snprintf(said, sizeof(said), "%s %zu", names[code], len);
        return;
    }
    msgpack_unpacked_init(&message);
    if (msgpack_unpack_next(&message, (const char *)bytes, len, &offset) !=
            MSGPACK_UNPACK_SUCCESS ||
        message.data.type != MSGPACK_OBJECT_MAP || message.data.via.map.size != 3) {
        snprintf(said, sizeof(said), "%s without an error map", names[code]);
    } else {
        for (uint32_t i = 0; i < 3; i++)
            text_of_key(&message.data, i, part[i], sizeof(part[i]));
        snprintf(said, sizeof(said), "%s %s: %s, want %s", names[code], part[0], part[1], part[2]);
    }
    msgpack_unpacked_destroy(&message);
}

int64_t ask_call(uint64_t handle, enum hook_id hook, const uint8_t *req, uint64_t len, uint8_t *out,
                 uint64_t cap)
{
    static int64_t (*const functions[HOOK_COUNT])(uint64_t, const uint8_t *, uint64_t, uint8_t *,
                                                  uint64_t) = {
        [HOOK_OBSERVE] = sluice_observe,
        [HOOK_ADMIT] = sluice_admit,
        [HOOK_PRE_ENQUEUE] = sluice_pre_enqueue,
        [HOOK_PRE_FILTER] = sluice_pre_filter,
        [HOOK_FILTER] = sluice_filter,
        [HOOK_POST_FILTER] = sluice_post_filter,
        [HOOK_RESERVE] = sluice_reserve,
        [HOOK_UNRESERVE] = sluice_unreserve,
        [HOOK_PERMIT] = sluice_permit,
        [HOOK_BIND] = sluice_bind,
        [HOOK_POST_BIND] = sluice_post_bind,
        [HOOK_COMMAND] = sluice_command,
        [HOOK_TICK] = sluice_tick,
        [HOOK_DRAIN] = sluice_drain,
        [HOOK_ACK] = sluice_ack,
        [HOOK_INSPECT] = sluice_inspect,
    };

    return functions[hook](handle, req, len, out, cap);
}

uint64_t ask_open(const char *config)
{
    size_t len = ask_pack(config, request_room, ROOM);
    int64_t result = sluice_open(request_room, len, answer_room, ROOM);

    if (result > 0)
        return (uint64_t)result;
    explain(result, answer_room);
    return 0;
}

const char *ask_bytes(uint64_t handle, enum hook_id hook, const uint8_t *request, size_t len)
{
    int64_t result = ask_call(handle, hook, request, len, answer_room, ROOM);

    if (result < 0)
        explain(result, answer_room);
    else
        said[print(answer_room, (size_t)result, said, sizeof(said) - 1)] = '\0';
    return said;
}

const char *ask(uint64_t handle, enum hook_id hook, const char *request)
{
    return ask_bytes(handle, hook, request_room, ask_pack(request, request_room, ROOM));
}

const char *ask_text(void)
{
    return said;
}

const char *ask_own(uint64_t handle, enum hook_id hook, const char *request)
{
    ask(handle, hook, request);

    char *status = NULL;

    for (char *at = said; (at = strstr(at, "\"pending\"=>")) != NULL; at++)
        status = at; /* of all that are called so the last */
    if (status) {
        while (status > said && (status[-1] == ' ' || status[-1] == ','))
            status--;
        status[0] = '}';
        status[1] = '\0';
    }
    return said;
}

void ask_digest(uint64_t handle, char out[17])
{
    const char *answer = ask_own(handle, HOOK_INSPECT, "{now: 0, what: digest}");

    snprintf(out, 17, "%s", strlen(answer) > 27 ? answer + 12 : "");
}

/* Whether the text is what the pattern says: a % in it stands for any text. */
static bool matches(const char *text, const char *pattern)
{
    while (*pattern) {
        if (*pattern == '%') {
            while (!matches(text, pattern + 1)) {
                if (*text++ == '\0')
                    return false;
            }
            return true;
        }
        if (*text++ != *pattern++)
            return false;
    }
    return *text == '\0';
}

void ask_play(uint64_t handle, const struct ask_line *lines, size_t count)
{
    char before[17], after[17];

    for (size_t i = 0; i < count; i++) {
        const struct ask_line *line = &lines[i];

        ask_digest(handle, before);
        const char *text = ask_own(handle, line->hook, line->request);
        if (!ok(matches(text, line->answer), "%s %s", hook_table[line->hook].name, line->request))
            tap_diag("got:  %s\nwant: %s", text, line->answer);
        if (line->answer[0] != '{' || hook_table[line->hook].reads) {
            ask_digest(handle, after);
            is_str(after, before, "and nothing has changed");
        }
    }
}
