/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_effects.h"

#include "orchestrator.h"
#include "say.h"
#include "stance.h"
#include "state.h"

static uint8_t wanted_of_dispatch(const struct engine *e, uint32_t id)
{
    const struct dispatch *d = dispatch_at(e, id);
    bool writes =
        (d->phase == PHASE_NOTING || d->phase == PHASE_WRITING) && !dispatch_is(d, DISPATCH_AWAITS);
    bool binds = stance_winner(e, id) != 0 && !dispatch_is(d, DISPATCH_BOUND);
    bool retries = stance_wants_retry(e, id) && !dispatch_is(d, DISPATCH_RETRIED);

    return (uint8_t)(writes << DISPATCH_WRITE_MEMORY | binds << DISPATCH_SET_CLUSTER |
                     retries << DISPATCH_RETRY);
}

static void say_why_retry(const struct engine *e, uint32_t id, char *message)
{
    const struct dispatch *d = dispatch_at(e, id);
    const struct worker *worker = worker_at(e, d->cluster);
    uint32_t replica = replica_find(e, id, name_text(e, worker->name));
    struct say say;

    say_init(&say, message, VERDICT_MESSAGE_MAX);
    if (!worker->connected) {
        say_str(&say, "the cluster ");
        say_text(&say, name_text(e, worker->name));
        say_str(&say, " cannot be reached for ");
        say_span(&say, e->now - worker->lost);
    } else if (replica_is(replica_at(e, replica), REPLICA_THERE)) {
        say_str(&say, "evicted in the cluster ");
        say_text(&say, name_text(e, worker->name));
    } else {
        say_str(&say, "its copy is gone from the cluster ");
        say_text(&say, name_text(e, worker->name));
    }
}

static void describe_dispatch(const struct engine *e, uint32_t id, uint32_t slot,
                              struct effect *ret)
{
    const struct dispatch *d = dispatch_at(e, id);
    uint32_t winner = stance_winner(e, id);

    ret->uid = name_text(e, d->uid);
    ret->space = name_text(e, d->space);
    ret->name = name_text(e, d->name);
    ret->resource_version = d->version;
    ret->workload = id;
    ret->cluster = ret->origin = (struct text){NULL, 0};
    ret->until = 0;
    ret->gate_count = 0;
    ret->message[0] = '\0';
    if (slot == DISPATCH_SET_CLUSTER && winner != 0)
        ret->cluster = name_text(e, worker_at(e, replica_at(e, winner)->worker)->name);
    if (slot == DISPATCH_RETRY && d->cluster != 0) {
        ret->cluster = name_text(e, worker_at(e, d->cluster)->name);
        say_why_retry(e, id, ret->message);
    }
}

static void dispatch_done(struct engine *e, uint32_t id, uint32_t slot, int64_t version)
{
    (void)version; /* its memory may be another one's by now: it is seen again */
    if (slot == DISPATCH_WRITE_MEMORY)
        orchestrator_written(e, id);
    else
        dispatch_set(dispatch_at(e, id),
                     slot == DISPATCH_SET_CLUSTER ? DISPATCH_BOUND : DISPATCH_RETRIED, true);
}

static void dispatch_gone(struct engine *e, uint32_t id, uint32_t slot)
{
    (void)slot;
    dispatch_forget(e, id);
}

const struct outbox_type dispatch_effects = {
    .records = offsetof(struct engine, dispatches),
    .entry = offsetof(struct dispatch, effects),
    .slots = DISPATCH_EFFECTS,
    .kinds = {EFFECT_WRITE_MEMORY, EFFECT_SET_CLUSTER, EFFECT_RETRY_CHECK},
    .wanted = wanted_of_dispatch,
    .describe = describe_dispatch,
    .done = dispatch_done,
    .gone = dispatch_gone,
    .set_timer = dispatch_set_timer,
};

static uint8_t wanted_of_replica(const struct engine *e, uint32_t id)
{
    return (uint8_t)(stance_wants_create(e, id) << REPLICA_CREATE |
                     stance_wants_delete(e, id) << REPLICA_DELETE |
                     orchestrator_wants_open(e, id) << REPLICA_OPEN_GATE);
}

static void describe_replica(const struct engine *e, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct replica *r = replica_at(e, id);
    const struct dispatch *d = dispatch_at(e, r->dispatch);
    int gates = slot == REPLICA_CREATE ? stance_gates(e, r->dispatch, ret->gates) : 0;

    ret->uid = slot == REPLICA_CREATE ? (struct text){NULL, 0} : name_text(e, r->uid);
    ret->space = name_text(e, d->space);
    ret->name = name_text(e, d->name);
    ret->workload = r->dispatch;
    ret->message[0] = '\0';
    ret->cluster = name_text(e, worker_at(e, r->worker)->name);
    ret->origin = name_text(e, d->uid);
    ret->resource_version = r->version;
    ret->gate_count = gates > 0 ? (uint32_t)gates : 0;
    ret->until = slot == REPLICA_OPEN_GATE ? orchestrator_open_until(e, id) : 0;
}

static void replica_done(struct engine *e, uint32_t id, uint32_t slot, int64_t version)
{
    struct replica *r = replica_at(e, id);

    (void)version; /* its worker may have changed it since: it is seen again */
    if (slot == REPLICA_CREATE) {
        replica_set(r, REPLICA_MADE, true);
        outbox_sync(e, EFFECT_OF_REPLICA, id);
    } else if (slot == REPLICA_DELETE) {
        replica_set(r, REPLICA_DELETED, true);
        replica_look_again(e, id);
    } else {
        replica_set(r, REPLICA_OPEN, true);
        replica_set(r, REPLICA_ASKED, false);
        orchestrator_opened(e, id);
        replica_look_again(e, id);
    }
}

static void replica_gone(struct engine *e, uint32_t id, uint32_t slot)
{
    if (slot == REPLICA_CREATE)
        replica_done(e, id, slot, 0); /* until its worker is back */
    else
        replica_forget(e, id);
}

const struct outbox_type replica_effects = {
    .records = offsetof(struct engine, replicas),
    .entry = offsetof(struct replica, effects),
    .slots = REPLICA_EFFECTS,
    .kinds = {EFFECT_CREATE_REPLICA, EFFECT_DELETE_REPLICA, EFFECT_OPEN_GATE},
    .wanted = wanted_of_replica,
    .describe = describe_replica,
    .done = replica_done,
    .gone = replica_gone,
    .set_timer = replica_set_timer,
};
