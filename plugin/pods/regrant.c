/* SPDX-License-Identifier: Apache-2.0 */
#include "regrant.h"

#include "claim_rest.h"
#include "group_member.h"
#include "plugin/claims/claim_change.h"
#include "plugin/claims/claim_make.h"
#include "plugin/order/fit.h"
#include "plugin/state.h"

/* What a claim was granted before it asked for something else. */
struct grant {
    uint32_t count;
    uint32_t resources[FACTS_MAX_NEEDS];
    uint16_t flavors[FACTS_MAX_NEEDS];
};

static void take_grant(struct engine *e, const struct claim *claim, struct grant *grant)
{
    const struct line *line = line_at(e, claim->line);

    grant->count = line_count(e, line);
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        grant->resources[i] = line_resource(e, line, i);
        grant->flavors[i] = claim_flavors(claim)[i];
        intern_ref(&e->names, grant->resources[i]);
        flavor_ref(e, grant->flavors[i]);
    }
}

static void drop_grant(struct engine *e, const struct grant *grant)
{
    for (uint32_t i = 0; i < grant->count; i++) {
        intern_unref(&e->names, grant->resources[i]);
        flavor_unref(e, grant->flavors[i]);
    }
}

/* Whether its queue counts this need in that flavor: one that it has moved to may not. */
static bool offers(const struct engine *e, const struct line *line, uint32_t i, uint16_t flavor)
{
    const struct queue *queue = queue_at(e, line_queue(e, line));
    const struct queue_group *group = queue_group_of(queue, line_resource(e, line, i));

    if (queue->kind == QUEUE_VOLCANO)
        return flavor == 0;
    for (uint32_t k = 0; group != NULL && k < group->flavor_count; k++) {
        if (group->flavors[k] == flavor)
            return true;
    }
    return flavor == FLAVOR_NONE &&
           (line_amount(e, line, i) == 0 ||
            (group == NULL && fit_counts_nowhere(e, line_resource(e, line, i))));
}

/* The flavors that it had are written into the pod: it keeps them where that is possible. */
static bool fits_anew(const struct engine *e, const struct claim *claim, const struct grant *grant,
                      bool same_queue, uint16_t *ret_flavors)
{
    const struct line *line = line_at(e, claim->line);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < line_count(e, line); i++) {
        for (uint32_t k = 0; k < grant->count; k++) {
            if (grant->resources[k] == line_resource(e, line, i) &&
                (same_queue || offers(e, line, i, grant->flavors[k]))) {
                ret_flavors[i] = grant->flavors[k];
                kept++;
            }
        }
    }
    return (kept == line_count(e, line) && fit_in(e, claim->line, ret_flavors, headroom_now)) ||
           fit_line(e, claim->line, ret_flavors);
}

static void regain(struct engine *e, uint32_t id, enum claim_state was, const struct grant *grant,
                   bool same_line, bool same_queue, bool moves)
{
    uint16_t flavors[FACTS_MAX_NEEDS];

    if (same_line) {
        claim_set_flavors(e, id, grant->flavors);
        claim_change(e, id, was, REASON_NONE);
    } else if (was == CLAIM_ALLOCATED) {
        claim_allocate(e, id);
    } else if ((same_queue || moves) && fits_anew(e, claim_at(e, id), grant, same_queue, flavors)) {
        claim_grant_alone(e, id, flavors);
    }
}

void regrant(struct engine *e, uint32_t id, const struct claim_terms *demand)
{
    struct claim *claim = claim_at(e, id);
    enum claim_state was = claim->state;
    uint32_t queue = claim_queue(e, id);
    bool parked = (claim->flags & CLAIM_PARKED) != 0;
    struct grant grant;

    take_grant(e, claim, &grant);
    claim_change(e, id, CLAIM_HELD, REASON_NOT_READY);
    claim_wake_at(e, id, INT64_MAX); /* which tells ties apart by rank */
    group_set_rank(e, id, demand->priority, demand->created);
    if (demand->line != 0)
        claim_set_line(e, id, demand->line, demand->text);
    if (demand->flavors != NULL)
        claim_set_flavors(e, id, demand->flavors);
    if (state_holds(was)) {
        claim_set_flag(claim, CLAIM_PARKED, parked); /* it never really was without */
        regain(e, id, was, &grant, demand->line == 0, claim_queue(e, id) == queue, demand->moves);
        claim_set_flag(claim, CLAIM_PARKED, parked || claim->state == CLAIM_HELD);
    }
    drop_grant(e, &grant);
}
