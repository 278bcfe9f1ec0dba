/* SPDX-License-Identifier: Apache-2.0 */
#include "foresee.h"

enum {
    NEAR_THE_BEGINNING = 64,
    SHORT_TEXT = 0xa0, /* with the length in the low 5 bits */
    TEXT_8 = 0xd9,     /* with the length in the next byte */
};

/* The text at *at, which then is behind it; none, if there is something else. */
static struct text take_text(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *from = *at;
    size_t len;

    if (end - from < 2)
        return (struct text){NULL, 0};
    if ((*from & 0xe0) == SHORT_TEXT) {
        len = *from++ & 0x1f;
    } else if (*from == TEXT_8) {
        len = from[1];
        from += 2;
    } else {
        return (struct text){NULL, 0};
    }
    if ((size_t)(end - from) < len)
        return (struct text){NULL, 0};
    *at = from + len;
    return (struct text){(const char *)from, len};
}

/* Of the pair at *at, if it has this key. */
static struct text take_value(const uint8_t **at, const uint8_t *end, const char *key)
{
    const uint8_t *behind = *at;
    struct text value = {NULL, 0};

    if (!text_is(take_text(&behind, end), key))
        return value;
    value = take_text(&behind, end);
    *at = behind;
    return value;
}

void foresee_pod(const uint8_t *req, size_t len, struct foreseen *ret)
{
    static const uint8_t key[] = {SHORT_TEXT | 3, 'u', 'i', 'd'};

    *ret = (struct foreseen){.uid = {NULL, 0}};
    for (size_t i = 0; i + sizeof(key) <= len && i < NEAR_THE_BEGINNING; i++) {
        const uint8_t *at = req + i + sizeof(key);

        if (memcmp(req + i, key, sizeof(key)) != 0)
            continue;
        ret->uid = take_text(&at, req + len);
        ret->space = take_value(&at, req + len, "namespace");
        ret->name = take_value(&at, req + len, "name");
        return;
    }
}
