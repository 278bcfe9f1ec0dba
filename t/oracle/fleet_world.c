/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/fleet_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fleet_number(struct text name)
{
    return name.len < 2 ? -1 : atoi(name.at + 1); /* interned: a zero is behind it */
}

static int below(struct fleet_world *world, int n)
{
    return random_below(&world->random, n);
}

static bool one_in(struct fleet_world *world, int n)
{
    return below(world, n) == 0;
}

static void change(struct fleet_world *world, int64_t *version)
{
    *version = ++world->version;
}

static void begin_workload(struct fleet_world *world, struct fleet_workload *w)
{
    struct fleet_replica kept[FLEET_WORKERS];

    memcpy(kept, w->at, sizeof(kept));
    *w = (struct fleet_workload){.there = true, .uid = ++world->uids, .cluster = -1};
    memcpy(w->at, kept, sizeof(kept));
    w->reserved = w->ready = !one_in(world, 4);
    for (int i = 0; i < FLEET_WORKERS; i++)
        w->nominated[i] = !one_in(world, 4);
    change(world, &w->version);
}

void fleet_world_init(struct fleet_world *world, uint64_t seed)
{
    memset(world, 0, sizeof(*world));
    world->random.state = seed;
    world->now = 1000 * SECOND;
    for (int i = 0; i < FLEET_WORKERS; i++)
        world->reachable[i] = true;
    for (int i = 0; i < FLEET_WORKLOADS; i++)
        begin_workload(world, &world->workloads[i]);
}

static void workload_happens(struct fleet_world *world, struct fleet_workload *w)
{
    if (!w->there) {
        begin_workload(world, w);
        return;
    }
    switch (below(world, 12)) {
    case 0:
        w->there = !one_in(world, 3);
        break;
    case 1:
        w->reserved = !w->reserved || one_in(world, 2);
        break;
    case 2:
        w->ready = true;
        break;
    case 3:
        w->nominated[below(world, FLEET_WORKERS)] = one_in(world, 2);
        break;
    case 4:
        w->over = one_in(world, 6);
        break;
    case 5:
        snprintf(w->memory, sizeof(w->memory), "v1 nonsense");
        w->spoiled = true;
        break;
    default: /* the manager's own eviction, and another reservation */
        if (w->retry) {
            w->reserved = false;
            w->retry = false;
            w->cluster = -1;
        } else {
            w->reserved = w->ready = true;
        }
    }
    change(world, &w->version);
}

/* A worker as Kueue: what it may do depends on the gate. */
static void replica_happens(struct fleet_world *world, struct fleet_replica *r)
{
    bool may_preempt = !r->gated || r->open;

    switch (below(world, 12)) {
    case 0:
    case 1:
    case 2:
    case 8:
    case 9:
    case 10:
        r->signals = r->gated && !r->open && !r->reserved;
        break;
    case 3:
        r->signals = r->signals && one_in(world, 2);
        break;
    case 4:
        r->reserved = r->reserved || (may_preempt && one_in(world, 4)) || one_in(world, 16);
        r->signals = r->signals && !r->reserved;
        break;
    case 5:
        r->admitted = r->reserved && one_in(world, 3);
        r->evicted = r->evicted && !r->admitted;
        break;
    case 6: /* evicted: all gates close, the signal goes */
        r->evicted = r->reserved;
        r->open = r->open && !r->evicted;
        r->reserved = r->admitted = r->signals = false;
        break;
    default: /* somebody deletes it, or a person opens the gate */
        if (one_in(world, 6))
            r->there = false;
        else if (one_in(world, 6))
            r->open = r->gated;
    }
    change(world, &r->version);
}

void fleet_world_happens(struct fleet_world *world)
{
    struct fleet_workload *w = &world->workloads[below(world, FLEET_WORKLOADS)];
    int worker = below(world, FLEET_WORKERS);
    struct fleet_replica *r = &w->at[worker];

    if (one_in(world, 12)) {
        world->reachable[worker] = !world->reachable[worker];
        if (world->reachable[worker] && one_in(world, 2) && r->there) {
            r->open = r->admitted = r->reserved = false; /* from a backup */
            r->signals = r->gated;
            r->version = 1 + below(world, (int)r->version);
        }
    } else if (one_in(world, 4)) {
        workload_happens(world, w);
    } else if (r->there) {
        replica_happens(world, r);
    }
}

void fleet_world_calms(struct fleet_world *world)
{
    for (int i = 0; i < FLEET_WORKERS; i++)
        world->reachable[i] = true;
    for (int i = 0; i < FLEET_WORKLOADS; i++) {
        struct fleet_workload *w = &world->workloads[i];

        for (int k = 0; k < FLEET_WORKERS; k++)
            w->at[k].there = w->at[k].there && !w->at[k].deleted;
        if (!w->there)
            continue;
        if (w->retry) {
            w->retry = w->reserved = false;
            w->cluster = -1;
        }
        change(world, &w->version);
    }
}

static void breaks(struct fleet_world *world, const char *what, const struct fleet_request *request)
{
    differ(world->broken, "%s: workload %d, worker %d, at %" PRId64 " s", what, request->workload,
           request->worker, world->now / SECOND);
}

/* Nobody else may have begun to preempt for it within the timeout, and it was written down. */
static void check_opening(struct fleet_world *world, const struct fleet_request *request)
{
    struct fleet_workload *w = &world->workloads[request->workload];
    char wanted[64];
    const char *note;
    long long signal, opened;

    for (int i = 0; i < FLEET_WORKERS; i++) {
        if (i != request->worker && w->opened[i] != 0 && world->now - w->opened[i] < FLEET_TIMEOUT)
            breaks(world, "two workers preempt within the timeout", request);
    }
    if (!w->there || w->uid != request->origin)
        return;
    snprintf(wanted, sizeof(wanted), " c%d,r%d,", request->worker, request->uid);
    note = strstr(w->memory, wanted);
    if (w->spoiled)
        note = NULL;
    else if (note == NULL || sscanf(note + strlen(wanted), "%lld,%lld", &signal, &opened) != 2)
        breaks(world, "opened, and not remembered", request);
    else if (opened > world->now || world->now - opened > 30 * SECOND)
        breaks(world, "remembered at another time", request);
    w->opened[request->worker] = world->now;
    world->openings++;
}

static enum effect_result do_replica(struct fleet_world *world, const struct fleet_request *request)
{
    struct fleet_replica *r = &world->workloads[request->workload].at[request->worker];

    if (!world->reachable[request->worker])
        return EFFECT_RETRY;
    if (request->kind == EFFECT_CREATE_REPLICA) {
        if (r->there)
            return EFFECT_CONFLICT;
        *r = (struct fleet_replica){.there = true,
                                    .uid = ++world->uids,
                                    .origin = request->origin,
                                    .gated = request->gated};
        change(world, &r->version);
        return EFFECT_DONE;
    }
    if (!r->there || r->uid != request->uid)
        return EFFECT_GONE;
    if (request->kind == EFFECT_DELETE_REPLICA) {
        r->deleted = one_in(world, 2);
        r->there = r->deleted;
        change(world, &r->version);
        return EFFECT_DONE;
    }
    if (world->now > request->until)
        return EFFECT_RETRY;
    if (r->version != request->version)
        return EFFECT_CONFLICT;
    check_opening(world, request);
    r->open = true;
    r->signals = false;
    change(world, &r->version);
    return EFFECT_DONE;
}

enum effect_result fleet_world_do(struct fleet_world *world, const struct fleet_request *request)
{
    struct fleet_workload *w = &world->workloads[request->workload];

    if (request->kind == EFFECT_CREATE_REPLICA || request->kind == EFFECT_DELETE_REPLICA ||
        request->kind == EFFECT_OPEN_GATE)
        return do_replica(world, request);
    if (!w->there || w->uid != request->uid)
        return EFFECT_GONE;
    if (w->version != request->version)
        return EFFECT_CONFLICT;
    if (request->kind == EFFECT_WRITE_MEMORY) {
        memcpy(w->memory, request->memory, sizeof(w->memory));
        w->spoiled = false;
    } else if (request->kind == EFFECT_SET_CLUSTER) {
        if (w->cluster >= 0)
            breaks(world, "the cluster is for good", request);
        w->cluster = request->cluster;
    } else {
        w->retry = true;
    }
    change(world, &w->version);
    return EFFECT_DONE;
}

static struct text name_of(char out[16], char letter, int number)
{
    snprintf(out, 16, "%c%d", letter, number);
    return text_of(out);
}

void fleet_world_workload(const struct fleet_world *world, int number, struct fleet_view *ret)
{
    const struct fleet_workload *w = &world->workloads[number];
    struct dispatch_facts *facts = &ret->workload;

    *facts = (struct dispatch_facts){
        .uid = name_of(ret->uid, 'u', w->uid),
        .space = text_of("ns"),
        .name = name_of(ret->name, 'w', number),
        .resource_version = w->version,
        .reserved = w->reserved,
        .ready = w->ready,
        .over = w->over,
        .memory = text_of(w->memory),
    };
    if (w->cluster >= 0)
        facts->cluster = name_of(ret->cluster, 'c', w->cluster);
    for (int i = 0; i < FLEET_WORKERS; i++) {
        if (w->nominated[i])
            facts->nominated[facts->nominated_count++] = name_of(ret->names[i], 'c', i);
    }
}

void fleet_world_replica(const struct fleet_world *world, int workload, int worker,
                         struct fleet_view *ret)
{
    const struct fleet_replica *r = &world->workloads[workload].at[worker];

    ret->replica = (struct replica_facts){
        .worker = name_of(ret->cluster, 'c', worker),
        .uid = name_of(ret->uid, 'r', r->uid),
        .space = text_of("ns"),
        .name = name_of(ret->name, 'w', workload),
        .origin = name_of(ret->origin, 'u', r->origin),
        .resource_version = r->version,
        .gated = r->gated,
        .open = r->open,
        .signals = r->signals,
        .reserved = r->reserved,
        .admitted = r->admitted,
        .evicted = r->evicted,
        .deleted = r->deleted,
    };
}
