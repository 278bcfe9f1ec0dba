/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/groups.h"
#include "examples/sim/podlife.h"
#include "examples/sim/run.h"
#include "examples/sim/score.h"

#define LOCAL_QUEUE "localqueue/"

static const char *const resource_names[PLANNED_AMOUNTS] = {"cpu", "nvidia.com/gpu"};

static double hours(int64_t length)
{
    return (double)length / (double)HOUR;
}

/* Up to now what the queue uses is as it was. */
static void settle(const struct sim *sim, struct planned_queue *queue)
{
    double passed = hours(sim->clock.now - queue->since);

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
    queue->using[PLANNED_CPU] += sign * planned->row->cpu;
    queue->using[PLANNED_GPU] += sign * planned->row->gpu;
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
    bool is_local = strncmp(queue->name, LOCAL_QUEUE, strlen(LOCAL_QUEUE)) == 0;
    const char *name = is_local ? queue->name + strlen(LOCAL_QUEUE) : queue->name;
    const struct tree *doc = world_document(sim, is_local ? "localqueue" : "queue", name);
    struct resources deserved = {0};

    if (!doc)
        fault_say(&sim->fault, NULL,
                  "the trace's queue %s does not exist when its first pod arrives", queue->name);
    if (is_local) {
        doc = world_document(sim, "clusterqueue",
                             tree_text(&none, tree_get(doc, "spec"), "clusterQueue", ""));
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

/* The document of a row's pods: rows that ask for the same have the same one. */
static const struct tree *document_of(struct sim *sim, const struct trace_row *row,
                                      const char *group)
{
    bool is_local = strncmp(row->queue, LOCAL_QUEUE, strlen(LOCAL_QUEUE)) == 0;
    char gpu[64] = "", member[128] = "", text[1400];

    if (row->gpu > 0)
        snprintf(gpu, sizeof(gpu), ", nvidia.com/gpu: %" PRId64, row->gpu);
    if (*group)
        snprintf(member, sizeof(member), ", scheduling.k8s.io/group-name: %s", group);
    snprintf(
        text, sizeof(text),
        "{metadata: {annotations: {scheduling.volcano.sh/queue-allocation-gate: \"true\"%s%s%s}"
        "%s%s%s}, spec: {priority: %" PRId64 ", terminationGracePeriodSeconds: 0, containers: "
        "[{name: c, resources: {requests: {cpu: %" PRId64 "m, memory: %" PRId64 "%s}}}]}}",
        is_local ? "" : ", scheduling.volcano.sh/queue-name: ", is_local ? "" : row->queue, member,
        is_local ? ", labels: {kueue.x-k8s.io/queue-name: " : "",
        is_local ? row->queue + strlen(LOCAL_QUEUE) : "", is_local ? "}" : "", row->priority,
        row->cpu, row->memory, gpu);
    const struct tree *known = map_get(&sim->plan->templates, text);
    if (known)
        return known;
    char *key = arena_copy(&sim->arena, text);
    const struct tree *list = tree_parse(&sim->arena, "a trace", key, strlen(key), &sim->fault);
    const struct tree *doc = list ? list->pairs[0].value : NULL;
    if (doc && !*group)
        map_put(&sim->plan->templates, key, (void *)(uintptr_t)doc);
    return doc;
}

static void make_group(struct sim *sim, const struct trace_row *row, const char *name)
{
    char text[600];

    snprintf(text, sizeof(text),
             "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: %s}, "
             "spec: {minMember: %" PRId64 ", queue: %s}}",
             name, row->pods, row->queue);
    const struct tree *list = tree_parse(&sim->arena, "a trace", text, strlen(text), &sim->fault);
    if (list)
        world_apply(sim, NULL, list->pairs[0].value,
                    arena_format(&sim->arena, "podgroup/%s", name));
}

/* A pod arrives; one that was evicted does so again, with all of its time before it. */
static void arrive(struct sim *sim, const struct trace_row *row, const char *ref, const char *group)
{
    const struct tree *doc = document_of(sim, row, group);
    struct planned_queue *queue = queue_of(sim, row->queue);

    if (sim->fault.is || !doc)
        return;
    podlife_create(sim, NULL, tree_get(doc, "metadata"), tree_get(doc, "spec"), ref, "");
    struct pod *pod = world_pod(sim, ref);
    if (!pod)
        return;
    pod->planned = arena_get(&sim->arena, sizeof(*pod->planned));
    *pod->planned = (struct planned){.queue = queue, .row = row, .arrived = sim->clock.now};
    pod->runs_for = row->runs_for > 0 ? row->runs_for : 1;
    queue->arrived++;
    sim->plan->n_open++;
}

static void arrive_next(struct sim *sim, void *what)
{
    struct plan *plan = sim->plan;
    const struct trace *trace = plan->trace;

    (void)what;
    while (plan->next < trace->count && trace->rows[plan->next].at <= sim->clock.now) {
        const struct trace_row *row = &trace->rows[plan->next];
        char group[32] = "";
        if (row->gang && row->pods > 1) {
            snprintf(group, sizeof(group), "t-%zu", plan->next);
            make_group(sim, row, group);
        }
        for (int64_t i = 0; i < row->pods; i++) {
            const char *ref = arena_format(&sim->arena, "pod/t-%zu-%" PRId64, plan->next, i);
            arrive(sim, row, ref, group);
            if (plan->score && !sim->fault.is && (i == 0 || !*group))
                score_follow(sim, world_pod(sim, ref));
        }
        plan->next++;
    }
    if (plan->next < trace->count)
        clock_at(&sim->clock, trace->rows[plan->next].at, arrive_next, NULL);
}

void plan_start(struct sim *sim, struct plan *plan)
{
    sim->plan = plan;
    clock_at(&sim->clock, plan->trace->rows[0].at, arrive_next, NULL);
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
    for (size_t i = 0; i < sim->world.by_uid.count; i++) {
        struct pod *pod = sim->world.by_uid.entries[i].value;
        if (pod->planned && !pod->planned->over && !pod->planned->runs)
            pod->planned->queue->left++;
    }
    for (size_t i = 0; i < plan->queues.count; i++)
        settle(sim, plan->queues.entries[i].value);
    plan_nodes(sim);
    return !sim->fault.is;
}

void plan_bound(struct sim *sim, struct pod *pod)
{
    struct planned *planned = pod->planned;

    if (!planned)
        return;
    struct planned_queue *queue = planned->queue;
    queue->waits = array_room(queue->waits, queue->n_waits, &queue->cap, sizeof(*queue->waits));
    queue->waits[queue->n_waits++] = sim->clock.now - planned->arrived;
    planned->runs = true;
    planned->started = sim->clock.now;
    use(sim, planned, 1);
}

/* It has no more to do: what it used is free. False: that is known already. */
static bool leave(struct sim *sim, struct planned *planned)
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

static void take_away(struct sim *sim, void *what)
{
    struct pod *pod = what;

    if (!pod->state->gone)
        podlife_delete(sim, pod);
}

void plan_ended(struct sim *sim, struct pod *pod)
{
    if (leave(sim, pod->planned))
        clock_at(&sim->clock, sim->clock.now + SECOND, take_away, pod);
}

static void arrive_again(struct sim *sim, void *what)
{
    const struct pod *pod = what;
    const char *group = pairs_get(&pod->state->annotations, "scheduling.k8s.io/group-name");

    arrive(sim, pod->planned->row, arena_format(&sim->arena, "%s-r", pod->ref), group ? group : "");
}

void plan_gone(struct sim *sim, struct pod *pod)
{
    if (!leave(sim, pod->planned))
        return;
    pod->planned->queue->evictions++;
    pod->planned->queue->arrived--; /* it comes again */
    clock_at(&sim->clock, sim->clock.now, arrive_again, pod);
}

void plan_nodes(struct sim *sim)
{
    struct plan *plan = sim->plan;

    if (!plan)
        return;
    plan->node_hours += (double)plan->nodes_counted * hours(sim->clock.now - plan->nodes_since);
    plan->nodes_since = sim->clock.now;
    plan->nodes_counted = sim->world.n_machines;
}

void plan_finish(struct plan *plan)
{
    for (size_t i = 0; i < plan->queues.count; i++)
        free(((struct planned_queue *)plan->queues.entries[i].value)->waits);
    map_finish(&plan->queues);
    map_finish(&plan->templates);
}
