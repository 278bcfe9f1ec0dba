/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/trace_recording.h"

#include <inttypes.h>
#include <string.h>

#include "abi/host/value.h"
#include "examples/sim/arrivals.h"
#include "examples/sim/library.h"
#include "examples/sim/replay.h"
#include "examples/sim/run.h"
#include "plugin/base/quantity.h"

#define WORKLOAD "kueue.x-k8s.io/workload"

/* A pod, or a workload, by its uid. */
struct seen {
    const char *uid;
    struct arrival *arrival; /* NULL: not asked for yet */
    int64_t created;
    int64_t started;
    bool over;
    bool passed_by; /* it is nothing to a queue by itself */
};

struct watcher {
    struct library library;
    struct arrivals arrivals;
    struct map seen;
    struct map gangs; /* struct arrival by what its members have in common */
    int64_t begin;
    int64_t now;
};

static struct seen *seen_of(struct watcher *w, const msgpack_object *object)
{
    const char *uid = value_str(object, "uid", "");
    struct seen *seen = map_get(&w->seen, uid);

    if (seen || !*uid)
        return seen;
    seen = arena_get(&w->arrivals.arena, sizeof(*seen));
    *seen = (struct seen){.uid = arena_copy(&w->arrivals.arena, uid),
                          .created = value_int(object, "created", w->now),
                          .started = -1};
    map_put(&w->seen, seen->uid, seen);
    return seen;
}

static const char *copy(struct watcher *w, const char *text)
{
    return arena_copy(&w->arrivals.arena, text);
}

/* Of a queue of Volcano's its name, of one of Kueue's clusterqueue/NAME; NULL: it is in none. */
static const char *queue_of(struct watcher *w, const char *kind, const char *name)
{
    if (!*name)
        return NULL;
    if (strcmp(kind, "ClusterQueue") == 0)
        return arena_format(&w->arrivals.arena, "clusterqueue/%s", name);
    return copy(w, name);
}

/* The pods of a gang that have all of this in common are one arrival. */
static struct arrival *arrival_of(struct watcher *w, const struct trace_row *row,
                                  const char *namespace, const char *gang)
{
    char key[1200];
    struct arrival *made;

    snprintf(key, sizeof(key), "%s/%s %s %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, namespace,
             gang, row->queue, row->priority, row->cpu, row->memory, row->gpu);
    made = *gang ? map_get(&w->gangs, key) : NULL;
    if (made) {
        made->row.pods++;
        made->row.gang = true;
        return made;
    }
    made = arrivals_add(&w->arrivals);
    made->row = *row;
    if (*gang)
        map_put(&w->gangs, copy(w, key), made);
    return made;
}

/* Asks the library what a pod is to the queues. */
static void ask_about_pod(struct watcher *w, struct seen *seen)
{
    struct request *r = library_begin(&w->library, w->now);

    r_key_str(r, "what", "pod");
    r_key_str(r, "uid", seen->uid);
    const msgpack_object *said = library_call(&w->library, LOADER_INSPECT);
    const char *queue =
        said ? queue_of(w, value_str(said, "queueKind", ""), value_str(said, "queue", "")) : NULL;
    seen->passed_by = !queue;
    if (!queue)
        return;
    const msgpack_object *asks = value_map(said, "asks");
    const char *namespace = value_str(said, "namespace", "");
    const struct trace_row row = {
        .at = seen->created,
        .queue = queue,
        .user = copy(w, namespace),
        .priority = value_int(said, "priority", 0),
        .cpu = value_int(asks, "cpu", 0),
        .memory = value_int(asks, "memory", 0),
        .gpu = value_int(asks, "nvidia.com/gpu", 0),
        .pods = 1,
    };
    const char *gang = value_int(said, "minimum", 0) > 1 ? value_str(said, "group", "") : "";
    seen->arrival = arrival_of(w, &row, namespace, gang);
}

static void has_ended(struct watcher *w, struct seen *seen)
{
    seen->over = true;
    if (seen->arrival && seen->started >= 0 && w->now > seen->arrival->ended)
        seen->arrival->ended = w->now;
}

static void has_started(struct watcher *w, struct seen *seen, bool ran_before)
{
    struct arrival *arrival = seen->arrival;

    seen->started = ran_before ? w->begin - 1 : w->now;
    if (arrival && (arrival->started < 0 || seen->started > arrival->started))
        arrival->started = seen->started;
}

static void see_pod(struct watcher *w, const msgpack_object *object, bool gone)
{
    bool is_new = !map_get(&w->seen, value_str(object, "uid", ""));
    struct seen *seen = gone && is_new ? NULL : seen_of(w, object);
    const char *phase = value_str(object, "phase", "");
    const char *workload = value_str(value_map(object, "annotations"), WORKLOAD, "");

    if (!seen || seen->over)
        return;
    seen->passed_by = seen->passed_by || *workload;
    if (gone || strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0) {
        has_ended(w, seen);
    } else if (!seen->passed_by && seen->started < 0 && *value_str(object, "node", "")) {
        ask_about_pod(w, seen);
        has_started(w, seen, is_new);
    }
}

/* Thousandths of cpu, units of all else, whether it is written as a number or as a quantity. */
static int64_t amount_of(const msgpack_object *requests, const char *name)
{
    const char *text = value_str(requests, name, "");
    int64_t amount = 0;

    if (!*text)
        return value_int(requests, name, 0);
    return quantity_parse(text, strlen(text), strcmp(name, "cpu") == 0, &amount) ? amount : 0;
}

/* The pod sets together: one of so many pods stays so, several become one pod. */
static void add_pod_sets(struct trace_row *row, const msgpack_object *sets)
{
    bool is_one = value_count(sets) == 1;

    for (uint32_t i = 0; i < value_count(sets); i++) {
        const msgpack_object *set = value_item(sets, i);
        const msgpack_object *requests = value_map(set, "requests");
        int64_t count = value_int(set, "count", 1), times = is_one ? 1 : count;
        row->pods = is_one && count > 0 ? count : 1;
        row->cpu += times * amount_of(requests, "cpu");
        row->memory += times * amount_of(requests, "memory");
        row->gpu += times * amount_of(requests, "nvidia.com/gpu");
    }
}

static void ask_about_workload(struct watcher *w, struct seen *seen, const msgpack_object *object)
{
    const char *namespace = value_str(object, "namespace", "");
    struct request *r = library_begin(&w->library, w->now);

    r_key_str(r, "what", "workload");
    r_key_str(r, "namespace", namespace);
    r_key_str(r, "name", value_str(object, "name", ""));
    const msgpack_object *said = library_call(&w->library, LOADER_INSPECT);
    const char *queue =
        said ? queue_of(w, "ClusterQueue", value_str(said, "clusterQueue", "")) : NULL;
    if (!queue)
        return;
    seen->arrival = arrivals_add(&w->arrivals);
    seen->arrival->row = (struct trace_row){.at = seen->created,
                                            .queue = queue,
                                            .user = copy(w, namespace),
                                            .priority = value_int(object, "priority", 0),
                                            .workload = true};
    add_pod_sets(&seen->arrival->row, value_array(object, "podSets"));
}

static bool is_true(const msgpack_object *object, const char *type)
{
    const msgpack_object *condition = value_map(value_map(object, "conditions"), type);

    return strcmp(value_str(condition, "status", ""), "True") == 0;
}

static void see_workload(struct watcher *w, const msgpack_object *object, bool gone)
{
    bool is_new = !map_get(&w->seen, value_str(object, "uid", ""));
    struct seen *seen = gone && is_new ? NULL : seen_of(w, object);

    if (!seen || seen->over)
        return;
    if (!gone && !seen->arrival)
        ask_about_workload(w, seen, object);
    if (seen->started < 0 && is_true(object, "Admitted"))
        has_started(w, seen, is_new);
    if (gone || is_true(object, "Finished"))
        has_ended(w, seen);
    else if (seen->started >= 0 && is_true(object, "Evicted")) {
        seen->started = -1; /* it begins anew */
        if (seen->arrival)
            seen->arrival->started = -1;
    }
}

static void saw(void *who, enum loader_hook hook, const msgpack_object *request,
                const msgpack_object *answer)
{
    struct watcher *w = who;
    const char *kind = value_str(request, "kind", "");
    const msgpack_object *object = value_map(request, "object");
    bool gone = value_bool(request, "gone", false);

    (void)answer;
    w->now = value_int(request, "now", w->now);
    if (w->begin == 0)
        w->begin = w->now;
    if (hook != LOADER_OBSERVE)
        return;
    if (strcmp(kind, "pod") == 0)
        see_pod(w, object, gone);
    else if (strcmp(kind, "workload") == 0 && strcmp(value_str(object, "role", ""), "worker") == 0)
        see_workload(w, object, gone);
}

/* What has not started by the end is known to the library still. */
static void ask_about_the_rest(struct watcher *w)
{
    for (size_t i = 0; i < w->seen.count; i++) {
        struct seen *seen = w->seen.entries[i].value;
        if (!seen->arrival && !seen->over && !seen->passed_by && w->library.handle)
            ask_about_pod(w, seen);
    }
}

int trace_from_recording(struct trace *trace, const char *library, const char *path,
                         struct fault *fault)
{
    struct watcher w = {0};
    const struct replay_watch watch = {
        .who = &w, .library = &w.library, .lenient = true, .after = saw};
    struct replay_sum sum = {0};
    int code = replay_watched(library, path, &watch, &sum);

    *trace = (struct trace){0};
    if (code == EXIT_HELD) {
        ask_about_the_rest(&w);
        if (!arrivals_trace(&w.arrivals, w.begin, w.now, path, trace, fault))
            code = EXIT_INPUT;
        if (sum.full)
            trace_note(trace, "The recording was full, and says nothing of what came after it.");
    }
    library_finish(&w.library);
    map_finish(&w.seen);
    map_finish(&w.gangs);
    arrivals_finish(&w.arrivals);
    return code;
}
