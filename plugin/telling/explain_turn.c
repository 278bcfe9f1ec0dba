/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_turn.h"

#include "explain.h"
#include "plugin/base/sentence.h"
#include "plugin/state.h"

void explain_other(struct sentence *say, const struct engine *e, uint32_t other, uint32_t id)
{
    if (claim_at(e, other)->space == claim_at(e, id)->space) {
        sentence_text(say, name_text(e, claim_at(e, other)->space));
        sentence_str(say, "/");
        sentence_text(say, claim_name(e, other));
    } else {
        sentence_str(say, "UID ");
        sentence_text(say, claim_uid(e, other));
    }
}

void explain_claim_first(struct sentence *say, const struct engine *e, uint32_t head, uint32_t id)
{
    sentence_str(say, "its turn comes after ");
    explain_other(say, e, head, id);
    sentence_str(say, ", the head of ");
    explain_queue(say, e, claim_queue(e, head));
}

void explain_workload_first(struct sentence *say, const struct engine *e, uint32_t queue,
                            uint32_t id)
{
    uint32_t head = tree_first(&workloads_of_queue, e, queue_at(e, queue)->cluster.waiting);
    const struct workload *workload = workload_at(e, head);
    bool same_space = workload->space == claim_at(e, id)->space;

    sentence_str(say, "its turn comes after workload ");
    sentence_str(say, same_space ? "" : "UID ");
    sentence_text(say, name_text(e, same_space ? workload->space : workload->uid));
    sentence_str(say, same_space ? "/" : "");
    sentence_text(say, same_space ? name_text(e, workload->name) : text_of(""));
    sentence_str(say, ", the head of ");
    explain_queue(say, e, queue);
}
