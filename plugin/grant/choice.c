/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include "plugin/capacity/borrow.h"
#include "plugin/order/fit.h"
#include "plugin/state.h"

static bool find(struct choice *choice)
{
    struct hunt *hunt = &choice->hunt;

    choice->found = hunt_begin(hunt);
    choice->none = hunt->last == 0;
    return choice->found;
}

static enum assign_how victims_of(void *ctx, uint16_t flavor, uint32_t resource, wide amount,
                                  uint32_t *ret_height)
{
    struct choice *choice = ctx;
    struct hunt *hunt = &choice->hunt;
    enum assign_how how = ASSIGN_NO_VICTIMS;

    hunt->count = 1;
    hunt->needs[0] = (struct claim_need){amount, resource, flavor};
    if (find(choice)) {
        how = hunt_reclaims(hunt) ? ASSIGN_RECLAIMS : ASSIGN_PREEMPTS;
        *ret_height = borrow_height_later(choice->hunt.e, hunt->queue, flavor, resource, amount);
    }
    hunt_end(hunt);
    return how;
}

static bool same_needs(const struct hunt *hunt, const struct claim_need *needs, uint32_t count)
{
    for (uint32_t i = 0; i < count && count == hunt->count; i++) {
        if (needs[i].flavor != hunt->needs[i].flavor ||
            needs[i].resource != hunt->needs[i].resource ||
            needs[i].amount != hunt->needs[i].amount)
            return false;
    }
    return count == hunt->count;
}

/* Mostly it is what was looked for last: then that is known. */
bool choice_has_victims(struct choice *choice, const struct assignment *made)
{
    struct hunt *hunt = &choice->hunt;
    struct claim_need needs[ASSIGN_MAX_AMOUNTS];
    uint32_t count = assign_total(&choice->ask, made, needs);

    if (count > 0 && same_needs(hunt, needs, count))
        return choice->found;
    hunt->count = count;
    memcpy(hunt->needs, needs, count * sizeof(*needs));
    find(choice);
    hunt_end(hunt);
    return choice->found;
}

static bool victims_of_all(void *ctx, const struct assignment *made)
{
    return choice_has_victims(ctx, made);
}

/* The flavors that it cannot have, since nothing can be written into it any more. */
static void refuse_flavors(const struct engine *e, const struct line *line, struct assign_set *own)
{
    const struct queue *queue = queue_at(e, line_queue(e, line));

    for (uint32_t g = 0; g < queue->group_count; g++) {
        own->refused[g] = 0;
        for (uint32_t k = 0; k < queue->groups[g].flavor_count; k++)
            own->refused[g] |= (uint64_t)!fit_may_have(e, line, queue->groups[g].flavors[k]) << k;
    }
}

static void begin_claim(struct choice *choice, uint32_t id)
{
    const struct engine *e = choice->hunt.e;
    const struct line *line = claim_line(e, id);
    struct assign_set *own = &choice->own;

    own->count = own->minimum = 1;
    own->need_count = 0;
    for (uint32_t i = 0; i < line_count(e, line); i++)
        own->needs[own->need_count++] =
            (struct request){line_resource(e, line, i), line_amount(e, line, i)};
    refuse_flavors(e, line, own);
    choice->ask.set_count = 1;
    choice->ask.sets = own;
}

static void begin_workload(struct choice *choice, uint32_t id)
{
    const struct workload *workload = workload_at(choice->hunt.e, id);
    const struct demand *demand = demand_at(choice->hunt.e, workload->demand);

    demand_judge(choice->hunt.e, workload->demand);
    choice->ask.set_count = demand->set_count;
    choice->ask.sets = demand->sets;
}

void choice_begin(struct choice *choice, struct engine *e, uint32_t claim)
{
    choice->hunt.e = e;
    choice->hunt.count = choice->hunt.looked = 0;
    choice->hunt.rank =
        (struct policy_rank){claim_at(e, claim)->priority, claim_at(e, claim)->queued};
    choice->hunt.group = claim_group(e, claim_at(e, claim));
    choice->hunt.queue = claim_queue(e, claim);
    choice->ask = (struct assign_ask){.e = e, .queue = choice->hunt.queue};
    if (claim_is_workload(e, claim))
        begin_workload(choice, claim);
    else
        begin_claim(choice, claim);
    if (!claim_yields(e, claim))
        choice->ask.victims = (struct assign_victims){choice, victims_of, victims_of_all};
}

bool choice_sends_away(const struct choice *choice)
{
    return choice->ask.victims.of != NULL;
}

/* All of it in the one flavor that there is. */
static bool make_in_volcano(struct choice *choice, struct assignment *ret)
{
    ret->how = ASSIGN_PREEMPTS;
    ret->counts[0] = 1;
    for (uint32_t i = 0; i < choice->own.need_count; i++)
        ret->needs[0][i].flavor = 0;
    return choice_sends_away(choice) && choice_has_victims(choice, ret);
}

bool choice_make(struct choice *choice, struct assignment *ret)
{
    if (queue_at(choice->hunt.e, choice->hunt.queue)->kind == QUEUE_VOLCANO)
        return make_in_volcano(choice, ret);
    return assign_repeatedly(&choice->ask, ret);
}

void choice_hunt(struct choice *choice, const struct assignment *made)
{
    choice->hunt.count = assign_total(&choice->ask, made, choice->hunt.needs);
    hunt_begin(&choice->hunt);
}
