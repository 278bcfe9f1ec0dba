/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/reply.h"

#include <stdio.h>
#include <stdlib.h>

#include "abi/host/value.h"
#include "abi/sluice.h"

bool reply_grow(struct reply *reply, size_t cap)
{
    uint8_t *bytes;

    if (reply->cap >= cap)
        return true;
    bytes = malloc(cap);
    if (!bytes)
        return false;
    free(reply->bytes);
    *reply = (struct reply){.bytes = bytes, .cap = cap};
    return true;
}

void reply_finish(struct reply *reply)
{
    free(reply->bytes);
    *reply = (struct reply){0};
}

const char *reply_error_name(int code)
{
    switch (code) {
    case SLUICE_TOO_SMALL:
        return "TOO_SMALL";
    case SLUICE_NO_HANDLE:
        return "NO_HANDLE";
    case SLUICE_MESSAGE:
        return "MESSAGE";
    case SLUICE_FIELD:
        return "FIELD";
    case SLUICE_UNSUPPORTED:
        return "UNSUPPORTED";
    case SLUICE_NO_MEMORY:
        return "NO_MEMORY";
    case SLUICE_LIMIT:
        return "LIMIT";
    case SLUICE_ARGUMENT:
        return "ARGUMENT";
    case SLUICE_BROKEN:
        return "BROKEN";
    default:
        return "an unknown error";
    }
}

void reply_explain(const struct reply *reply, int64_t result, char *text, size_t cap)
{
    const char *name = reply_error_name(sluice_error_code(result));
    struct answer answer;

    if (reply->len == 0 || !answer_read(&answer, reply->bytes, reply->len)) {
        snprintf(text, cap, "%s", name);
        return;
    }
    const char *key = value_str(&answer.root, "key", "");
    snprintf(text, cap, "%s: %s is %s, want %s", name, *key ? key : "it",
             value_str(&answer.root, "value", "?"), value_str(&answer.root, "want", "?"));
    answer_finish(&answer);
}
