/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes: the check says what msgpack-c and a naive look at its objects say; what it accepts the
 * reader reads as msgpack-c does; and what it refuses the reader survives all the same.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "abi/msg/check.h"
#include "abi/msg/reader.h"
#include "t/kit/msg_oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void refuse(const char *what)
{
    fprintf(stderr, "fuzz_msg: %s\n", what);
    abort();
}

static bool is_zero_terminated(const char *text, size_t cap)
{
    return memchr(text, '\0', cap) != NULL;
}

/* What a hook does, without knowing what comes: opens, reads by type, skips, until an error. */
static void read_by_type(struct msg_reader *r, unsigned depth)
{
    static const char *const words[] = {"onBind", "onAdmission", NULL};
    struct msg_map map;
    struct msg_array array;
    struct msg_text text;
    struct msg_bin bin;
    int64_t integer;
    int word;
    bool truth;

    switch (msg_peek_type(r)) {
    case MSG_MAP:
        msg_open_map(r, &map);
        while (msg_next_key(r, &map, &text)) {
            if (depth == 0 || (text.len > 0 && text.at[0] == '!'))
                msg_skip_unknown(r);
            else
                read_by_type(r, depth - 1);
        }
        break;
    case MSG_ARRAY:
        msg_open_array(r, &array);
        while (msg_next_item(r, &array)) {
            if (depth == 0)
                msg_skip_value(r);
            else
                read_by_type(r, depth - 1);
        }
        break;
    case MSG_TEXT:
        if (*r->at & 1)
            msg_get_text(r, 1, 40, &text);
        else
            msg_get_enum(r, words, &word);
        break;
    case MSG_BIN:
        msg_get_bin(r, 0, 40, &bin);
        break;
    case MSG_INT:
        msg_get_int(r, -1000, 1000000, &integer);
        break;
    case MSG_BOOL:
        msg_get_bool(r, &truth);
        break;
    case MSG_NIL:
        msg_get_nil(r);
        break;
    default:
        msg_get_int(r, 0, 1, &integer);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const struct msg_limits limits = {.bytes = MSG_BYTES_DEFAULT, .depth = MSG_DEPTH_DEFAULT};
    size_t at = SIZE_MAX;
    int error = msg_check(bytes, len, &limits, &at);
    if (error < 0 && at > len)
        refuse("the place of the error is outside the message");
    if ((error == 0) != msg_oracle_accepts(bytes, len, limits.depth))
        refuse(error == 0 ? "accepted, and the oracle refuses" : msg_error_text(error));
    const char *differs = error == 0 ? msg_oracle_read(bytes, len) : NULL;
    if (differs)
        refuse(differs);

    struct msg_reader r;
    msg_reader_init(&r, bytes, len);
    read_by_type(&r, 64);
    if (r.error < 0 && !(is_zero_terminated(r.fault.path, sizeof(r.fault.path)) &&
                         is_zero_terminated(r.fault.value, sizeof(r.fault.value)) &&
                         is_zero_terminated(r.fault.want, sizeof(r.fault.want))))
        refuse("a fault without an end");
    return 0;
}
