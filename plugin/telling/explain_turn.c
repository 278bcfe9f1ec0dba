/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_turn.h"

#include "explain_queue.h"
#include "plugin/base/sentence.h"
#include "plugin/order/turn.h"
#include "plugin/state.h"

/* By its name, or, in another namespace, by its UID. */
static void say_object(struct sentence *say, bool same_space, struct text space, struct text name,
                       struct text uid)
{
    sentence_named(say, same_space ? "" : "UID ", same_space ? space : uid, same_space ? "/" : "");
    sentence_text(say, same_space ? name : text_of(""));
}

void explain_other(struct sentence *say, const struct engine *e, uint32_t other, uint32_t id)
{
    struct workload_name name = claim_full_name(e, other);

    say_object(say, text_same(name.space, name_text(e, claim_at(e, id)->space)), name.space,
               name.name, name.uid);
}

/* The head may be of a queue that others have for themselves: that one's name is theirs, too. */
void explain_claim_first(struct sentence *say, const struct engine *e, uint32_t head, uint32_t id)
{
    sentence_str(say, "its turn comes after ");
    explain_other(say, e, head, id);
    if (claim_queue(e, head) == claim_queue(e, id) ||
        claim_at(e, head)->space == claim_at(e, id)->space) {
        sentence_str(say, ", the head of ");
        explain_queue(say, e, claim_queue(e, head), "");
    } else {
        sentence_str(say, ", the head of another queue");
    }
}

void explain_workload_first(struct sentence *say, const struct engine *e, uint32_t id)
{
    uint32_t queue = claim_queue(e, id);
    uint32_t first = turn_first_workload(e, queue);
    struct workload_name is = claim_full_name(e, first);

    sentence_str(say, "its turn comes after workload ");
    say_object(say, claim_at(e, first)->space == claim_at(e, id)->space, is.space, is.name, is.uid);
    sentence_str(say, ", the head of ");
    explain_queue(say, e, queue, "");
}
