/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

/* Whose room a queue's claims may take: of Kueue's spec.preemption, and of the annotations that say
 * the same of Volcano's queues. Both are as strict as Kueue's own admission: of a word that is
 * misspelled nobody could tell who is to go. */

static const char *const within_words[] = {
    [PREEMPT_NEVER] = "Never",
    [PREEMPT_LOWER] = "LowerPriority",
    [PREEMPT_LOWER_OR_NEWER] = "LowerOrNewerEqualPriority",
    NULL,
};
static const char *const reclaim_words[] = {"Never", "LowerPriority", "Any", NULL};
static const char *const borrow_words[] = {"Never", "LowerPriority", NULL};

static void decode_within(struct msg_reader *r, struct preempt_policy *ret)
{
    int word;

    if (msg_get_enum(r, within_words, &word))
        ret->within = (enum preempt_whom)word;
}

static void decode_reclaim(struct msg_reader *r, struct preempt_policy *ret)
{
    static const enum preempt_whom whom[] = {PREEMPT_NEVER, PREEMPT_LOWER, PREEMPT_ANY};
    int word;

    if (msg_get_enum(r, reclaim_words, &word))
        ret->reclaim = whom[word];
}

static void decode_borrow(struct msg_reader *r, struct preempt_policy *ret)
{
    struct msg_map map;
    struct msg_text key;
    int word;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "policy")) {
            if (msg_get_enum(r, borrow_words, &word))
                ret->while_borrowing = word != 0;
        } else if (msg_text_is(key, "maxPriorityThreshold")) {
            ret->has_threshold = decode_priority(r, &ret->threshold);
        } else {
            msg_skip_unknown(r);
        }
    }
}

void decode_preemption(struct msg_reader *r, struct preempt_policy *ret)
{
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "withinClusterQueue"))
            decode_within(r, ret);
        else if (msg_text_is(key, "reclaimWithinCohort"))
            decode_reclaim(r, ret);
        else if (msg_text_is(key, "borrowWithinCohort"))
            decode_borrow(r, ret);
        else
            msg_skip_unknown(r);
    }
}

bool decode_preempt_annotation(struct msg_reader *r, struct msg_text key,
                               struct preempt_policy *ret)
{
    if (msg_text_is(key, "sluice.sh/preempt-within-queue"))
        decode_within(r, ret);
    else if (msg_text_is(key, "sluice.sh/reclaim-from-queues"))
        decode_reclaim(r, ret);
    else
        return false;
    return true;
}
