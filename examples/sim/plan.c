/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/plan.h"

#include <stdlib.h>
#include <string.h>

#include "examples/sim/plan_arrive.h"
#include "examples/sim/run.h"

enum { SCRATCH = 4096 };

static const char *const resource_names[PLANNED_AMOUNTS] = {"cpu", "nvidia.com/gpu"};

/* Since then, as far as the plan measures. */
static double measured_hours(const struct sim *sim, int64_t since)
{
    int64_t begin = since > sim->plan->from ? since : sim->plan->from;

    return sim->clock.now > begin ? (double)(sim->clock.now - begin) / (double)HOUR : 0;
}

/* Up to now what the queue uses is as it was. */
static void settle(const struct sim *sim, struct planned_queue *queue)
{
    double passed = measured_hours(sim, queue->since);

    for (int i = 0; i < PLANNED_AMOUNTS; i++) {
        int64_t beyond = queue->using[i] - queue->deserved[i];
        queue->used[i] += (double)queue->using[i] * passed;
        if (queue->deserved[i] > 0 && beyond > 0)
            queue->borrowed[i] += (double)beyond * passed;
    }
    queue->since = sim->clock.now;
}

static void use(const struct sim *sim, const struct planned *planned, int sign)
{
    struct planned_queue *queue = planned->queue;

    settle(sim, queue);
    for (int i = 0; i < PLANNED_AMOUNTS; i++)
        queue->using[i] += sign * planned->uses[i];
}

/* What a ClusterQueue has of its own: the nominal quotas of all flavors together. */
static void add_nominal(struct fault *none, const struct tree *group, int64_t *deserved)
{
    const struct tree *flavors = tree_list(none, group, "flavors");

    for (size_t f = 0; flavors && f < flavors->count; f++) {
        const struct tree *all = tree_list(none, flavors->pairs[f].value, "resources");
        for (size_t i = 0; all && i < all->count; i++) {
            const struct tree *one = all->pairs[i].value;
            const struct tree *quota = tree_get(one, "nominalQuota");
            for (int k = 0; quota && k < PLANNED_AMOUNTS; k++)
                if (strcmp(tree_text(none, one, "name", ""), resource_names[k]) == 0)
                    deserved[k] += resources_amount(none, quota, resource_names[k]);
        }
    }
}

static void read_deserved(struct sim *sim, struct planned_queue *queue)
{
    struct fault none = {0};
    bool is_volcano;
    const struct tree *doc = plan_queue_document(sim, queue->name, &is_volcano);
    struct resources deserved = {0};

    if (!is_volcano) {
        const struct tree *all = tree_list(&none, tree_get(doc, "spec"), "resourceGroups");
        for (size_t i = 0; all && i < all->count; i++)
            add_nominal(&none, all->pairs[i].value, queue->deserved);
        return;
    }
    resources_read(&sim->arena, &none, tree_find(doc, "spec/deserved"), &deserved);
    for (int i = 0; i < PLANNED_AMOUNTS; i++)
        queue->deserved[i] = resources_get(&deserved, resource_names[i]);
}

static struct planned_queue *queue_of(struct sim *sim, const char *name)
{
    struct planned_queue *queue = map_get(&sim->plan->queues, name);

    if (queue)
        return queue;
    queue = arena_get(&sim->arena, sizeof(*queue));
    queue->name = name;
    queue->since = sim->clock.now;
    map_put(&sim->plan->queues, name, queue);
    read_deserved(sim, queue);
    return queue;
}

static void begin_to_measure(struct sim *sim, void *what)
{
    (void)what;
    sim->plan->bought_before = sim->autoscaler.bought;
}

void plan_start(struct sim *sim, struct plan *plan)
{
    sim->plan = plan;
    plan->scratch.chunk = SCRATCH;
    clock_at(&sim->clock, plan->trace->rows[0].at, plan_arrive, NULL);
    if (plan->from > 0)
        clock_at(&sim->clock, plan->from, begin_to_measure, NULL);
}

static void count_left(const struct planned *planned)
{
    if (planned && planned->counts && !planned->over && !planned->runs)
        planned->queue->left++;
}

bool plan_finish_story(struct sim *sim)
{
    const struct plan *plan = sim->plan;

    while (!sim->fault.is && sim->clock.now < plan->until &&
           (plan->next < plan->trace->count || plan->n_open > 0)) {
        int64_t at = sim->clock.now + MINUTE;
        if (!run_on(sim, at < plan->until ? at : plan->until))
            return false;
        sim->clock.now = at < plan->until ? at : plan->until;
    }
    for (size_t i = 0; i < sim->world.by_uid.count; i++)
        count_left(((struct pod *)sim->world.by_uid.entries[i].value)->planned);
    for (size_t i = 0; i < sim->workloads.by_ref.count; i++)
        count_left(((struct workload *)sim->workloads.by_ref.entries[i].value)->planned);
    for (size_t i = 0; i < plan->queues.count; i++)
        settle(sim, plan->queues.entries[i].value);
    plan_nodes(sim);
    return !sim->fault.is;
}

struct planned *plan_arrived(struct sim *sim, const struct trace_row *row)
{
    struct planned *planned = arena_get(&sim->arena, sizeof(*planned));
    int64_t pods = row->workload ? row->pods : 1;

    *planned = (struct planned){
        .queue = queue_of(sim, row->queue),
        .row = row,
        .uses = {[PLANNED_CPU] = pods * row->cpu, [PLANNED_GPU] = pods * row->gpu},
        .arrived = sim->clock.now,
        .counts = row->at >= sim->plan->from,
    };
    planned->queue->arrived += planned->counts;
    sim->plan->n_open++;
    return planned;
}

void plan_started(struct sim *sim, struct planned *planned)
{
    if (!planned)
        return;
    struct planned_queue *queue = planned->queue;
    if (planned->counts) {
        queue->waits = array_room(queue->waits, queue->n_waits, &queue->cap, sizeof(*queue->waits));
        queue->waits[queue->n_waits++] = sim->clock.now - planned->arrived;
    }
    planned->runs = true;
    planned->started = sim->clock.now;
    use(sim, planned, 1);
}

void plan_stopped(struct sim *sim, struct planned *planned)
{
    if (!planned)
        return;
    if (planned->runs)
        use(sim, planned, -1);
    planned->runs = false;
    planned->arrived = sim->clock.now;
    planned->queue->evictions += planned->counts;
}

bool plan_over(struct sim *sim, struct planned *planned)
{
    if (!planned || planned->over)
        return false;
    if (planned->runs)
        use(sim, planned, -1);
    planned->over = true;
    planned->runs = false;
    sim->plan->n_open--;
    sim->plan->ended = sim->clock.now;
    return true;
}

void plan_nodes(struct sim *sim)
{
    struct plan *plan = sim->plan;

    if (!plan)
        return;
    plan->node_hours += (double)plan->nodes_counted * measured_hours(sim, plan->nodes_since);
    plan->nodes_since = sim->clock.now;
    plan->nodes_counted = sim->world.n_machines;
}

void plan_finish(struct plan *plan)
{
    for (size_t i = 0; i < plan->queues.count; i++)
        free(((struct planned_queue *)plan->queues.entries[i].value)->waits);
    map_finish(&plan->queues);
    map_finish(&plan->templates);
    arena_finish(&plan->scratch);
}
