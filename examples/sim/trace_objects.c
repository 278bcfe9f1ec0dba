/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "examples/sim/arrivals.h"
#include "examples/sim/clock.h"
#include "examples/sim/resources.h"
#include "examples/sim/trace_import.h"
#include "examples/sim/tree_make.h"

/* What is read, and the times that are in it. */
struct objects {
    struct arrivals arrivals;
    struct fault *fault;
    int64_t first, last;
};

static int64_t time_in(struct objects *objects, int64_t seconds)
{
    int64_t time = seconds < 0 ? -1 : seconds * SECOND;

    objects->last = time > objects->last ? time : objects->last;
    if (time >= 0 && (objects->first < 0 || time < objects->first))
        objects->first = time;
    return time;
}

/* The queue in which a pod was granted its room, or else the one that it names. */
static const char *queue_of(const struct tree *metadata, char *out, size_t cap)
{
    const struct tree *annotations = tree_get(metadata, "annotations");
    struct fault none = {0};
    const char *stamp = tree_text(&none, annotations, "sluice.sh/queue", "");
    const char *local =
        tree_text(&none, tree_get(metadata, "labels"), "kueue.x-k8s.io/queue-name", "");
    const char *named = tree_text(&none, annotations, "scheduling.volcano.sh/queue-name", "");

    if (strncmp(stamp, "queue/", 6) == 0)
        return stamp + 6;
    if (*stamp)
        return stamp;
    if (*local)
        trace_local_queue(metadata, local, out, cap);
    return *local ? out : named;
}

static void add_requests(struct objects *objects, const struct tree *spec, int64_t times,
                         struct trace_row *row)
{
    struct arena scratch = {0};
    struct resources asks = {0};

    resources_of_pod(&scratch, objects->fault, spec, &asks);
    row->cpu += times * resources_get(&asks, "cpu");
    row->memory += times * resources_get(&asks, "memory");
    row->gpu += times * resources_get(&asks, "nvidia.com/gpu");
    arena_finish(&scratch);
}

/* When the last of its containers ended; of one that does not say so, when a condition of it last
 * became another. */
static int64_t end_of_pod(const struct tree *pod)
{
    const struct tree *containers = tree_find(pod, "status/containerStatuses");
    const struct tree *conditions = tree_find(pod, "status/conditions");
    int64_t last = -1;

    for (size_t i = 0; containers && i < containers->count; i++) {
        int64_t at =
            trace_wall(tree_word(containers->pairs[i].value, "state/terminated/finishedAt"));
        last = at > last ? at : last;
    }
    for (size_t i = 0; last < 0 && conditions && i < conditions->count; i++) {
        int64_t at = trace_wall(tree_word(conditions->pairs[i].value, "lastTransitionTime"));
        last = at > last ? at : last;
    }
    return last;
}

static struct arrival *add(struct objects *objects, const struct tree *object, const char *queue)
{
    const struct tree *metadata = tree_get(object, "metadata");
    struct arrival *made = arrivals_add(&objects->arrivals);
    struct fault none = {0};

    made->row.at = time_in(objects, trace_wall(tree_word(metadata, "creationTimestamp")));
    made->row.queue = arena_copy(&objects->arrivals.arena, queue);
    made->row.user = arena_copy(&objects->arrivals.arena, tree_word(metadata, "namespace"));
    made->row.priority =
        tree_int(&none, tree_get(object, "spec"), "priority", INT32_MIN, INT32_MAX, 0);
    return made;
}

static void read_pod(struct objects *objects, const struct tree *pod)
{
    char local[400];
    const char *queue = queue_of(tree_get(pod, "metadata"), local, sizeof(local));
    const char *phase = tree_word(pod, "status/phase");

    if (!*queue)
        return;
    struct arrival *made = add(objects, pod, queue);
    made->started = time_in(objects, trace_became(pod, "PodScheduled"));
    if (strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0)
        made->ended = time_in(objects, end_of_pod(pod));
    add_requests(objects, tree_get(pod, "spec"), 1, &made->row);
}

/* One pod set stays as it is; several become one pod. */
static void read_workload(struct objects *objects, const struct tree *workload)
{
    const struct tree *sets = tree_find(workload, "spec/podSets");
    const char *named = tree_word(workload, "spec/queueName");
    char queue[400];

    if (!*named || !sets)
        return;
    trace_local_queue(tree_get(workload, "metadata"), named, queue, sizeof(queue));
    struct arrival *made = add(objects, workload, queue);
    made->row.workload = true;
    made->started = time_in(objects, trace_became(workload, "Admitted"));
    made->ended = time_in(objects, trace_became(workload, "Finished"));
    for (size_t i = 0; i < sets->count; i++) {
        const struct tree *set = sets->pairs[i].value;
        int64_t count = tree_int(objects->fault, set, "count", 0, TRACE_PODS_MOST, 1);
        bool is_one = sets->count == 1 && count > 0;
        made->row.pods = is_one ? count : 1;
        add_requests(objects, tree_find(set, "template/spec"), is_one ? 1 : count, &made->row);
    }
}

bool trace_from_objects(struct trace *trace, const char *path, struct fault *fault)
{
    struct objects objects = {.fault = fault, .first = -1, .last = -1};
    struct arena arena = {0};
    const struct tree *files = tree_load(&arena, path, fault);

    for (size_t f = 0; files && f < files->count; f++) {
        const struct tree *items = tree_get(files->pairs[f].value, "items");
        for (size_t i = 0; items && i < items->count && !fault->is; i++) {
            const struct tree *object = items->pairs[i].value;
            const char *kind = tree_word(object, "kind");
            if (strcmp(kind, "Pod") == 0)
                read_pod(&objects, object);
            else if (strcmp(kind, "Workload") == 0)
                read_workload(&objects, object);
        }
    }
    *trace = (struct trace){0};
    if (!fault->is)
        arrivals_trace(&objects.arrivals, objects.first, objects.last, path, trace, fault);
    arrivals_finish(&objects.arrivals);
    arena_finish(&arena);
    return !fault->is;
}
