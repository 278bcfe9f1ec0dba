/* SPDX-License-Identifier: Apache-2.0 */
#include "foresee.h"

enum {
    NEAR_THE_BEGINNING = 64,
    SHORT_TEXT = 0xa0, /* with the length in the low 5 bits */
    TEXT_8 = 0xd9,     /* with the length in the next byte */
};

static struct text text_at(const uint8_t *at, const uint8_t *end)
{
    size_t len;

    if (end - at < 2)
        return (struct text){NULL, 0};
    if ((*at & 0xe0) == SHORT_TEXT) {
        len = *at++ & 0x1f;
    } else if (*at == TEXT_8) {
        len = at[1];
        at += 2;
    } else {
        return (struct text){NULL, 0};
    }
    return (size_t)(end - at) < len ? (struct text){NULL, 0} : (struct text){(const char *)at, len};
}

struct text foresee_uid(const uint8_t *req, size_t len)
{
    static const uint8_t key[] = {SHORT_TEXT | 3, 'u', 'i', 'd'};

    for (size_t i = 0; i + sizeof(key) <= len && i < NEAR_THE_BEGINNING; i++) {
        if (memcmp(req + i, key, sizeof(key)) == 0)
            return text_at(req + i + sizeof(key), req + len);
    }
    return (struct text){NULL, 0};
}
