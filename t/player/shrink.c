/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/shrink.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "t/player/prune.h"

bool shrink_alike(const char *a, const char *b)
{
    static const char digits[] = "-0123456789";

    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b)
            return false;
        if (*a == '\0' || *a == '\t')
            return true;
    }
}

struct shrinking {
    struct stage *stage;
    struct history *history, *less; /* the smallest so far, and the next try */
    const char *wrong;
};

/* Keeps the try if it goes wrong in the same way. */
static bool keep(struct shrinking *s)
{
    stage_replay(s->stage, s->less);
    if (!shrink_alike(s->stage->wrong, s->wrong))
        return false;
    memcpy(s->history, s->less, sizeof(*s->history));
    return true;
}

static void start_try(struct shrinking *s)
{
    history_clear(s->less);
    memcpy(s->less->config, s->history->config, s->history->config_len);
    s->less->config_len = s->history->config_len;
}

static bool try_without(struct shrinking *s, uint32_t at, uint32_t count)
{
    start_try(s);
    for (uint32_t i = 0; i < s->history->count; i++)
        if (i < at || i >= at + count)
            history_add(s->less, &s->history->messages[i],
                        history_bytes(s->history, &s->history->messages[i]));
    return keep(s);
}

static bool drop_messages(struct shrinking *s)
{
    bool any = false;

    for (uint32_t size = s->history->count / 2 + 1; size > 0; size /= 2)
        for (uint32_t at = 0; at < s->history->count;) {
            if (try_without(s, at, size))
                any = true;
            else
                at += size;
        }
    return any;
}

/* Without the nth part of one message; -1: of the configuration. */
static bool try_pruned(struct shrinking *s, int64_t which, unsigned nth, bool *ret_pruned)
{
    static uint8_t out[MESSAGE_BYTES];
    size_t len = 0;

    start_try(s);
    *ret_pruned = which >= 0 || prune(s->history->config, s->history->config_len, nth, out,
                                      sizeof(s->less->config), &len);
    if (which < 0 && *ret_pruned) {
        memcpy(s->less->config, out, len);
        s->less->config_len = (uint32_t)len;
    }
    for (uint32_t i = 0; i < s->history->count && *ret_pruned; i++) {
        struct message message = s->history->messages[i];
        const uint8_t *bytes = history_bytes(s->history, &message);

        if (i == which) {
            *ret_pruned = prune(bytes, message.len, nth, out, sizeof(out), &len);
            message.len = (uint32_t)len;
            bytes = out;
        }
        history_add(s->less, &message, bytes);
    }
    return *ret_pruned && keep(s);
}

static bool drop_parts(struct shrinking *s)
{
    bool any = false, there;

    for (int64_t which = -1; which < s->history->count; which++) {
        unsigned nth = 0;

        do {
            if (try_pruned(s, which, nth, &there))
                any = true;
            else
                nth++;
        } while (there);
    }
    return any;
}

bool shrink_history(struct stage *stage, struct history *history, const char *wrong)
{
    struct shrinking s = {stage, history, malloc(sizeof(struct history)), wrong};
    bool more = true;

    assert(s.less != NULL);
    stage_replay(stage, history);
    if (!shrink_alike(stage->wrong, wrong)) {
        free(s.less);
        return false;
    }
    drop_messages(&s);
    while (more) {
        more = drop_parts(&s);
        more = drop_messages(&s) || more;
    }
    free(s.less);
    return true;
}
