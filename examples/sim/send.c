/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "abi/sluice.h"
#include "examples/sim/expect.h"
#include "examples/sim/host.h"
#include "examples/sim/sim.h"
#include "examples/sim/translate.h"

/* The step `send:`, which says anything to any hook, as a host with a defect would. */

enum {
    SEND_BYTES = 4096,
};

static int digit_of(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

/* Hexadecimal digits, with blanks between bytes. False: they are something else, or too many. */
static bool bytes_of(const char *text, uint8_t *out, size_t *ret_len)
{
    size_t len = 0;

    for (; *text; text++) {
        if (*text == ' ')
            continue;
        int high = digit_of(text[0]);
        int low = high < 0 ? -1 : digit_of(text[1]);
        if (low < 0 || len == SEND_BYTES)
            return false;
        out[len++] = (uint8_t)(high << 4 | low);
        text++;
    }
    *ret_len = len;
    return true;
}

void host_check_send(struct fault *fault, const struct tree *spec)
{
    static const char *const keys[] = {"hook", "message", "bytes", "error", "says", "answer"};
    const char *hook = tree_text(fault, spec, "hook", "");
    const char *bytes = tree_text(fault, spec, "bytes", "");
    uint8_t scratch[SEND_BYTES];
    size_t len;

    for (size_t i = 0; spec->type == TREE_MAP && i < spec->count; i++) {
        size_t k = 0;
        while (k < sizeof(keys) / sizeof(*keys) && strcmp(keys[k], spec->pairs[i].key) != 0)
            k++;
        if (k == sizeof(keys) / sizeof(*keys))
            fault_say(fault, spec->pairs[i].value,
                      "%s is not known here, want hook, message, bytes, error, says or answer",
                      spec->pairs[i].key);
    }
    if (spec->type != TREE_MAP || loader_hook_of(hook, strlen(hook)) < 0)
        fault_at(fault, tree_get(spec, "hook") ? tree_get(spec, "hook") : spec,
                 "a map with the name of a hook: {hook: observe, message: {...}}");
    if (!bytes_of(bytes, scratch, &len))
        fault_at(fault, tree_get(spec, "bytes"), "hexadecimal digits, at most %d bytes",
                 SEND_BYTES);
    if (!tree_map(fault, spec, "message") == !tree_get(spec, "bytes"))
        fault_at(fault, spec, "a map with either message or bytes");
    tree_map(fault, spec, "answer");
}

static const char *value_text(const msgpack_object *value, char *out, size_t cap)
{
    if (value_is(value, MSGPACK_OBJECT_STR))
        snprintf(out, cap, "%s", value->via.str.ptr);
    else if (value_is(value, MSGPACK_OBJECT_BOOLEAN))
        snprintf(out, cap, "%s", value->via.boolean ? "true" : "false");
    else if (value_is(value, MSGPACK_OBJECT_POSITIVE_INTEGER))
        snprintf(out, cap, "%" PRId64, value->via.i64);
    else
        snprintf(out, cap, "%s", value ? "(neither text, number nor truth value)" : "missing");
    return out;
}

static void compare(struct sim *sim, const struct tree *wanted, const msgpack_object *answer)
{
    char seen[256];

    for (size_t i = 0; wanted && i < wanted->count; i++) {
        const struct tree *want = wanted->pairs[i].value;
        value_text(value_get(answer, wanted->pairs[i].key), seen, sizeof(seen));
        if (want->type != TREE_TEXT || strcmp(want->text, seen) != 0)
            expect_failed(sim, want, wanted->pairs[i].key, want->text ? want->text : "text", seen);
    }
}

/* What a call did, as the step's `error:` would name it. */
static const char *outcome_of(const struct library *library)
{
    return library->result < 0 ? reply_error_name(sluice_error_code(library->result)) : "none";
}

void host_send(struct sim *sim, const struct tree *spec)
{
    struct library *library = &sim->library;
    const char *name = tree_get(spec, "hook")->text;
    const char *bytes = tree_text(&sim->fault, spec, "bytes", NULL);
    const struct tree *message = tree_get(spec, "message");
    const char *error = tree_text(&sim->fault, spec, "error", "none");
    const char *says = tree_text(&sim->fault, spec, "says", "");
    enum loader_hook hook = (enum loader_hook)loader_hook_of(name, strlen(name));
    const msgpack_object *answer;
    char before[17];
    char after[17];

    bool has_digest = library_digest(library, sim_wall(sim), before);
    if (bytes) {
        uint8_t raw[SEND_BYTES];
        size_t len = 0;
        bytes_of(bytes, raw, &len);
        answer = library_send(library, hook, raw, len);
    } else {
        struct request *r = &library->request;
        request_clear(r);
        r_map(r);
        if (!tree_get(message, "now"))
            r_key_int(r, "now", sim_wall(sim));
        for (size_t i = 0; i < message->count; i++) {
            r_str(r, message->pairs[i].key);
            translate_tree(r, message->pairs[i].value);
        }
        answer = host_call(sim, hook);
    }
    story(sim, "host", "sent", "says to %s what a step wants; the answer: %s", name,
          answer ? "no error" : library->error);
    if (strcmp(outcome_of(library), error) != 0)
        expect_failed(sim, spec, "error", error, answer ? "none" : library->error);
    else if (!answer && !strstr(library->error, says))
        expect_failed(sim, spec, "says", says, library->error);
    compare(sim, tree_get(spec, "answer"), answer);
    bool failed = !answer;
    if (failed && has_digest && library_digest(library, sim_wall(sim), after) &&
        strcmp(before, after) != 0)
        expect_failed(sim, spec, "the digest after an error", before, after);
}
