/* SPDX-License-Identifier: Apache-2.0 */
#include "refusal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/handle.h"
#include "hooks/memory.h"
#include "plugin/fleet/fleet_state.h"
#include "plugin/state.h"

const char *const refusal_kinds[REFUSAL_KINDS] = {"pods",      "queues",   "nodes",
                                                  "workloads", "clusters", NULL};

static long allocations, fail_at;

static void *failing(size_t size, bool zeroed)
{
    if (++allocations == fail_at)
        return NULL;
    return zeroed ? calloc(1, size) : malloc(size);
}

void refusal_begin(void)
{
    static const struct memory_source source = {failing, free};

    fail_at = 0;
    memory_set_source(&source);
}

void refusal_end(void)
{
    memory_set_source(NULL);
}

/* What must be as it was: the digest, what every answer says, and what no digest shows. */
struct sight {
    char digest[17];
    uint32_t pending, more, records[21];
    int64_t next, fleet_next;
};

static void look(uint64_t number, struct sight *ret)
{
    const struct handle *handle;
    const struct engine *e;
    const struct fleet *f;

    memset(ret, 0, sizeof(*ret));
    if (number == 0)
        return;
    ask_digest(number, ret->digest);
    handle = handle_enter(number);
    e = handle->engine;
    f = handle->fleet;
    ret->pending = outbox_pending(handle->outbox);
    ret->more = engine_more(e) || fleet_more(f);
    ret->next = engine_next(e);
    ret->fleet_next = fleet_next(f);

    const struct slab *slabs[] = {
        &e->queues.records, &e->order.lines,
        &e->order.crowds,   &e->order.size_classes,
        &e->order.backlogs, &e->claims.records,
        &e->pods.members,   &e->pods.groups,
        &e->pods.finished,  &e->capacity.flavors,
        &e->capacity.nodes, &e->claims.workloads,
        &e->order.demands,  &e->workloads.local_queues,
        &e->queues.checks,  &e->queues.commands.records,
        &e->names.entries,  &f->workers,
        &f->replicas,       &f->dispatches,
        &f->names.entries,
    };
    for (size_t i = 0; i < sizeof(slabs) / sizeof(slabs[0]); i++)
        ret->records[i] = slab_count(slabs[i]);
    handle_leave(number);
}

/* In the configuration of the handle, and in that which an engine or a fleet keeps. */
static void set_limit(uint64_t number, const char *name, uint32_t limit)
{
    struct handle *handle = handle_enter(number);
    struct engine_config *engines[2] = {&handle->engine->config, &handle->config};
    struct fleet_config *fleets[2] = {&handle->fleet->config, &handle->fleet_config};

    for (int i = 0; i < 2; i++) {
        if (strcmp(name, "pods") == 0)
            engines[i]->max_pods = limit;
        else if (strcmp(name, "queues") == 0)
            engines[i]->max_queues = limit;
        else if (strcmp(name, "nodes") == 0)
            engines[i]->max_nodes = limit;
        else if (strcmp(name, "workloads") == 0)
            engines[i]->max_workloads = fleets[i]->max_dispatches = limit;
        else
            fleets[i]->max_clusters = limit;
    }
    handle_leave(number);
}

/* The least limit that is not below this one, and at which one record more, or one of those that
 * come after it, would be one too many; UINT32_MAX: none. */
static uint32_t tight(uint64_t number, const char *name, uint32_t least)
{
    enum { MORE = 4 };
    const struct handle *handle = handle_enter(number);
    const struct engine *e = handle->engine;
    const struct fleet *f = handle->fleet;
    uint32_t counts[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, best = UINT32_MAX;

    if (strcmp(name, "pods") == 0) {
        counts[0] = engine_count_pods(e);
        counts[1] = e->queues.counted[LIMITED_GROUPS];
        counts[2] = slab_count(&e->pods.finished);
    } else if (strcmp(name, "queues") == 0) {
        counts[0] = e->queues.counted[LIMITED_QUEUES];
        counts[1] = e->queues.counted[LIMITED_LOCAL_QUEUES];
        counts[2] = slab_count(&e->queues.commands.records);
        counts[3] = slab_count(&e->queues.checks);
    } else if (strcmp(name, "nodes") == 0) {
        counts[0] = slab_count(&e->capacity.nodes);
    } else if (strcmp(name, "workloads") == 0) {
        counts[0] = slab_count(&e->claims.workloads);
        counts[1] = slab_count(&f->dispatches);
    } else {
        counts[0] = slab_count(&f->workers);
    }
    handle_leave(number);
    for (int i = 0; i < 4; i++) {
        for (uint32_t more = 0; more < MORE && counts[i] != UINT32_MAX; more++) {
            if (counts[i] + more >= least && counts[i] + more < best)
                best = counts[i] + more;
        }
    }
    return best;
}

static void fault(struct refusal *refusal, const char *kind, long n, const char *what)
{
    if (refusal->fault[0] == '\0')
        snprintf(refusal->fault, sizeof(refusal->fault), "%s, %ld: %s",
                 kind == NULL ? "memory" : kind, n, what);
}

static bool is_meant(const struct refusal *refusal, const char *kind)
{
    char want[32];
    int len = snprintf(want, sizeof(want), "limits.%s", kind == NULL ? "" : kind);

    if (kind == NULL)
        return sluice_error_code(refusal->result) == SLUICE_NO_MEMORY;
    /* A map of three pairs, and the first of them is the key with its path. */
    return sluice_error_code(refusal->result) == SLUICE_LIMIT &&
           memcmp(refusal->out + 6, want, (size_t)len) == 0;
}

void refusal_call(uint64_t handle, enum hook_id hook, const uint8_t *request, size_t len,
                  const char *kind, bool looks, struct refusal *refusal)
{
    uint32_t usual = UINT32_MAX, limit = 0;
    uint64_t room = refusal->room > 0 ? refusal->room : REFUSAL_OUT;
    struct sight before, after;

    look(looks ? handle : 0, &before);
    for (long n = 1;; n++) {
        allocations = 0;
        fail_at = kind == NULL ? n : 0;
        if (kind != NULL)
            set_limit(handle, kind, limit = tight(handle, kind, limit));
        refusal->result = hook == HOOK_COUNT
                              ? sluice_open(request, len, refusal->out, room)
                              : ask_call(handle, hook, request, len, refusal->out, room);
        fail_at = 0;
        if (sluice_error_code(refusal->result) != SLUICE_NO_MEMORY &&
            sluice_error_code(refusal->result) != SLUICE_LIMIT)
            break;
        if (!is_meant(refusal, kind))
            fault(refusal, kind, n, "something else is said to stand in the way");
        if (limit == UINT32_MAX || n > 100000)
            break;
        refusal->count++;
        look(looks ? handle : 0, &after);
        if (memcmp(&before, &after, sizeof(before)) != 0) {
            fault(refusal, kind, n, "the refusal changed something");
            break;
        }
        limit++;
    }
    if (kind != NULL)
        set_limit(handle, kind, usual);
}
