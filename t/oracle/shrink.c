/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/shrink.h"

#include "t/oracle/judge.h"

#include <string.h>

/* Whether two differences are of a kind: they may tell of other pods and amounts. */
static bool alike(const char *a, const char *b)
{
    static const char digits[] = "-0123456789";

    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b)
            return false;
        if (*a == '\0')
            return true;
    }
}

static bool differs(const struct history *history, const char *like)
{
    char difference[DIFFERENCE_MAX];

    judge_history(history, difference);
    return alike(difference, like);
}

/* Without the steps from `at` on, as many as `count`. */
static bool try_without(struct history *history, uint32_t at, uint32_t count, const char *like)
{
    struct history less = {0};
    bool still;

    for (uint32_t n = 0; n < history->count; n++)
        if (n < at || n >= at + count)
            history_add(&less, &history->steps[n]);
    still = differs(&less, like);
    if (still) {
        history_finish(history);
        *history = less;
    } else {
        history_finish(&less);
    }
    return still;
}

static bool drop_steps(struct history *history, const char *like)
{
    bool any = false;

    for (uint32_t size = history->count / 2 + 1; size > 0; size /= 2)
        for (uint32_t at = 0; at < history->count;) {
            if (try_without(history, at, size, like))
                any = true;
            else
                at += size;
        }
    return any;
}

static bool drop_fields(struct history *history, const char *like)
{
    bool any = false;

    for (uint32_t n = 0; n < history->count; n++) {
        struct step *step = &history->steps[n], plain = step_make(step->kind);

        for (int field = 0; field < STEP_FIELDS; field++) {
            int64_t was = step->v[field];

            if (was == plain.v[field])
                continue;
            step->v[field] = plain.v[field];
            if (differs(history, like)) {
                any = true;
                continue;
            }
            step->v[field] = was;
        }
    }
    return any;
}

void shrink(struct history *history, char ret_difference[DIFFERENCE_MAX])
{
    bool more = true;

    judge_history(history, ret_difference);
    if (ret_difference[0] == '\0')
        return;
    while (more) {
        more = drop_steps(history, ret_difference);
        more |= drop_fields(history, ret_difference);
    }
    judge_history(history, ret_difference);
}
