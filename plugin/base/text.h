/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_TEXT_H
#define SLUICE_PLUGIN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A view of text that somebody else owns: valid for one call. {NULL, 0} is no text. */
struct text {
    const char *at;
    size_t len;
};

static inline struct text text_of(const char *s)
{
    return (struct text){s, strlen(s)};
}

static inline bool text_same(struct text a, struct text b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

/* By bytes, the shorter first: below, equal to or above 0. */
static inline int text_compare(struct text a, struct text b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter == 0 ? 0 : memcmp(a.at, b.at, shorter);

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static inline bool text_is(struct text text, const char *literal)
{
    return text_same(text, text_of(literal));
}

/* Whether it is one of so many. */
static inline bool text_among(struct text text, const struct text *texts, uint32_t count)
{
    while (count > 0 && !text_same(text, texts[count - 1]))
        count--;
    return count > 0;
}

#endif
