/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/peek.h"

bool peek(const struct msg_reader *at, const char *key, struct msg_reader *ret)
{
    struct msg_reader r = *at;
    struct msg_map map;
    struct msg_text found;

    if (!msg_open_map(&r, &map))
        return false;
    while (msg_next_key(&r, &map, &found)) {
        if (msg_text_is(found, key)) {
            *ret = r;
            return true;
        }
        msg_skip_value(&r);
    }
    return false;
}

int64_t peek_int(const struct msg_reader *at, const char *key, int64_t otherwise)
{
    struct msg_reader value;
    int64_t number = otherwise;

    if (peek(at, key, &value))
        msg_get_int(&value, INT64_MIN, INT64_MAX, &number);
    return number;
}

bool peek_bool(const struct msg_reader *at, const char *key, bool otherwise)
{
    struct msg_reader value;
    bool truth = otherwise;

    if (peek(at, key, &value))
        msg_get_bool(&value, &truth);
    return truth;
}

void peek_text(const struct msg_reader *at, const char *key, char *ret, size_t size)
{
    struct msg_reader value;
    struct msg_text text = {NULL, 0};

    if (!peek(at, key, &value) || !msg_get_text(&value, 0, SIZE_MAX, &text))
        text.len = 0;
    if (text.len > size - 1)
        text.len = size - 1;
    if (text.len > 0)
        memcpy(ret, text.at, text.len);
    ret[text.len] = '\0';
}
