/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/limits.h"

#include "t/oracle/victims.h"

#include <string.h>

/* What the children of a queue change in its own numbers. */
struct lent {
    wide promised, lent;
};

static wide said(int64_t amount)
{
    return amount == UNSAID ? 0 : amount;
}

static bool is_root(int queue)
{
    return queue == model_queue_id(QUEUE_VOLCANO, NAME_ROOT);
}

/* The root's ceiling comes from the configuration alone. */
static void count_root(const struct model *model, int resource, struct number *number)
{
    if (model->config[CONFIG_ROOT] == ROOT_AMOUNTS) {
        number->named = number->bounded = model->config[CONFIG_ROOT_AMOUNT + resource] != UNSAID;
        number->ceiling = said(model->config[CONFIG_ROOT_AMOUNT + resource]);
    }
    if (model->config[CONFIG_ROOT] == ROOT_CLUSTER) {
        number->bounded = true;
        for (int n = 0; n < NODES; n++)
            if (model->nodes[n].seen)
                number->ceiling += said(model->nodes[n].facts[NODE_AMOUNT + resource]);
    }
}

static void count_volcano(const struct model *model, int queue, int resource, struct number *number,
                          wide children_promised)
{
    const struct model_queue *q = &model->queues[queue];
    int64_t capability = q->spec[QUEUE_CAPABILITY + resource];
    wide guarantee = 0;

    if (is_root(queue)) {
        count_root(model, resource, number);
    } else if (q->known) {
        bool capped = capability != UNSAID && (capability > 0 || resource > 1);

        guarantee = said(q->spec[QUEUE_GUARANTEE + resource]);
        number->share = said(q->spec[QUEUE_DESERVED + resource]);
        number->bounded = capped;
        number->ceiling = capped ? capability : 0;
        number->sets = capped || number->share > 0 || q->spec[QUEUE_GUARANTEE + resource] != UNSAID;
        number->named =
            number->sets || capability != UNSAID || q->spec[QUEUE_DESERVED + resource] != UNSAID;
    }
    number->promised = wide_max(guarantee, children_promised);
    number->kept = number->promised - children_promised;
    number->ceiling -= children_promised;
}

static void count_kueue(const struct model *model, int queue, int cell, struct number *number,
                        wide children_lend)
{
    const struct model_queue *q = &model->queues[queue];
    int flavor = cell / RESOURCES, resource = cell % RESOURCES;
    bool root = q->parent < 0;
    int64_t borrowing = UNSAID, lending = UNSAID;

    number->share = children_lend;
    if (q->known && flavor < FLAVORS && q->spec[QUEUE_GROUP + resource] > 0) {
        int order[FLAVORS];
        int count = world_group_order(q->spec, (int)q->spec[QUEUE_GROUP + resource] - 1, order);

        for (int n = 0; n < count; n++)
            number->named |= order[n] == flavor;
    }
    if (number->named) {
        number->share += said(q->spec[QUEUE_NOMINAL + cell]);
        borrowing = q->spec[QUEUE_BORROWING + cell];
        lending = q->spec[QUEUE_LENDING + cell];
    }
    number->kept = lending == UNSAID ? 0 : wide_max(0, number->share - lending);
    number->bounded = root || borrowing != UNSAID;
    number->ceiling = number->share + (root ? 0 : said(borrowing));
}

/* What the claims of each queue hold themselves. */
static void count_claims(const struct model *model, struct limits *limits)
{
    for (int uid = 0; uid < UIDS + GROUPS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        for (int r = 0; claim->promise.made && r < RESOURCES; r++)
            if (claim->promise.flavor[r] >= 0) {
                struct number *number =
                    &limits->at[model_queue_of(claim)][naive_cell(claim->promise.flavor[r], r)];

                number->later += model_need(claim, r);
                number->within |= claim->promise.within[r];
            }
    }
    for (int uid = 0; uid < UIDS + GROUPS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        for (int r = 0; model_holds(claim) && r < RESOURCES; r++) {
            struct number *number;

            if (claim->flavor[r] < 0)
                continue;
            number = &limits->at[model_queue_of(claim)][naive_cell(claim->flavor[r], r)];
            number->usage += model_need(claim, r);
            number->effective += model_need(claim, r);
            number->later += model_goes(model, claim) ? 0 : model_need(claim, r);
            *(claim->state == CLAIM_RESERVED ? &number->reserved : &number->allocated) +=
                model_need(claim, r);
        }
    }
}

static void add_child(struct number *number, const struct number *child, struct lent *given)
{
    number->present |= child->present;
    number->usage += wide_max(0, child->usage - child->kept);
    number->later += wide_max(0, child->later - child->kept);
    number->reserved += child->reserved;
    number->allocated += child->allocated;
    number->effective += wide_max(child->effective, child->promised);
    given->promised += child->promised;
    given->lent += child->share - child->kept;
}

static void count_queue(const struct model *model, struct limits *limits, int queue)
{
    struct lent given[NAIVE_CELLS] = {{0}};

    for (int child = 0; child < QUEUES; child++) {
        if (model->queues[child].parent != queue)
            continue;
        count_queue(model, limits, child);
        for (int cell = 0; cell < NAIVE_CELLS; cell++)
            if (limits_has(queue, cell))
                add_child(&limits->at[queue][cell], &limits->at[child][cell], &given[cell]);
    }
    for (int cell = 0; cell < NAIVE_CELLS; cell++) {
        struct number *number = &limits->at[queue][cell];

        if (!limits_has(queue, cell))
            continue;
        if (model_kind(queue) == QUEUE_VOLCANO)
            count_volcano(model, queue, cell % RESOURCES, number, given[cell].promised);
        else
            count_kueue(model, queue, cell, number, given[cell].lent);
        number->present |= number->named;
        if (!number->present && !(is_root(queue) && model->config[CONFIG_ROOT] == ROOT_CLUSTER))
            number->bounded = false;
    }
}

void limits_count(const struct model *model, struct limits *limits)
{
    memset(limits, 0, sizeof *limits);
    count_claims(model, limits);
    for (int queue = 0; queue < QUEUES; queue++)
        if (model->queues[queue].parent < 0)
            count_queue(model, limits, queue);
}

wide limits_share(int queue, const struct number *number)
{
    wide given = number->promised - number->kept;

    return model_kind(queue) == QUEUE_VOLCANO ? wide_max(number->share, number->promised) - given
                                              : number->share;
}

static wide room_at(const struct model *model, const struct limits *limits, int queue, int cell,
                    bool later)
{
    const struct number *number = &limits->at[queue][cell];
    wide used = later ? number->later : number->usage, above = NAIVE_UNLIMITED;
    int parent = model->queues[queue].parent;

    if (parent >= 0)
        above = wide_max(0, number->kept - used) + room_at(model, limits, parent, cell, later);
    return number->bounded ? wide_min(number->ceiling - used, above) : above;
}

/* While somebody is promised room within the share, nobody exceeds it in that queue. */
wide limits_room_at(const struct model *model, const struct limits *limits, int queue, int cell,
                    bool later)
{
    const struct number *number = &limits->at[queue][cell];
    wide room = room_at(model, limits, queue, cell, later);

    return later && number->within ? wide_min(room, limits_share(queue, number) - number->later)
                                   : room;
}

/* As at a shrink: of what it adds only what arrives at a queue counts there. */
static bool stays(const struct model *model, const struct limits *limits, int queue, int cell,
                  wide adds)
{
    for (; queue >= 0 && adds > 0; queue = model->queues[queue].parent) {
        const struct number *number = &limits->at[queue][cell];

        if (number->bounded && number->usage + adds > number->ceiling)
            return false;
        adds -= wide_max(0, number->kept - number->usage);
    }
    return true;
}

static bool fits_cell(const struct model *model, const struct limits *limits,
                      const struct model_claim *claim, int resource, int flavor)
{
    int queue = model_queue_of(claim), cell = naive_cell(flavor, resource);
    wide need = model_need(claim, resource);

    if (limits->again)
        return stays(model, limits, queue, cell, need);
    return need <= limits_room_at(model, limits, queue, cell, false) &&
           need <= limits_room_at(model, limits, queue, cell, true);
}

bool limits_fit_in(const struct model *model, const struct limits *limits,
                   const struct model_claim *claim, const int flavors[RESOURCES])
{
    for (int r = 0; r < RESOURCES; r++)
        if (model_need(claim, r) > 0 && flavors[r] >= 0 &&
            !fits_cell(model, limits, claim, r, flavors[r]))
            return false;
    return true;
}

static int cohort_height(const struct model *model, int cohort)
{
    int height = 0;

    for (int child = 0; child < QUEUES; child++)
        if (model->queues[child].parent == cohort) {
            int over = model_kind(child) == QUEUE_COHORT ? cohort_height(model, child) + 1 : 1;

            height = over > height ? over : height;
        }
    return height;
}

/* From how far up a queue borrows if it uses so much more: 0 if its own quota covers it. */
static int height_when(const struct model *model, const struct limits *limits, int queue, int cell,
                       wide amount, bool later)
{
    int at = queue;

    for (; model->queues[at].parent >= 0; at = model->queues[at].parent) {
        const struct number *number = &limits->at[at][cell];
        wide used = later ? number->later : number->usage;

        if (used + amount <= number->share)
            break;
        amount -= wide_max(0, number->kept - used);
    }
    return at == queue ? 0 : cohort_height(model, at);
}

/* From how far up the claim borrows in the flavor, as it is or as it will be, whichever is farther:
 * 0 where nobody minds. */
static int borrows_from(const struct model *model, const struct limits *limits,
                        const struct model_claim *claim, int group, int flavor)
{
    int queue = model_queue_of(claim), farthest = 0;

    for (int r = 0; r < RESOURCES && model->queues[queue].spec[QUEUE_BORROWS_LAST]; r++) {
        if (model_need(claim, r) == 0 || model_group_of(model, queue, r) != group)
            continue;
        for (int later = 0; later < 2; later++) {
            int height = height_when(model, limits, queue, naive_cell(flavor, r),
                                     model_need(claim, r), later);

            farthest = height > farthest ? height : farthest;
        }
    }
    return farthest;
}

/* Of the flavors in which everything that the claim asks of the group fits: that from nearest, the
 * first of them. */
static bool fit_group(const struct model *model, const struct limits *limits,
                      const struct model_claim *claim, int group, int ret_flavors[RESOURCES])
{
    int queue = model_queue_of(claim), order[FLAVORS];
    int count_ = world_group_order(model->queues[queue].spec, group, order);
    int nearest = -1;

    for (int n = 0; n < count_; n++) {
        int flavor = order[n];
        bool fits = model_flavor_serves(model, claim, flavor);

        for (int r = 0; r < RESOURCES; r++)
            if (model_need(claim, r) > 0 && model_group_of(model, queue, r) == group)
                fits = fits && fits_cell(model, limits, claim, r, flavor);
        if (!fits || (nearest >= 0 && borrows_from(model, limits, claim, group, flavor) >= nearest))
            continue;
        nearest = borrows_from(model, limits, claim, group, flavor);
        for (int r = 0; r < RESOURCES; r++)
            if (model_need(claim, r) > 0 && model_group_of(model, queue, r) == group)
                ret_flavors[r] = flavor;
    }
    return nearest >= 0;
}

bool limits_fit(const struct model *model, const struct limits *limits,
                const struct model_claim *claim, int ret_flavors[RESOURCES])
{
    int queue = model_queue_of(claim);
    bool asked[2] = {false, false};

    for (int r = 0; r < RESOURCES; r++) {
        int group = -1;

        ret_flavors[r] = -1;
        if (model_need(claim, r) == 0)
            continue;
        if (model_kind(queue) == QUEUE_VOLCANO) {
            ret_flavors[r] = FLAVOR_DEFAULT;
            if (!fits_cell(model, limits, claim, r, FLAVOR_DEFAULT))
                return false;
            continue;
        }
        group = model_group_of(model, queue, r);
        if (group >= 0)
            asked[group] = true;
        else if (r != RESOURCES - 1 && !model->config[CONFIG_UNDECLARED])
            return false;
    }
    for (int group = 0; group < 2; group++)
        if (asked[group] && !fit_group(model, limits, claim, group, ret_flavors))
            return false;
    return true;
}

bool limits_in_debt(const struct model *model, const struct limits *limits, int queue, int cell)
{
    for (; queue >= 0; queue = model->queues[queue].parent)
        if (limits->at[queue][cell].bounded &&
            limits->at[queue][cell].usage > limits->at[queue][cell].ceiling)
            return true;
    return false;
}

bool limits_exceeded(const struct model *model, const struct limits *limits)
{
    for (int queue = 0; queue < QUEUES; queue++)
        for (int cell = 0; cell < NAIVE_CELLS; cell++)
            if (limits_has(queue, cell) && limits_in_debt(model, limits, queue, cell))
                return true;
    return false;
}
