/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_generate.h"

static int below(struct workload_generator *g, int n)
{
    return random_below(&g->random, n);
}

static bool one_in(struct workload_generator *g, int n)
{
    return random_one_in(&g->random, n);
}

void workload_generator_init(struct workload_generator *g, uint64_t seed)
{
    *g = (struct workload_generator){.random.state = seed};
    g->queues = 1 + below(g, 6);
    g->cohorts = below(g, 4);
    g->resources = 1 + below(g, RESOURCES - 1);
    g->flavors = 1 + below(g, FLAVORS);
    g->locals = 1 + below(g, LOCALS);
    g->workloads = 2 + below(g, WORKLOADS - 1);
    g->checks = one_in(g, 2) ? 0 : 1 + below(g, CHECKS);
    g->largest = 2 + below(g, 8);
    g->priorities = 1 + below(g, 4);
    g->edits = one_in(g, 2);
    g->restarts = one_in(g, 3);
    g->loses_lead = one_in(g, 4);
    g->late = one_in(g, 2);
    g->gates = !one_in(g, 3);
    g->patient = one_in(g, 3);
    g->sets = one_in(g, 3);
    g->often_calm = one_in(g, 2);
    g->begins = true;
}

static int64_t amount(struct workload_generator *g)
{
    return one_in(g, 10) ? 0 : 1 + below(g, g->largest);
}

static void any_order(struct workload_generator *g, struct step *step, int group)
{
    int order[FLAVORS] = {1, 2, 3}, count = 1 + below(g, g->flavors);

    for (int n = FLAVORS - 1; n > 0; n--) {
        int other = below(g, n + 1), was = order[n];

        order[n] = order[other];
        order[other] = was;
    }
    for (int n = 0; n < count; n++)
        step->v[QUEUE_ORDER + group] = step->v[QUEUE_ORDER + group] * 10 + order[n];
}

static void any_quota(struct workload_generator *g, struct step *step)
{
    bool split = one_in(g, 3);

    for (int r = 0; r < RESOURCES; r++)
        if (r < g->resources || (r == RESOURCES - 1 && one_in(g, 4)))
            step->v[QUEUE_GROUP + r] = one_in(g, 15) ? 0 : 1 + (split && one_in(g, 2));
    for (int group = 0; group < 2; group++)
        any_order(g, step, group);
    for (int cell = 0; cell < FLAVORS * RESOURCES; cell++) {
        step->v[QUEUE_NOMINAL + cell] = amount(g) * (1 + below(g, 3));
        step->v[QUEUE_BORROWING + cell] = one_in(g, 4) ? amount(g) : UNSAID;
        step->v[QUEUE_LENDING + cell] = one_in(g, 4) ? amount(g) : UNSAID;
    }
}

/* Cohorts have lower names than what is in them, but sometimes not. */
static struct step any_queue(struct workload_generator *g, enum queue_kind kind, int name)
{
    struct step step = step_make(STEP_QUEUE);
    int most = kind == QUEUE_COHORT && !one_in(g, 30) ? name - NAME_FIRST : g->cohorts;

    step.v[QUEUE_KIND] = kind;
    step.v[QUEUE_NAME] = name;
    if (most > 0 && !one_in(g, 5))
        step.v[QUEUE_PARENT] = 1 + NAME_FIRST + below(g, most);
    if (kind == QUEUE_CLUSTER || one_in(g, 2))
        any_quota(g, &step);
    if (kind != QUEUE_CLUSTER)
        return step;
    step.v[QUEUE_STRICT] = one_in(g, 3);
    step.v[QUEUE_STOP] = one_in(g, g->begins ? 30 : 8) ? 1 + below(g, 2) : 0;
    step.v[QUEUE_WITHIN] = below(g, PREEMPT_ANY);
    step.v[QUEUE_RECLAIM] = one_in(g, 3) ? PREEMPT_ANY : below(g, 2);
    step.v[QUEUE_BORROWS] = one_in(g, 2) ? 0 : below(g, 3);
    step.v[QUEUE_BORROWS_LAST] = one_in(g, 2);
    step.v[QUEUE_PREEMPTS_LAST] = one_in(g, 2);
    step.v[QUEUE_BORROWS_LEAST] = one_in(g, 3);
    for (int n = 0; n < g->checks; n++)
        if (one_in(g, 2))
            step.v[QUEUE_CHECKS + n] = one_in(g, 2) ? 1 : 2 + below(g, g->flavors);
    return step;
}

static struct step any_named_queue(struct workload_generator *g)
{
    if (g->cohorts > 0 && one_in(g, 3))
        return any_queue(g, QUEUE_COHORT, NAME_FIRST + below(g, g->cohorts));
    return any_queue(g, QUEUE_CLUSTER, NAME_FIRST + below(g, g->queues));
}

static struct step any_flavor(struct workload_generator *g, int number)
{
    struct step step = step_of(STEP_FLAVOR, number);

    step.v[FLAVOR_LABELLED] = !one_in(g, 3);
    step.v[FLAVOR_TAINTED] = one_in(g, 6);
    return step;
}

static struct step any_local(struct workload_generator *g, int number)
{
    struct step step = step_of(STEP_LOCAL, number);

    step.v[LOCAL_QUEUE] = NAME_FIRST + below(g, g->queues + one_in(g, 20));
    step.v[LOCAL_STOP] = one_in(g, g->begins ? 30 : 5) ? 1 + below(g, 2) : 0;
    step.v[LOCAL_UNSELECTED] = one_in(g, 20);
    return step;
}

static struct step any_check(struct workload_generator *g, int number)
{
    struct step step = step_of(STEP_CHECK, number);

    step.v[CHECK_INACTIVE] = one_in(g, g->begins ? 20 : 4);
    return step;
}

/* How a history begins: step n, until false. */
static bool begin(struct workload_generator *g, int n, struct step *ret)
{
    if (n == 0) {
        *ret = step_make(STEP_CONFIG);
        ret->v[CONFIG_ADMITS] = 1;
        ret->v[CONFIG_GATES] = g->gates && !one_in(g, 8);
        return true;
    }
    if (--n < g->flavors) {
        *ret = any_flavor(g, n);
        return true;
    }
    if ((n -= g->flavors) < g->checks) {
        *ret = any_check(g, n);
        return true;
    }
    if ((n -= g->checks) < g->cohorts) {
        *ret = any_queue(g, QUEUE_COHORT, NAME_FIRST + n);
        return true;
    }
    if ((n -= g->cohorts) < g->queues) {
        *ret = any_queue(g, QUEUE_CLUSTER, NAME_FIRST + n);
        return true;
    }
    if ((n -= g->queues) < g->locals) {
        *ret = any_local(g, n);
        if (n < g->queues)
            ret->v[LOCAL_QUEUE] = NAME_FIRST + n;
        return true;
    }
    if ((n -= g->locals) < 2) {
        *ret = step_of(n == 0 ? STEP_SYNCED : STEP_LEADER, 1);
        g->begins = n == 0;
        return true;
    }
    return false;
}

static struct step any_workload(struct workload_generator *g, const struct workload_play *play)
{
    int number = below(g, g->workloads);
    struct step step = step_of(STEP_WORKLOAD, number);

    step.v[WORKLOAD_OBJECT] = play->world.objects[number].object;
    if (one_in(g, 12))
        step.v[WORKLOAD_OBJECT] = one_in(g, 2);
    step.v[WORKLOAD_CREATED] = one_in(g, 3) ? 5 : 1 + below(g, 20);
    step.v[WORKLOAD_PRIORITY] = below(g, g->priorities);
    step.v[WORKLOAD_LOCAL] = below(g, g->locals);
    step.v[WORKLOAD_INACTIVE] = one_in(g, 12);
    step.v[WORKLOAD_YIELDS] = one_in(g, 8);
    step.v[WORKLOAD_GATES] = g->gates && one_in(g, 2) ? 1 + below(g, WORKLOAD_MOST_GATES) : 0;
    step.v[WORKLOAD_UNSUPPORTED] = one_in(g, 40);
    for (int s = 0; s < (g->sets && one_in(g, 2) ? 2 : 1); s++) {
        step.v[WORKLOAD_COUNT + s] = 1 + (one_in(g, 2) ? below(g, 4) : 0);
        step.v[WORKLOAD_MINIMUM + s] = one_in(g, 3) ? 1 + below(g, 4) : 0;
        for (int r = 0; r < g->resources; r++)
            if (!one_in(g, 5))
                step.v[WORKLOAD_ASKS + s * (RESOURCES - 1) + r] = amount(g);
        step.v[WORKLOAD_SELECTS + s] = one_in(g, 8) ? 1 + below(g, g->flavors) : 0;
        step.v[WORKLOAD_TOLERATES + s] = !one_in(g, 4);
    }
    step.v[WORKLOAD_LATE] = g->late && one_in(g, 4);
    return step;
}

static int a_workload(struct workload_generator *g, const struct workload_play *play)
{
    int number = below(g, g->workloads);

    for (int n = 0; n < WORKLOADS && !play->world.objects[number].is; n++)
        number = (number + 1) % g->workloads;
    return number;
}

static struct step any_touch(struct workload_generator *g, const struct workload_play *play)
{
    static const enum touch deeds[] = {TOUCH_OPEN,   TOUCH_OPEN,    TOUCH_CLOSE,  TOUCH_STOP,
                                       TOUCH_STOP,   TOUCH_ANSWER,  TOUCH_ANSWER, TOUCH_ANSWER,
                                       TOUCH_FINISH, TOUCH_REMOVE,  TOUCH_DELETE, TOUCH_STRAY,
                                       TOUCH_EVICT,  TOUCH_RESERVE, TOUCH_SIGNAL};
    int number = a_workload(g, play);
    const struct workload_object *object = &play->world.objects[number];
    struct step step = step_of(STEP_TOUCH, number);

    step.v[TOUCH_WHAT] = deeds[below(g, sizeof(deeds) / sizeof(deeds[0]))];
    if (step.v[TOUCH_WHAT] == TOUCH_OPEN || step.v[TOUCH_WHAT] == TOUCH_CLOSE)
        step.v[TOUCH_WHICH] = below(g, object->gate_count > 0 ? object->gate_count : 1);
    if (step.v[TOUCH_WHAT] == TOUCH_ANSWER) {
        step.v[TOUCH_WHICH] = below(g, g->checks > 0 ? g->checks : 1);
        step.v[TOUCH_STATE] = one_in(g, 2) ? 1 : below(g, 4) + (one_in(g, 3) ? 4 : 0);
    }
    if (step.v[TOUCH_WHAT] == TOUCH_RESERVE) {
        step.v[TOUCH_WHICH] = below(g, g->flavors);
        step.v[TOUCH_STATE] = NAME_FIRST + below(g, g->queues);
    }
    if (step.v[TOUCH_WHAT] == TOUCH_SIGNAL)
        step.v[TOUCH_STATE] = one_in(g, 2);
    step.v[TOUCH_LATE] = g->late && one_in(g, 4);
    return step;
}

/* Another engine is what most edits are made for: so it is an edit of one thing mostly. */
static struct step edit_queue(struct workload_generator *g, const struct workload_play *play)
{
    struct step fresh = any_named_queue(g), step;
    int kind = (int)fresh.v[QUEUE_KIND], name = (int)fresh.v[QUEUE_NAME];

    if (one_in(g, 12)) {
        step = step_make(STEP_LOSE_QUEUE);
        step.v[QUEUE_KIND] = kind;
        step.v[QUEUE_NAME] = name;
        return step;
    }
    if (!play->scenery.queues[kind][name].is || one_in(g, 4))
        return fresh;
    step = play->scenery.queues[kind][name].step;
    for (int n = QUEUE_PARENT; n < QUEUE_FIELDS; n++)
        if (one_in(g, 6) && (n < QUEUE_GROUP || n >= QUEUE_NOMINAL))
            step.v[n] = fresh.v[n];
    if (one_in(g, 2))
        step.v[QUEUE_STOP] = fresh.v[QUEUE_STOP];
    return step;
}

static struct step edit_scenery(struct workload_generator *g, const struct workload_play *play)
{
    switch (below(g, 8)) {
    case 0:
        if (!one_in(g, 3))
            return any_flavor(g, below(g, g->flavors));
        return step_of(STEP_LOSE_FLAVOR, below(g, g->flavors));
    case 1:
        if (g->checks == 0 || !one_in(g, 3))
            return any_check(g, below(g, g->checks > 0 ? g->checks : CHECKS));
        return step_of(STEP_LOSE_CHECK, below(g, g->checks));
    case 2:
    case 3:
        if (!one_in(g, 5))
            return any_local(g, below(g, g->locals));
        return step_of(STEP_LOSE_LOCAL, below(g, g->locals));
    default:
        return edit_queue(g, play);
    }
}

static struct step any_carry(struct workload_generator *g, const struct workload_play *play)
{
    struct step step = step_make(STEP_CARRY);
    int number = below(g, WORKLOADS);

    for (int n = 0; n < WORKLOADS && !play->requests[number].is; n++)
        number = (number + 1) % WORKLOADS;
    step.v[CARRY_NUMBER] = number;
    step.v[CARRY_RESULT] = one_in(g, 3) ? below(g, CARRIES) : CARRY_DONE;
    step.v[CARRY_LATE] = g->late && one_in(g, 3);
    return step;
}

struct step workload_generator_next(struct workload_generator *g, int n,
                                    const struct workload_play *play)
{
    struct step step;
    int dice;

    if (begin(g, n, &step))
        return step;
    dice = below(g, 100);
    if (g->loses_lead && one_in(g, play->model.leads ? 40 : 6))
        return step_of(STEP_LEADER, !play->model.leads);
    if (g->restarts && one_in(g, 40))
        return step_of(STEP_RESTART, 0);
    if (g->edits && one_in(g, 10))
        return edit_scenery(g, play);
    if (dice < 25)
        return any_workload(g, play);
    if (dice < 45)
        return any_touch(g, play);
    if (dice < 58)
        return step_of(STEP_LEASE, 1 + below(g, 3));
    if (dice < 75)
        return any_carry(g, play);
    if (dice < (g->often_calm ? 90 : 78))
        return step_make(STEP_CALM);
    if (dice < 94) {
        step = step_of(STEP_SIGHT, below(g, g->workloads));
        step.v[SIGHT_OLD] = one_in(g, 3);
        return step;
    }
    return step_of(STEP_TIME, g->patient && one_in(g, 3) ? below(g, 90) * SECOND
                                                         : below(g, 3000) * (SECOND / 1000));
}
