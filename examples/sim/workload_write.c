/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/workload_write.h"

#include <inttypes.h>
#include <string.h>

#include "abi/host/value.h"
#include "examples/sim/sim.h"
#include "examples/sim/tree_make.h"
#include "examples/sim/workload_status.h"

struct workload_write {
    const char *ref, *uid;
    int64_t version;         /* under which it is written */
    int64_t written;         /* of the object as it was written */
    const struct tree *said; /* the effect */
};

/* A write on its way into a status. */
struct writing {
    struct sim *sim;
    struct arena *arena;
    struct workload *workload;
    const struct tree *said;
    const struct tree *status;
    const char *reason, *message;
    int64_t wall;
};

struct workload_write *workload_write_read(struct sim *sim, const msgpack_object *effect)
{
    const char *namespace = value_str(effect, "namespace", "");
    const char *name = value_str(effect, "name", "");
    struct workload_write *write;

    if (strcmp(value_str(effect, "kind", ""), "writeWorkload") != 0)
        return NULL;
    write = arena_get(&sim->arena, sizeof(*write));
    *write = (struct workload_write){
        .ref = strcmp(namespace, "default") == 0
                   ? arena_format(&sim->arena, "workload/%s", name)
                   : arena_format(&sim->arena, "workload/%s/%s", namespace, name),
        .uid = arena_copy(&sim->arena, value_str(effect, "uid", "")),
        .version = value_int(effect, "resourceVersion", 0),
        .said = tree_of_value(&sim->arena, effect),
    };
    return write;
}

static bool says(const struct writing *w, const char *key)
{
    return strcmp(tree_word(w->said, key), "true") == 0;
}

static void set(struct writing *w, const char *type, bool is, const char *reason,
                const char *message)
{
    w->status = status_condition(w->arena, w->status, type, is, reason, message, w->wall);
}

static void drop(struct writing *w, const char *key)
{
    w->status = tree_with(w->arena, w->status, key, NULL);
}

static void tell(struct writing *w, const char *what, const char *text, const char *more)
{
    story(w->sim, w->workload->object->ref, what, "%s%s%s", text, *more ? ": " : "", more);
}

/* status.preemptionGates: just these. */
static void set_gates(struct writing *w)
{
    const struct tree *gates = tree_get(w->said, "gates");
    const struct tree *before = w->status;

    drop(w, "preemptionGates");
    for (size_t i = 0; gates && i < gates->count; i++) {
        const char *name = gates->pairs[i].key;
        const char *position = gates->pairs[i].value->text;
        const struct tree *was = tree_item(tree_get(before, "preemptionGates"), "name", name);
        w->status = status_gate(w->arena, w->status, name, position, w->wall);
        if (was && strcmp(tree_word(was, "position"), position) == 0)
            w->status = tree_with(w->arena, w->status, "preemptionGates",
                                  tree_with_item(w->arena, tree_get(w->status, "preemptionGates"),
                                                 "name", name, was));
    }
}

/* status.admissionChecks: just these, each as it was. */
static void set_checks(struct writing *w)
{
    const struct tree *names = tree_get(w->said, "checks");
    const struct tree *before = tree_get(w->status, "admissionChecks");

    drop(w, "admissionChecks");
    for (size_t i = 0; names && i < names->count; i++) {
        const char *name = names->pairs[i].value->text;
        const struct tree *was = tree_item(before, "name", name);
        w->status = status_check(w->arena, w->status, name, "Pending", 0, w->wall);
        if (was)
            w->status = tree_with(w->arena, w->status, "admissionChecks",
                                  tree_with_item(w->arena, tree_get(w->status, "admissionChecks"),
                                                 "name", name, was));
    }
}

static void clear_signal(struct writing *w)
{
    set(w, "BlockedOnPreemptionGates", false, w->reason, w->message);
    if (status_is(w->status, "PreemptionBlocked"))
        set(w, "PreemptionBlocked", false, w->reason, w->message);
}

/* "cpu 2 of plain" of each pod set, and what it is given. */
static const char *admission_text(struct writing *w, const struct tree *sets)
{
    const char *text = "";

    for (size_t i = 0; sets && i < sets->count; i++) {
        const struct tree *set = sets->pairs[i].value;
        const struct tree *flavors = tree_get(set, "flavors");
        const struct tree *requests = tree_get(set, "resourceUsage");
        for (size_t f = 0; flavors && f < flavors->count; f++) {
            const char *name = flavors->pairs[f].key;
            const struct tree *asks = tree_get(requests, name);
            text = arena_format(w->arena, "%s%s%s%s%s of %s", text, *text ? ", " : "", name,
                                asks ? " " : "", asks ? asks->text : "",
                                flavors->pairs[f].value->text);
        }
    }
    return text;
}

/* As the API server has it: amounts are quantities. */
static const struct tree *usage_of(struct writing *w, const struct tree *requests)
{
    const struct tree *usage = NULL;
    char amount[32];
    int64_t number = 0;

    for (size_t i = 0; requests && i < requests->count; i++) {
        const char *name = requests->pairs[i].key;
        tree_is_int(requests->pairs[i].value, &number);
        usage = tree_with(
            w->arena, usage, name,
            tree_of_text(w->arena, resources_show_amount(name, number, amount, sizeof(amount))));
    }
    return usage;
}

static void set_admission(struct writing *w)
{
    const struct tree *said = tree_get(w->said, "admission");
    const struct tree *sets = tree_get(said, "podSets");
    const struct tree *made =
        tree_with(w->arena, NULL, "clusterQueue", tree_get(said, "clusterQueue"));
    const struct tree *list = NULL;

    for (size_t i = 0; sets && i < sets->count; i++) {
        const struct tree *set = sets->pairs[i].value;
        const struct tree *one = tree_with(w->arena, NULL, "name", tree_get(set, "name"));
        one = tree_with(w->arena, one, "count", tree_get(set, "count"));
        one = tree_with(w->arena, one, "flavors", tree_get(set, "flavors"));
        one = tree_with(w->arena, one, "resourceUsage", usage_of(w, tree_get(set, "requests")));
        list = tree_with_item(w->arena, list, "name", tree_word(set, "name"), one);
    }
    made = tree_with(w->arena, made, "podSetAssignments", list);
    w->status = tree_with(w->arena, w->status, "admission", made);
    tell(w, "reserved", says(w, "admitted") ? "is admitted" : "has its quota",
         admission_text(w, list));
}

static void write_reserve(struct writing *w)
{
    set_admission(w);
    set(w, "QuotaReserved", true, "QuotaReserved", w->message);
    if (status_is(w->status, "Evicted"))
        set(w, "Evicted", false, "QuotaReserved", w->message);
    if (status_is(w->status, "Preempted"))
        set(w, "Preempted", false, "QuotaReserved", w->message);
    set_checks(w);
    if (says(w, "admitted"))
        set(w, "Admitted", true, "Admitted", w->message);
    if (says(w, "clear"))
        clear_signal(w);
}

static void write_admit(struct writing *w)
{
    set(w, "Admitted", true, "Admitted", w->message);
    tell(w, "admitted", "is admitted", "all of its checks are ready");
}

static void write_signal(struct writing *w)
{
    set(w, "BlockedOnPreemptionGates", true, "PreemptionGated", w->message);
    set(w, "QuotaReserved", false, "Pending", w->message);
    tell(w, "signal", "signals", w->message);
}

static void write_clear_signal(struct writing *w)
{
    clear_signal(w);
    tell(w, "signalCleared", "signals no more", w->message);
}

/* Those that are pending stay as they are; of the others it is counted how often they asked. */
static void reset_checks(struct writing *w)
{
    const struct tree *names = tree_get(w->said, "checks");
    const struct tree *before = tree_get(w->status, "admissionChecks");
    struct fault none = {0};

    for (size_t i = 0; names && i < names->count; i++) {
        const char *name = names->pairs[i].value->text;
        const struct tree *was = tree_item(before, "name", name);
        int64_t retries = tree_int(&none, was, "retryCount", 0, INT32_MAX, 0) + 1;
        const struct tree *one;

        if (!was || strcmp(tree_word(was, "state"), "Pending") == 0)
            continue;
        w->status = status_check(w->arena, w->status, name, "Pending", 0, w->wall);
        one = tree_item(tree_get(w->status, "admissionChecks"), "name", name);
        if (strcmp(tree_word(was, "state"), "Retry") == 0)
            one = tree_with(w->arena, one, "retryCount", tree_of_int(w->arena, retries));
        w->status = tree_with(
            w->arena, w->status, "admissionChecks",
            tree_with_item(w->arena, tree_get(w->status, "admissionChecks"), "name", name, one));
    }
}

static void write_evict(struct writing *w)
{
    const char *cause = tree_word(w->said, "cause");
    const char *reason = w->reason;

    if (strcmp(reason, "Deactivated") == 0 && *cause)
        reason = arena_format(w->arena, "%sDueTo%s", reason, cause);
    set(w, "Evicted", true, reason, w->message);
    if (strcmp(reason, "Preempted") == 0)
        set(w, "Preempted", true, cause, w->message);
    set_gates(w);
    if (says(w, "clear"))
        clear_signal(w);
    drop(w, "clusterName");
    reset_checks(w);
    w->status = status_no_condition(w->arena, w->status, "DeactivationTarget");
    if (says(w, "forgetRequeue"))
        drop(w, "requeueState");
    w->workload->evictions++;
    tell(w, "evicted", arena_format(w->arena, "is evicted, %s", reason), w->message);
}

static void drop_admission(struct writing *w, const char *reason)
{
    drop(w, "admission");
    set(w, "QuotaReserved", false, reason, w->message);
    if (*status_of(w->status, "Admitted", "status"))
        set(w, "Admitted", false, "NoReservation", "The workload has no reservation");
}

static void write_end_eviction(struct writing *w)
{
    drop_admission(w, "Pending");
    set(w, "Requeued", says(w, "requeued"), w->reason, w->message);
    tell(w, "requeued",
         says(w, "requeued") ? "has given its quota back, and waits again"
                             : "has given its quota back",
         "");
}

static void write_unreserve(struct writing *w)
{
    drop_admission(w, w->reason);
    tell(w, "unreserved", "has lost its quota", w->message);
}

static void write_pending(struct writing *w)
{
    set(w, "QuotaReserved", false, w->reason, w->message);
}

static void set_requeue_at(struct writing *w, const struct tree *at)
{
    const struct tree *state = tree_get(w->status, "requeueState");

    if (state || at)
        w->status = tree_with(w->arena, w->status, "requeueState",
                              tree_with(w->arena, state, "requeueAt", at));
}

/* Nothing is left behind, unless somebody has counted there. */
static void clear_backoff(struct writing *w)
{
    set_requeue_at(w, NULL);
    if (!*tree_word(w->status, "requeueState/count"))
        drop(w, "requeueState");
}

static void write_requeued(struct writing *w)
{
    set(w, "Requeued", true, w->reason, w->message);
    clear_backoff(w);
    tell(w, "requeued", "waits again", "");
}

static void write_requeue_at(struct writing *w)
{
    struct fault none = {0};
    int64_t at = tree_int(&none, w->said, "at", 0, INT64_MAX, 0);
    char in[32];

    set_requeue_at(w, tree_of_text(w->arena, status_time(w->arena, at)));
    tell(w, "backoff", "is not tried again for", clock_show(at - w->wall, in, sizeof(in)));
}

static void clear_requeue(struct writing *w)
{
    drop(w, "requeueState");
    w->status = status_no_condition(w->arena, w->status, "DeactivationTarget");
}

static void write_target(struct writing *w)
{
    set(w, "DeactivationTarget", true, w->reason, w->message);
}

static const struct {
    const char *word;
    void (*write)(struct writing *w);
} writes[] = {
    {"gates", set_gates},
    {"reserve", write_reserve},
    {"admit", write_admit},
    {"checks", set_checks},
    {"signal", write_signal},
    {"clearSignal", write_clear_signal},
    {"evict", write_evict},
    {"endEviction", write_end_eviction},
    {"unreserve", write_unreserve},
    {"pending", write_pending},
    {"requeued", write_requeued},
    {"requeueAt", write_requeue_at},
    {"clearBackoff", clear_backoff},
    {"clearRequeue", clear_requeue},
    {"target", write_target},
};

/* The one write that is not one of the status. */
static void deactivate(struct writing *w)
{
    struct object *object = w->workload->object;
    const struct tree *spec = tree_get(object->doc, "spec");
    const struct tree *active = tree_of_bool(w->arena, false);

    object->doc =
        tree_with(w->arena, object->doc, "spec", tree_with(w->arena, spec, "active", active));
    tell(w, "deactivated", "is deactivated", w->message);
}

enum write workload_write_do(struct sim *sim, struct workload_write *write)
{
    struct workload *workload = workload_find(sim, write->ref);
    const char *word = tree_word(write->said, "write");
    size_t i = 0;

    if (!workload || strcmp(workload->object->uid, write->uid) != 0)
        return WRITE_GONE;
    if (workload->object->version != write->version)
        return WRITE_CONFLICT;
    struct writing w = {sim,
                        &sim->arena,
                        workload,
                        write->said,
                        tree_get(workload->object->doc, "status"),
                        tree_word(write->said, "reason"),
                        tree_word(write->said, "message"),
                        sim_wall(sim)};
    while (i < sizeof(writes) / sizeof(*writes) && strcmp(writes[i].word, word) != 0)
        i++;
    if (i < sizeof(writes) / sizeof(*writes))
        writes[i].write(&w);
    else if (strcmp(word, "deactivate") == 0)
        deactivate(&w);
    else
        fault_say(&sim->fault, workload->object->doc, "the library wants \"%s\" written into %s",
                  word, write->ref);
    workload->writes++;
    workload_set_status(sim, workload, w.status);
    write->written = workload->object->version;
    return WRITE_DONE;
}

int64_t workload_write_version(const struct workload_write *write)
{
    return write->written;
}
