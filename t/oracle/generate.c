/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/generate_queue.h"

void generator_init(struct generator *g, uint64_t seed, enum dialect dialect)
{
    *g = (struct generator){.random.state = seed};
    g->dialect = dialect == DIALECT_BOTH && generate_one_in(g, 2)
                     ? (enum dialect)generate_below(g, 2)
                     : dialect;
    g->queues = 1 + generate_below(g, 7);
    g->resources = 1 + generate_below(g, 3);
    g->flavors = 1 + generate_below(g, FLAVORS);
    g->pods = 4 + generate_below(g, UIDS - 4);
    g->largest = generate_one_in(g, 6) ? AMOUNT_MAX : 4 + generate_below(g, 12);
    g->edits_queues = !generate_one_in(g, 3);
    g->restarts = !generate_one_in(g, 3);
    g->loses_lead = generate_one_in(g, 3);
    g->resends = generate_one_in(g, 2);
    g->patient = generate_one_in(g, 3);
    g->writes = g->dialect != DIALECT_KUEUE && generate_one_in(g, 2);
    g->groups = generate_one_in(g, 2) ? GROUPS : 0;
    g->evicts = generate_one_in(g, 2);
    for (int n = 0; n < 8; n++)
        g->old[n] = step_make(STEP_TIME);
}

static struct step any_flavor(struct generator *g)
{
    struct step step = step_make(generate_one_in(g, 6) ? STEP_LOSE_FLAVOR : STEP_FLAVOR);

    step.v[FLAVOR_NUMBER] = generate_below(g, FLAVORS);
    if (step.kind == STEP_FLAVOR) {
        step.v[FLAVOR_LABELLED] = generate_one_in(g, 3);
        step.v[FLAVOR_TOLERATED] = generate_one_in(g, 5);
    }
    return step;
}

static struct step any_node(struct generator *g)
{
    struct step step = step_make(generate_one_in(g, 5) ? STEP_LOSE_NODE : STEP_NODE);

    step.v[NODE_NUMBER] = generate_below(g, NODES);
    if (step.kind == STEP_NODE) {
        step.v[NODE_LABEL] = generate_below(g, FLAVORS + 1);
        for (int r = 0; r < RESOURCES; r++)
            step.v[NODE_AMOUNT + r] = generate_one_in(g, 4) ? UNSAID : generate_amount(g);
    }
    return step;
}

/* Small minimums, so that gangs are often complete; and those that cannot be. */
static struct step any_group(struct generator *g, const struct model *model)
{
    struct step step = step_make(generate_one_in(g, 6) ? STEP_LOSE_GROUP : STEP_GROUP);

    step.v[GROUP_NUMBER] = generate_below(g, GROUPS);
    if (step.kind == STEP_LOSE_GROUP)
        return step;
    step.v[GROUP_UID] = generate_one_in(g, 6);
    step.v[GROUP_CREATED] = model->now - generate_below(g, 4) * SECOND;
    step.v[GROUP_MINIMUM] = generate_one_in(g, 12) ? -1 : generate_below(g, 5);
    step.v[GROUP_QUEUE] = generate_one_in(g, 3) ? 0 : 1 + generate_queue_name(g);
    step.v[GROUP_NOT_SELECTED] = generate_one_in(g, 5);
    if (generate_one_in(g, 4))
        step.v[GROUP_PRIORITY] = generate_below(g, 5) - 2;
    for (int r = 0; r < g->resources; r++)
        if (generate_one_in(g, 6))
            step.v[GROUP_LEAST + r] = generate_amount(g);
    step.v[GROUP_GOES_WHOLE] = generate_one_in(g, 4);
    if (world_is_composite((int)step.v[GROUP_NUMBER])) {
        step.v[GROUP_MINIMUM] = 0;
        step.v[GROUP_WANTS_PARTS] = generate_below(g, 3);
        for (int part = 0; part < PARTS; part++)
            step.v[GROUP_PART + part] = generate_below(g, 4);
    }
    step.v[GROUP_PHASE] = generate_one_in(g, 6) ? PHASE_COMPLETED : generate_below(g, 2) * 2;
    return step;
}

/* How a history begins: step n, until false. */
static bool begin(struct generator *g, int n, struct step *ret)
{
    if (n == 0) {
        *ret = step_make(STEP_CONFIG);
        ret->v[CONFIG_REMOVAL] = generate_one_in(g, 2);
        ret->v[CONFIG_MANAGE_ALL] = generate_one_in(g, 5);
        ret->v[CONFIG_ROOT] = generate_one_in(g, 2) ? generate_below(g, 3) : 0;
        for (int r = 0; r < RESOURCES; r++)
            if (ret->v[CONFIG_ROOT] == ROOT_AMOUNTS && generate_one_in(g, 2))
                ret->v[CONFIG_ROOT_AMOUNT + r] = generate_amount(g);
        ret->v[CONFIG_UNDECLARED] = generate_one_in(g, 6);
        ret->v[CONFIG_OBSERVE_ONLY] = generate_one_in(g, 20);
        ret->v[CONFIG_WRITES] = g->writes;
        ret->v[CONFIG_EVICTS] = g->evicts;
    } else if (n <= g->queues) {
        *ret = generate_queue(g, NAME_FIRST + n - 1);
    } else if (n <= g->queues + FLAVORS) {
        *ret = step_of(STEP_FLAVOR, n - g->queues - 1);
        ret->v[FLAVOR_LABELLED] = generate_one_in(g, 3);
        ret->v[FLAVOR_TOLERATED] = generate_one_in(g, 6);
    } else if (n <= g->queues + FLAVORS + 2) {
        *ret = any_node(g);
    } else if (n == g->queues + FLAVORS + 3) {
        *ret = step_make(STEP_SYNCED);
    } else if (n == g->queues + FLAVORS + 4) {
        *ret = step_of(STEP_LEADER, 1);
    } else {
        return false;
    }
    return true;
}

static struct step any_time_step(struct generator *g)
{
    int64_t time = generate_one_in(g, 12) ? 61 * SECOND : generate_below(g, 3) * SECOND / 2;

    if (g->patient && generate_one_in(g, 4))
        time = (5 + generate_below(g, 60) * 5) * SECOND;
    return step_of(STEP_TIME, time);
}

static struct step any_rare_step(struct generator *g, const struct model *model)
{
    struct step step;

    if (g->restarts && generate_one_in(g, 4)) {
        step = step_of(STEP_RESTART, 1 + generate_below(g, 1000));
    } else if (g->loses_lead && generate_one_in(g, 3)) {
        step = step_of(STEP_LEADER, !model->leads);
    } else if (g->edits_queues && generate_one_in(g, 3)) {
        step = step_make(STEP_LOSE_QUEUE);
        step.v[QUEUE_KIND] = generate_kind(g);
        step.v[QUEUE_NAME] = generate_queue_name(g);
    } else if (g->groups > 0 && !generate_one_in(g, 3)) {
        step = any_group(g, model);
    } else if (generate_one_in(g, 2)) {
        step = any_flavor(g);
    } else {
        step = any_node(g);
    }
    return step;
}

/* A message once more, unless it takes a pod from its node: nothing does that. */
static bool once_more(struct generator *g, const struct model *model, struct step *ret)
{
    *ret = g->old[generate_below(g, 8)];
    return (ret->kind != STEP_SEE && ret->kind != STEP_ENQUEUE) || ret->v[POD_NODE] > 0 ||
           !model->claims[ret->v[POD_UID]].bound;
}

struct step generator_next(struct generator *g, int n, const struct model *model)
{
    struct step step;

    if (begin(g, n, &step))
        return step;
    if (g->writes && generate_one_in(g, 4) && generate_writes(g, model, &step))
        return step;
    switch (generate_below(g, 20)) {
    case 0:
        step = any_time_step(g);
        break;
    case 1:
        step = g->edits_queues ? generate_queue_edit(g, model) : generate_pod_step(g, model);
        break;
    case 2:
    case 5:
        step = generate_effect(g, model);
        break;
    case 3:
        if (!model->leads || generate_one_in(g, g->groups > 0 ? 2 : 4)) {
            step = any_rare_step(g, model);
            break;
        }
        step = generate_pod_step(g, model);
        break;
    case 4:
        if (g->resends && generate_one_in(g, 4) && once_more(g, model, &step))
            return step;
        step = generate_pod_step(g, model);
        break;
    default:
        step = generate_pod_step(g, model);
        break;
    }
    if (step.kind <= STEP_QUEUE && generate_one_in(g, 4))
        g->old[generate_below(g, 8)] = step;
    return step;
}
