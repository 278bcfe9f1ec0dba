/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/model.h"

#include "t/oracle/victims.h"

#include <string.h>

static bool always_known(int queue)
{
    return queue == model_queue_id(QUEUE_VOLCANO, NAME_ROOT) ||
           queue == model_queue_id(QUEUE_VOLCANO, NAME_DEFAULT);
}

/* The parent that the queue's object names; what is not known hangs below Volcano's root, or is a
 * root of its own. */
static int named_parent(const struct model *model, int queue)
{
    const struct model_queue *q = &model->queues[queue];
    int64_t parent = q->seen ? q->spec[QUEUE_PARENT] : 0;

    if (model_kind(queue) != QUEUE_VOLCANO)
        return parent == 0 ? -1 : model_queue_id(QUEUE_COHORT, (int)parent - 1);
    if (queue == model_queue_id(QUEUE_VOLCANO, NAME_ROOT))
        return -1;
    return model_queue_id(QUEUE_VOLCANO, parent == 0 ? NAME_ROOT : (int)parent - 1);
}

/* A queue that is its own ancestor is a root, and grants nothing. */
static void place_queues(struct model *model)
{
    for (int queue = 0; queue < QUEUES; queue++) {
        int up = named_parent(model, queue);

        for (int steps = 0; up >= 0 && up != queue && steps < QUEUES; steps++)
            up = named_parent(model, up);
        model->queues[queue].cyclic = up == queue;
        model->queues[queue].known = model->queues[queue].seen || always_known(queue);
    }
    for (int queue = 0; queue < QUEUES; queue++) {
        int parent = model->queues[queue].cyclic ? -1 : named_parent(model, queue);

        if (model->queues[queue].parent != parent)
            model_end_promises_of(model, queue);
        model->queues[queue].parent = parent;
    }
}

static void forget_spec(struct model_queue *queue)
{
    struct step plain = step_make(STEP_QUEUE);

    queue->seen = false;
    queue->life = (struct model_life){0};
    queue->life.shown.word.state = queue->life.known.word.state = STATE_UNSAID;
    memcpy(queue->spec, plain.v, sizeof queue->spec);
}

void model_init(struct model *model, const int64_t *config)
{
    *model = (struct model){.now = 1000 * SECOND};
    memcpy(model->config, config, sizeof model->config);
    for (int queue = 0; queue < QUEUES; queue++)
        forget_spec(&model->queues[queue]);
    place_queues(model);
}

bool model_is_not_selected(const struct model_claim *claim)
{
    return claim->group_queue > 0 ? claim->group_bars : claim->pod[POD_NOT_SELECTED] != 0;
}

int model_queue_of(const struct model_claim *claim)
{
    const int64_t *pod = claim->pod;

    if (claim->place > 0)
        return claim->place - 1;
    if (model_is_not_selected(claim) && pod[POD_NODE] > 0 && !model_names_place(pod))
        return model_queue_id(QUEUE_VOLCANO, NAME_DEFAULT);
    if (claim->group_queue > 0)
        return model_queue_id(QUEUE_VOLCANO, claim->group_queue - 1);

    int64_t name = pod[POD_QUEUE] > 0 ? pod[POD_QUEUE] : pod[POD_NAMESPACE_QUEUE];

    return model_queue_id(pod[POD_KIND] ? QUEUE_CLUSTER : QUEUE_VOLCANO,
                          name > 0 ? (int)name - 1 : NAME_DEFAULT);
}

int64_t model_need(const struct model_claim *claim, int resource)
{
    if (claim->is_gang)
        return claim->gang_needs[resource];

    int64_t amount = resource == RESOURCES - 1 ? 1 : claim->pod[POD_REQUEST + resource];

    return amount == UNSAID ? 0 : amount;
}

int model_root(const struct model *model, int queue)
{
    while (model->queues[queue].parent >= 0)
        queue = model->queues[queue].parent;
    return queue;
}

bool model_is_below(const struct model *model, int queue, int ancestor)
{
    while (queue >= 0 && queue != ancestor)
        queue = model->queues[queue].parent;
    return queue >= 0;
}

/* Queues that nobody has seen count where claims are in them, or queues that count below them. */
static bool exists(const struct model *model, int queue)
{
    if (model->queues[queue].known)
        return true;
    for (int uid = 0; uid < UIDS; uid++)
        if (model->claims[uid].live && model_queue_of(&model->claims[uid]) == queue)
            return true;
    return model_has_children(model, queue);
}

bool model_has_children(const struct model *model, int queue)
{
    for (int child = 0; child < QUEUES; child++)
        if (model->queues[child].parent == queue && exists(model, child))
            return true;
    return false;
}

/* Of groups only those that book room. */
void model_count_claims(const struct model *model, int queue, uint32_t ret[CLAIM_STATES])
{
    memset(ret, 0, CLAIM_STATES * sizeof *ret);
    for (int uid = 0; uid < UIDS + GROUPS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        if (claim->live && (uid < UIDS || (claim->is_booking && claim->state != CLAIM_HELD)) &&
            model_is_below(model, model_queue_of(claim), queue))
            ret[claim->state]++;
    }
}

enum stop model_stops(const struct model *model, int queue)
{
    bool volcano = model_kind(queue) == QUEUE_VOLCANO;
    enum stop stop = STOP_NOTHING;
    int levels = 0;

    if (!model->queues[queue].known)
        return STOP_UNKNOWN;
    if (model_kind(queue) == QUEUE_COHORT || model_has_children(model, queue) ||
        queue == model_queue_id(QUEUE_VOLCANO, NAME_ROOT))
        return STOP_INACTIVE;
    for (int up = queue; up >= 0; up = model->queues[up].parent) {
        const struct model_queue *above = &model->queues[up];

        if (above->cyclic)
            return STOP_INACTIVE;
        if (volcano && !above->known)
            return STOP_UNKNOWN;
        if (above->life.state == QUEUE_SUSPENDED)
            stop = STOP_SUSPENDED;
        if (above->life.state == QUEUE_CLOSED && stop == STOP_NOTHING)
            stop = STOP_CLOSED;
        levels += up != model_queue_id(QUEUE_VOLCANO, NAME_ROOT);
    }
    return levels > (volcano ? 8 : 16) ? STOP_INACTIVE : stop;
}

/* Whoever was sent away there could not come back. */
bool model_spares(const struct model *model, int queue)
{
    for (; queue >= 0; queue = model->queues[queue].parent)
        if (model->queues[queue].life.state == QUEUE_SUSPENDED)
            return true;
    return false;
}

bool model_goes_on(const struct model *model, const struct model_claim *claim)
{
    enum stop stop = model_stops(model, model_queue_of(claim));

    return stop == STOP_NOTHING || stop == STOP_CLOSED;
}

int model_group_of(const struct model *model, int queue, int resource)
{
    return naive_group_of(model->queues[queue].spec, resource);
}

void model_set_queue(struct model *model, const int64_t *spec)
{
    int queue = model_queue_id((int)spec[QUEUE_KIND], (int)spec[QUEUE_NAME]);
    bool edited;

    model_hear(model, queue, spec);
    edited = model_edit_queue(model, queue, spec);
    memcpy(model->queues[queue].spec, spec, sizeof model->queues[queue].spec);
    model->queues[queue].seen = true;
    place_queues(model);
    for (int uid = 0; uid < UIDS; uid++)
        if (edited && model_holds(&model->claims[uid]) &&
            model_queue_of(&model->claims[uid]) == queue)
            model_guess_flavors(model, &model->claims[uid]);
}

void model_lose_queue(struct model *model, int queue)
{
    if (queue == model_queue_id(QUEUE_VOLCANO, NAME_ROOT))
        return;
    forget_spec(&model->queues[queue]);
    model_end_promises_of(model, queue);
    place_queues(model);
    model_abandon_commands(model, queue);
}

void model_set_flavor(struct model *model, const int64_t *facts, bool seen)
{
    int flavor = (int)facts[FLAVOR_NUMBER];

    if (!seen && !model->flavors[flavor].seen)
        return;
    model->flavors[flavor].seen = seen;
    model->flavors[flavor].asks = facts[FLAVOR_LABELLED] || facts[FLAVOR_TOLERATED];
    memcpy(model->flavors[flavor].facts, facts, sizeof model->flavors[flavor].facts);
    model_guess_again(model);
}

void model_set_node(struct model *model, const int64_t *facts, bool seen)
{
    int node = (int)facts[NODE_NUMBER];

    model->nodes[node].seen = seen;
    memcpy(model->nodes[node].facts, facts, sizeof model->nodes[node].facts);
    if (seen && model->synced)
        model_guess_again(model);
}
