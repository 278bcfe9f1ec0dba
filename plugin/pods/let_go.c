/* SPDX-License-Identifier: Apache-2.0 */
#include "let_go.h"

#include "claim_time.h"
#include "group_member.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/claim_make.h"
#include "plugin/claims/pledge.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"

static bool is_let_go(const struct claim *claim)
{
    return (claim->flags & CLAIM_LET_GO) != 0;
}

bool let_go_needs(const struct engine *e, const struct pod_facts *pod, uint32_t id)
{
    if (e->config.observe_only || !gate_concerns(&e->config, pod) || pod->finished ||
        pod->deleted || pod->node.len > 0)
        return false;
    if (id == 0 || (claim_at(e, id)->flags & CLAIM_BOUND) != 0)
        return id == 0 && pod->gates.ours != 0;
    return pod->gates.ours != 0 || (claim_at(e, id)->flags & CLAIM_PARKED) != 0;
}

void let_go_claim(struct engine *e, uint32_t id, const struct pod_facts *pod)
{
    struct claim *claim = claim_at(e, id);

    claim_change(e, id, CLAIM_HELD, REASON_NOT_READY);
    claim_set_flavors(e, id, NULL);
    pledge_begin(e, id);
    group_leave(e, id);
    if (!is_let_go(claim))
        queue_count(e, claim_queue(e, id), CLAIM_HELD, -1);
    if (pod->gates.ours == 0 || pod->generation > claim->generation)
        claim_set_flag(claim, CLAIM_GATES_GONE, false);
    /* Who comes back is a newcomer: of its life in the queues nothing stays but what is to do. */
    claim->flags &= CLAIM_PROVISIONAL | CLAIM_PARKED | CLAIM_GATES_GONE;
    claim->flags |= CLAIM_LET_GO;
    claim->timeouts = 0;
    claim_set_stamp(e, id, 0);
    claim->gates = pod->gates.ours & 3u;
    claim->generation = pod->generation;
    claim->version = pod->resource_version;
    outbox_sync(&e->outbox, EFFECT_OF_POD, id);
    claim_set_timer(e, id);
}

bool let_go_return(struct engine *e, uint32_t id)
{
    if (!is_let_go(claim_at(e, id)))
        return false;
    claim_set_flag(claim_at(e, id), CLAIM_LET_GO, false);
    queue_count(e, claim_queue(e, id), CLAIM_HELD, 1);
    return true;
}

void let_go_heard(struct engine *e, struct text uid, bool passes)
{
    uint32_t id = claim_find(e, uid);

    if (id == 0 || !is_let_go(claim_at(e, id)))
        return;
    if (passes)
        claim_destroy(e, id);
    else
        outbox_renew(&e->outbox, EFFECT_OF_POD, id, EFFECT_ACTIVATE);
}

bool let_go_wants_removal(const struct engine *e, uint32_t id)
{
    return claim_at(e, id)->gates != 0 && (claim_at(e, id)->flags & CLAIM_GATES_GONE) == 0;
}

bool let_go_wants_activate(const struct engine *e, uint32_t id)
{
    return (claim_at(e, id)->flags & CLAIM_PARKED) != 0 && !let_go_wants_removal(e, id);
}

const char *let_go_check(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (is_let_go(claim) && ((claim->flags & CLAIM_MANAGED) != 0 || claim->state != CLAIM_HELD ||
                             claim_group(e, claim) != 0))
        return "a pod that is let go holds nothing, and waits for nobody";
    return NULL;
}
