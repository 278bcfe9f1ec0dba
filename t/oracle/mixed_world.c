/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/drive.h"
#include "t/oracle/mixed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TICKS = 2000 };

int mixed_below(struct mixed *mixed, int n)
{
    return random_below(&mixed->random, n);
}

bool mixed_one_in(struct mixed *mixed, int n)
{
    return random_one_in(&mixed->random, n);
}

void mixed_rest(struct mixed *mixed)
{
    for (int n = 0; engine_more(mixed->engine) && mixed->broken[0] == '\0'; n++) {
        if (n == MOST_TICKS)
            differ(mixed->broken, "it never has nothing to do");
        engine_tick(mixed->engine);
    }
}

/* Objects that come and change without a host's doing. */
void mixed_call(struct mixed *mixed, const struct step *step)
{
    struct answer answer;

    if (mixed->trace) {
        printf("# ");
        step_print(stdout, step);
    }
    if (drive(mixed->engine, step, &answer) < 0)
        differ(mixed->broken, "an error from a call that has what it needs");
    mixed_rest(mixed);
}

void mixed_show_pod(struct mixed *mixed, int n)
{
    const struct mixed_pod *pod = &mixed->pods[n];
    struct step step = step_of(pod->is ? STEP_SEE : STEP_LOSE, n);

    if (pod->is) {
        step.v[POD_CREATED] = pod->created;
        step.v[POD_PRIORITY] = pod->priority;
        step.v[POD_OPTED_IN] = step.v[POD_KIND] = 1;
        step.v[POD_QUEUE] = 1 + NAME_FIRST + pod->queue;
        for (int r = 0; r < MIXED_RESOURCES; r++)
            step.v[POD_REQUEST + r] = pod->asks[r];
        step.v[POD_NODE] = pod->bound;
        step.v[POD_DELETED] = pod->deleted;
        step.v[POD_GROUP] = pod->member ? 1 + MIXED_NATIVE : 0;
    }
    mixed_call(mixed, &step);
}

void mixed_show_group(struct mixed *mixed)
{
    const struct mixed_group *group = &mixed->group;
    struct step step = step_of(group->is ? STEP_GROUP : STEP_LOSE_GROUP, MIXED_NATIVE);

    if (group->is) {
        step.v[GROUP_CREATED] = group->created;
        step.v[GROUP_MINIMUM] = group->minimum;
        step.v[GROUP_PRIORITY] = group->priority;
        step.v[GROUP_GOES_WHOLE] = group->whole;
    }
    mixed_call(mixed, &step);
}

void mixed_show_workload(struct mixed *mixed, int n)
{
    const struct workload_object *object = &mixed->world.objects[n];

    if (mixed->trace)
        printf("# workload %d: is %d version %" PRId64 " priority %d local %d asks %" PRId64
               " %" PRId64 " x%d reserved %d evicted %d stopped %d\n",
               n, object->is, object->version, object->priority, object->local,
               object->sets[0].asks[0], object->sets[0].asks[1], object->sets[0].count,
               object->conditions[CONDITION_RESERVED].is_true,
               object->conditions[CONDITION_EVICTED].is_true, object->job_stopped);
    if (workload_world_show(mixed->engine, object) < 0)
        differ(mixed->broken, "an error from a call that has what it needs");
    mixed_rest(mixed);
}

static struct step any_node(struct mixed *mixed, int node)
{
    bool cohort = node < MIXED_COHORTS;
    struct step step = step_make(STEP_QUEUE);
    int64_t *v = step.v;

    v[QUEUE_KIND] = cohort ? QUEUE_COHORT : QUEUE_CLUSTER;
    v[QUEUE_NAME] = NAME_FIRST + node;
    v[QUEUE_GROUP] = v[QUEUE_GROUP + 1] = 1;
    v[QUEUE_ORDER] = mixed_one_in(mixed, 2) ? 12 : 21;
    if (cohort)
        v[QUEUE_PARENT] = node > 0 && mixed_one_in(mixed, 2) ? 1 + NAME_FIRST : 0;
    else if (!mixed_one_in(mixed, 6))
        v[QUEUE_PARENT] = 1 + NAME_FIRST + mixed_below(mixed, MIXED_COHORTS);
    for (int cell = 0; cell < MIXED_FLAVORS * RESOURCES; cell++) {
        if (cell % RESOURCES >= MIXED_RESOURCES)
            continue;
        v[QUEUE_NOMINAL + cell] = cohort ? mixed_below(mixed, 3) : mixed_below(mixed, 9);
        v[QUEUE_BORROWING + cell] = mixed_one_in(mixed, 3) ? mixed_below(mixed, 8) : UNSAID;
        v[QUEUE_LENDING + cell] = mixed_one_in(mixed, 3) ? mixed_below(mixed, 6) : UNSAID;
    }
    if (cohort)
        return step;
    v[QUEUE_WITHIN] = mixed_below(mixed, 3);
    v[QUEUE_RECLAIM] = mixed_one_in(mixed, 3)   ? PREEMPT_NEVER
                       : mixed_one_in(mixed, 2) ? PREEMPT_LOWER
                                                : PREEMPT_ANY;
    v[QUEUE_BORROWS] = v[QUEUE_RECLAIM] == PREEMPT_NEVER ? 0 : mixed_below(mixed, 3);
    v[QUEUE_STRICT] = mixed_one_in(mixed, 3);
    v[QUEUE_STOP] = mixed_one_in(mixed, 15);
    v[QUEUE_BORROWS_LAST] = mixed_one_in(mixed, 2);
    v[QUEUE_PREEMPTS_LAST] = mixed_one_in(mixed, 2);
    v[QUEUE_BORROWS_LEAST] = mixed_one_in(mixed, 4);
    return step;
}

void mixed_edit_node(struct mixed *mixed, int node)
{
    mixed->nodes[node] = any_node(mixed, node);
    mixed_call(mixed, &mixed->nodes[node]);
}

static void show_scenery(struct mixed *mixed)
{
    for (int flavor = 0; flavor < MIXED_FLAVORS; flavor++) {
        const struct step step = step_of(STEP_FLAVOR, flavor);

        mixed_call(mixed, &step);
    }
    for (int node = 0; node < MIXED_NODES; node++)
        mixed_call(mixed, &mixed->nodes[node]);
    for (int n = 0; n < MIXED_QUEUES; n++) {
        struct step step = step_of(STEP_LOCAL, n);

        step.v[LOCAL_QUEUE] = NAME_FIRST + MIXED_COHORTS + n;
        mixed_call(mixed, &step);
    }
}

/* An engine that knows nothing is shown all that there is, and leads. */
void mixed_begin(struct mixed *mixed)
{
    struct step config = step_make(STEP_CONFIG), synced = step_make(STEP_SYNCED);

    config.v[CONFIG_ADMITS] = config.v[CONFIG_EVICTS] = 1;
    if (supply_open(&mixed->supply, &config, &mixed->engine) != NULL)
        abort();
    engine_set_time(mixed->engine, mixed->now);
    memset(mixed->requests, 0, sizeof(mixed->requests));
    memset(mixed->was_promised, 0, sizeof(mixed->was_promised));
    mixed->synced = false;
    show_scenery(mixed);
    if (mixed->group.is)
        mixed_show_group(mixed);
    for (int n = 0; n < MIXED_PODS; n++)
        if (mixed->pods[n].is)
            mixed_show_pod(mixed, n);
    for (int n = 0; n < MIXED_WORKLOADS; n++)
        if (mixed->world.objects[n].is)
            mixed_show_workload(mixed, n);
    mixed_call(mixed, &synced);
    mixed->synced = mixed->leads = true;
    engine_set_leader(mixed->engine, true);
    mixed_rest(mixed);
}

void mixed_open(struct mixed *mixed)
{
    supply_init(&mixed->supply, false);
    mixed->world.now = mixed->now = 1000 * SECOND;
    mixed->remakes = mixed_one_in(mixed, 2);
    mixed->most = 2 + mixed_below(mixed, 9);
    mixed->group = (struct mixed_group){.queue = MIXED_COHORTS, .priority = UNSAID};
    for (int node = 0; node < MIXED_NODES; node++)
        mixed->nodes[node] = any_node(mixed, node);
    mixed_begin(mixed);
}

void mixed_close(struct mixed *mixed)
{
    engine_destroy(mixed->engine);
    mixed->engine = NULL;
    if (mixed->supply.bytes != 0)
        differ(mixed->broken, "the engine leaks %zu bytes", mixed->supply.bytes);
}
