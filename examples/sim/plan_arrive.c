/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/plan_arrive.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/podlife.h"
#include "examples/sim/score.h"

#define LOCAL_QUEUE "localqueue/"
#define CLUSTER_QUEUE "clusterqueue/"

/* What names a ClusterQueue has a LocalQueue made for it, in a namespace of its own. */
#define OWN_NAMESPACE "plan"

enum { GANG_NAME = 32 };

/* Where the objects of a row live, and by which LocalQueue they ask for room; local NULL: by none,
 * the queue is Volcano's. */
struct place {
    const char *namespace;
    const char *local;
};

static const char *behind(const char *text, const char *start)
{
    size_t len = strlen(start);

    return strncmp(text, start, len) == 0 ? text + len : NULL;
}

static struct place place_of(struct sim *sim, const char *queue)
{
    struct place place = {.namespace = "default"};
    const char *cluster_queue = behind(queue, CLUSTER_QUEUE);

    if (cluster_queue)
        return (struct place){.namespace = OWN_NAMESPACE, .local = cluster_queue};
    if (behind(queue, LOCAL_QUEUE))
        world_split(&sim->arena, queue, &place.namespace, &place.local);
    return place;
}

/* "pod/default/name" is pod/name. */
static const char *ref_of(struct sim *sim, const char *kind, const struct place *place,
                          const char *name)
{
    if (strcmp(place->namespace, "default") == 0)
        return arena_format(&sim->arena, "%s/%s", kind, name);
    return arena_format(&sim->arena, "%s/%s/%s", kind, place->namespace, name);
}

static const struct tree *parse(struct sim *sim, const char *text)
{
    const struct tree *list = tree_parse(&sim->arena, "a trace", text, strlen(text), &sim->fault);

    return list ? list->pairs[0].value : NULL;
}

static void make_local_queue(struct sim *sim, const char *cluster_queue, const char *ref)
{
    const struct tree *doc = parse(
        sim, arena_format(&sim->arena,
                          "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: "
                          "{name: %s, namespace: " OWN_NAMESPACE "}, spec: {clusterQueue: %s}}",
                          cluster_queue, cluster_queue));

    if (doc)
        world_apply(sim, NULL, doc, ref);
}

const struct tree *plan_queue_document(struct sim *sim, const char *queue, bool *ret_is_volcano)
{
    const char *local = behind(queue, LOCAL_QUEUE), *name = behind(queue, CLUSTER_QUEUE);
    struct fault none = {0};
    const struct tree *doc = NULL;

    *ret_is_volcano = !local && !name;
    if (local) {
        doc = world_document(sim, "localqueue", local);
        name = tree_text(&none, tree_get(doc, "spec"), "clusterQueue", "");
    }
    if (*ret_is_volcano)
        doc = world_document(sim, "queue", queue);
    else if (!local || doc)
        doc = world_document(sim, "clusterqueue", name);
    if (!doc)
        fault_say(&sim->fault, NULL,
                  "the trace's queue %s does not exist when its first pod arrives", queue);
    else if (!local && name)
        make_local_queue(sim, name,
                         arena_format(&sim->arena, "localqueue/" OWN_NAMESPACE "/%s", name));
    return doc;
}

/* What each of a row's pods asks for. */
static const char *pod_spec(struct sim *sim, const struct trace_row *row)
{
    char gpu[64] = "";

    if (row->gpu > 0)
        snprintf(gpu, sizeof(gpu), ", nvidia.com/gpu: %" PRId64, row->gpu);
    return arena_format(&sim->plan->scratch,
                        "{priority: %" PRId64 ", terminationGracePeriodSeconds: 0, containers: "
                        "[{name: c, resources: {requests: {cpu: %" PRId64 "m, memory: %" PRId64
                        "%s}}}]}",
                        row->priority, row->cpu, row->memory, gpu);
}

/* A document, of which rows that ask for the same have the same one. */
static const struct tree *template_of(struct sim *sim, const char *text)
{
    const struct tree *doc = map_get(&sim->plan->templates, text);

    if (doc)
        return doc;
    char *key = arena_copy(&sim->arena, text);
    doc = parse(sim, key);
    if (doc)
        map_put(&sim->plan->templates, key, (void *)(uintptr_t)doc);
    return doc;
}

static const struct tree *pod_document(struct sim *sim, const struct trace_row *row,
                                       const struct place *place, const char *gang)
{
    struct arena *scratch = &sim->plan->scratch;
    const char *member = "", *labels = "", *queue = "";

    if (*gang)
        member = arena_format(scratch, ", scheduling.k8s.io/group-name: %s", gang);
    if (place->local)
        labels = arena_format(scratch, ", labels: {kueue.x-k8s.io/queue-name: %s}", place->local);
    else
        queue = arena_format(scratch, ", scheduling.volcano.sh/queue-name: %s", row->queue);
    const char *text = arena_format(
        scratch,
        "{metadata: {annotations: {scheduling.volcano.sh/queue-allocation-gate: \"true\"%s%s}%s}, "
        "spec: %s}",
        queue, member, labels, pod_spec(sim, row));
    return *gang ? parse(sim, text) : template_of(sim, text);
}

static const struct tree *workload_document_of(struct sim *sim, const struct trace_row *row,
                                               const struct place *place)
{
    return template_of(
        sim, arena_format(&sim->plan->scratch,
                          "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, spec: {queueName: "
                          "%s, priority: %" PRId64 ", podSets: [{name: main, count: %" PRId64
                          ", template: {spec: %s}}]}}",
                          place->local, row->priority, row->pods, pod_spec(sim, row)));
}

static void make_gang(struct sim *sim, const struct trace_row *row, const struct place *place,
                      const char *name)
{
    const struct tree *doc =
        parse(sim, arena_format(&sim->plan->scratch,
                                "{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, "
                                "metadata: {name: %s}, spec: {minMember: %" PRId64 ", queue: %s}}",
                                name, row->pods, row->queue));

    if (doc)
        world_apply(sim, NULL, doc, ref_of(sim, "podgroup", place, name));
}

static int64_t length_of(const struct trace_row *row)
{
    return row->runs_for > 0 ? row->runs_for : 1;
}

/* A pod arrives; one that was evicted does so again, with all of its time before it. */
static struct pod *arrive(struct sim *sim, const struct trace_row *row, const struct place *place,
                          const char *ref, const char *gang)
{
    const struct tree *doc = pod_document(sim, row, place, gang);
    struct planned *planned = plan_arrived(sim, row);

    if (sim->fault.is || !doc)
        return NULL;
    podlife_create(sim, NULL, tree_get(doc, "metadata"), tree_get(doc, "spec"), ref, "");
    struct pod *pod = world_pod(sim, ref);
    if (!pod)
        return NULL;
    pod->planned = planned;
    pod->runs_for = length_of(row);
    return pod;
}

static void pods_arrive(struct sim *sim, const struct trace_row *row, size_t n)
{
    const struct place place = place_of(sim, row->queue);
    char gang[GANG_NAME] = "", name[64];

    if (row->gang && row->pods > 1 && !place.local) {
        snprintf(gang, sizeof(gang), "t-%zu", n);
        make_gang(sim, row, &place, gang);
    }
    for (int64_t i = 0; i < row->pods && !sim->fault.is; i++) {
        snprintf(name, sizeof(name), "t-%zu-%" PRId64, n, i);
        struct pod *pod = arrive(sim, row, &place, ref_of(sim, "pod", &place, name), gang);
        if (pod && sim->plan->score && (i == 0 || !*gang))
            score_follow_pod(sim, pod);
    }
}

static void workload_arrives(struct sim *sim, const struct trace_row *row, size_t n)
{
    const struct place place = place_of(sim, row->queue);
    char name[64];

    snprintf(name, sizeof(name), "t-%zu", n);
    const struct tree *doc = workload_document_of(sim, row, &place);
    const char *ref = ref_of(sim, "workload", &place, name);
    struct planned *planned = plan_arrived(sim, row);
    if (sim->fault.is || !doc)
        return;
    world_apply(sim, NULL, doc, ref);
    struct workload *workload = workload_find(sim, ref);
    if (!workload)
        return;
    workload->planned = planned;
    workload->runs_for = length_of(row);
    if (sim->plan->score)
        score_follow_workload(sim, workload);
}

void plan_arrive(struct sim *sim, void *what)
{
    struct plan *plan = sim->plan;
    const struct trace *trace = plan->trace;

    (void)what;
    while (plan->next < trace->count && trace->rows[plan->next].at <= sim->clock.now) {
        const struct trace_row *row = &trace->rows[plan->next];
        if (row->workload)
            workload_arrives(sim, row, plan->next);
        else
            pods_arrive(sim, row, plan->next);
        arena_finish(&plan->scratch);
        plan->next++;
    }
    if (plan->next < trace->count)
        clock_at(&sim->clock, trace->rows[plan->next].at, plan_arrive, NULL);
}

static void take_pod_away(struct sim *sim, void *what)
{
    struct pod *pod = what;

    if (!pod->state->gone)
        podlife_delete(sim, pod);
}

void plan_pod_ended(struct sim *sim, struct pod *pod)
{
    if (plan_over(sim, pod->planned))
        clock_at(&sim->clock, sim->clock.now + SECOND, take_pod_away, pod);
}

static void arrive_again(struct sim *sim, void *what)
{
    const struct pod *pod = what;
    const struct trace_row *row = pod->planned->row;
    const struct place place = place_of(sim, row->queue);
    const char *gang = pairs_get(&pod->state->annotations, "scheduling.k8s.io/group-name");

    arrive(sim, row, &place, arena_format(&sim->arena, "%s-r", pod->ref), gang ? gang : "");
    arena_finish(&sim->plan->scratch);
}

void plan_pod_gone(struct sim *sim, struct pod *pod)
{
    if (!plan_over(sim, pod->planned))
        return;
    pod->planned->queue->evictions += pod->planned->counts;
    pod->planned->queue->arrived -= pod->planned->counts; /* it comes again */
    clock_at(&sim->clock, sim->clock.now, arrive_again, pod);
}

static void take_workload_away(struct sim *sim, void *what)
{
    const struct workload *workload = what;

    if (workload->object->is)
        world_delete(sim, NULL, workload->object->ref);
}

void plan_workload_ended(struct sim *sim, struct workload *workload)
{
    if (plan_over(sim, workload->planned))
        clock_at(&sim->clock, sim->clock.now + SECOND, take_workload_away, workload);
}
