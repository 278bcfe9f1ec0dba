/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/story.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "abi/host/conform_json.h"
#include "abi/host/value.h"

static json_t *hex_of(const uint8_t *bytes, size_t len)
{
    char *text = calloc(len + 1, 2);
    json_t *hex;

    for (size_t i = 0; text != NULL && i < len; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    hex = json_pack("{s:s}", "$bin", text == NULL ? "" : text);
    free(text);
    return hex;
}

/* The bytes that JSON stands for, in a request that is the caller's to finish. */
static bool bytes_of(const json_t *json, struct request *ret, char *why, size_t cap)
{
    const char *hex = json_string_value(json_object_get(json, "$bin"));
    size_t len;
    uint8_t *bytes;

    request_init(ret);
    if (hex == NULL)
        return vector_pack(ret, json, NULL, why, cap) && request_ok(ret);
    bytes = vector_hex(hex, &len);
    if (bytes == NULL) {
        snprintf(why, cap, "$bin wants pairs of hexadecimal digits");
        return false;
    }
    msgpack_sbuffer_write(&ret->bytes, (const char *)bytes, len);
    free(bytes);
    return true;
}

/* As JSON if that stands for a message that means the same, else in hexadecimal. */
static json_t *json_of(const uint8_t *bytes, size_t len)
{
    struct answer answer, again;
    json_t *json = NULL, *same = NULL;
    struct request request;
    char why[200];

    if (answer_read(&answer, bytes, len)) {
        json = vector_from_value(&answer.root);
        answer_finish(&answer);
    }
    if (json != NULL && bytes_of(json, &request, why, sizeof(why))) {
        if (answer_read(&again, request_bytes(&request), request_len(&request))) {
            same = vector_from_value(&again.root);
            answer_finish(&again);
        }
        request_finish(&request);
    }
    if (json == NULL || same == NULL || !json_equal(json, same)) {
        json_decref(json);
        json = hex_of(bytes, len);
    }
    json_decref(same);
    return json;
}

static json_t *json_of_acks(const struct message *message)
{
    json_t *acks = json_array();

    for (uint32_t i = 0; i < message->ack_count; i++) {
        const struct ack_line *line = &message->acks[i];
        json_t *ack = json_object();

        if (line->effect[0] != '\0')
            json_object_set_new(ack, "effect", json_string(line->effect));
        else
            json_object_set_new(ack, "id", json_integer(line->id));
        json_object_set_new(ack, "result", json_string(message_results[line->result]));
        if (line->version != 0)
            json_object_set_new(ack, "resourceVersion", json_integer(line->version));
        json_array_append_new(acks, ack);
    }
    return json_pack("{s:I, s:o}", "now", (json_int_t)message->now, "acks", acks);
}

static bool put_line(FILE *file, json_t *line)
{
    bool good = json_dumpf(line, file, 0) == 0 && fputc('\n', file) != EOF;

    json_decref(line);
    return good;
}

bool story_write(FILE *file, const struct history *history, const char *wrong)
{
    bool good =
        put_line(file, json_pack("{s:s}", "#", wrong)) &&
        put_line(file, json_pack("{s:o}", "open", json_of(history->config, history->config_len)));

    for (uint32_t i = 0; i < history->count && good; i++) {
        const struct message *message = &history->messages[i];
        json_t *said = message->ack_count > 0
                           ? json_of_acks(message)
                           : json_of(history_bytes(history, message), message->len);
        json_t *line = json_pack("{s:o}", hook_table[message->hook].name, said);

        if (message->cap != message_room(message->hook))
            json_object_set_new(line, "cap", json_integer(message->cap));
        good = put_line(file, line);
    }
    return good;
}

static bool has_effects(const json_t *said)
{
    const json_t *acks = json_object_get(said, "acks");
    bool any = json_array_size(acks) > 0 && json_array_size(acks) <= MESSAGE_ACKS;

    for (size_t i = 0; i < json_array_size(acks); i++)
        any = any && json_object_get(json_array_get(acks, i), "result") != NULL;
    return any;
}

static bool read_acks(const json_t *said, struct message *ret, char *why, size_t cap)
{
    const json_t *acks = json_object_get(said, "acks");

    ret->now = json_integer_value(json_object_get(said, "now"));
    for (size_t i = 0; i < json_array_size(acks); i++) {
        const json_t *ack = json_array_get(acks, i);
        const char *effect = json_string_value(json_object_get(ack, "effect"));
        const char *result = json_string_value(json_object_get(ack, "result"));
        struct ack_line *line = &ret->acks[ret->ack_count++];

        *line = (struct ack_line){.id = json_integer_value(json_object_get(ack, "id"))};
        line->version = json_integer_value(json_object_get(ack, "resourceVersion"));
        snprintf(line->effect, sizeof(line->effect), "%s", effect == NULL ? "" : effect);
        while (message_results[line->result] != NULL && result != NULL &&
               strcmp(message_results[line->result], result) != 0)
            line->result++;
        if (result == NULL || message_results[line->result] == NULL) {
            snprintf(why, cap, "an ack's result is none");
            return false;
        }
    }
    return true;
}

static bool read_message(const char *name, const json_t *said, uint32_t room,
                         struct history *history, char *why, size_t cap)
{
    struct message message = {0};
    struct request request;
    bool good;
    int hook = 0;

    while (hook < HOOK_COUNT && strcmp(hook_table[hook].name, name) != 0)
        hook++;
    message.hook = (enum hook_id)hook;
    if (hook == HOOK_COUNT) {
        snprintf(why, cap, "no hook is called %s", name);
        return false;
    }
    message.cap = room == 0 ? message_room(message.hook) : room;
    if (hook == HOOK_ACK && has_effects(said))
        return read_acks(said, &message, why, cap) && history_add(history, &message, NULL);
    good = bytes_of(said, &request, why, cap) && request_len(&request) <= MESSAGE_BYTES;
    message.len = (uint32_t)request_len(&request);
    good = good && history_add(history, &message, request_bytes(&request));
    request_finish(&request);
    return good;
}

static bool read_config(const json_t *said, struct history *history, char *why, size_t cap)
{
    struct request request;
    bool good =
        bytes_of(said, &request, why, cap) && request_len(&request) <= sizeof(history->config);

    if (good) {
        history->config_len = (uint32_t)request_len(&request);
        memcpy(history->config, request_bytes(&request), history->config_len);
    }
    request_finish(&request);
    return good;
}

static bool read_line(const json_t *line, struct history *history, char *why, size_t cap)
{
    uint32_t room = (uint32_t)json_integer_value(json_object_get(line, "cap"));
    void *at = json_object_iter((json_t *)(uintptr_t)line);
    const char *name = at == NULL ? "#" : json_object_iter_key(at);

    if (strcmp(name, "#") == 0)
        return true;
    if (strcmp(name, "open") == 0)
        return read_config(json_object_iter_value(at), history, why, cap);
    return read_message(name, json_object_iter_value(at), room, history, why, cap);
}

bool story_read(FILE *file, struct history *ret, char *why, size_t cap)
{
    static char text[1 << 18];
    char reason[256];

    history_clear(ret);
    for (int number = 1; fgets(text, sizeof(text), file) != NULL; number++) {
        json_error_t error;
        json_t *line = json_loads(text, 0, &error);
        bool good;

        reason[0] = '\0';
        if (line == NULL)
            snprintf(reason, sizeof(reason), "%s", error.text);
        good = line != NULL && read_line(line, ret, reason, sizeof(reason));
        json_decref(line);
        if (!good) {
            snprintf(why, cap, "line %d: %s", number, reason);
            return false;
        }
    }
    return true;
}
