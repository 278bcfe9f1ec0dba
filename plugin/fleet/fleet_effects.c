/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet_effects.h"

#include "fleet_state.h"
#include "loss.h"
#include "orchestrator.h"
#include "phase.h"
#include "plan.h"
#include "plugin/base/sentence.h"

static uint8_t wanted_of_dispatch(const void *owner, uint32_t id)
{
    const struct fleet *f = owner;
    const struct dispatch *d = dispatch_at(f, id);
    bool writes =
        (d->phase == PHASE_NOTING || d->phase == PHASE_WRITING) && !dispatch_is(d, DISPATCH_AWAITS);
    bool binds = plan_winner(f, id) != 0 && !dispatch_is(d, DISPATCH_BOUND);
    bool retries = plan_wants_retry(f, id) && !dispatch_is(d, DISPATCH_RETRIED);

    return (uint8_t)(writes << DISPATCH_WRITE_MEMORY | binds << DISPATCH_SET_CLUSTER |
                     retries << DISPATCH_RETRY);
}

static void say_why_retry(const struct fleet *f, uint32_t id, char *message)
{
    const struct dispatch *d = dispatch_at(f, id);
    const struct worker *worker = worker_at(f, d->said.cluster);
    uint32_t replica = replica_find(f, id, fleet_text(f, worker->name));
    struct sentence say = sentence_in(message, VERDICT_MESSAGE_MAX);

    if (!worker->connected) {
        sentence_named(&say, "the cluster ", fleet_text(f, worker->name),
                       " cannot be reached for ");
        sentence_span(&say, f->now - worker->lost);
    } else {
        sentence_str(&say, replica_is(replica_at(f, replica), REPLICA_THERE)
                               ? "evicted in the cluster "
                               : "its copy is gone from the cluster ");
        sentence_text(&say, fleet_text(f, worker->name));
    }
}

static void describe_dispatch(const void *owner, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct fleet *f = owner;
    const struct dispatch *d = dispatch_at(f, id);
    uint32_t winner = plan_winner(f, id);

    ret->uid = fleet_text(f, d->said.uid);
    ret->space = fleet_text(f, d->space);
    ret->name = fleet_text(f, d->name);
    ret->resource_version = d->version;
    ret->dispatch = id;
    ret->cluster = ret->origin = (struct text){NULL, 0};
    ret->until = 0;
    ret->gate_count = 0;
    ret->message[0] = '\0';
    if (slot == DISPATCH_SET_CLUSTER && winner != 0)
        ret->cluster = worker_name(f, replica_at(f, winner)->worker);
    if (slot == DISPATCH_RETRY && d->said.cluster != 0) {
        ret->cluster = worker_name(f, d->said.cluster);
        say_why_retry(f, id, ret->message);
    }
}

static void dispatch_done(void *owner, uint32_t id, uint32_t slot, int64_t version)
{
    struct fleet *f = owner;
    (void)version; /* its memory may be another one's by now: it is seen again */
    if (slot == DISPATCH_WRITE_MEMORY)
        phase_written(f, id);
    else
        dispatch_set(dispatch_at(f, id),
                     slot == DISPATCH_SET_CLUSTER ? DISPATCH_BOUND : DISPATCH_RETRIED, true);
}

static void dispatch_gone(void *owner, uint32_t id, uint32_t slot)
{
    struct fleet *f = owner;
    (void)slot;
    dispatch_forget(f, id);
}

static void set_timer_of_dispatch(void *owner, uint32_t id)
{
    orchestrator_set_timer(owner, id);
}

const struct outbox_type dispatch_effects = {
    .records = offsetof(struct fleet, dispatches),
    .entry = offsetof(struct dispatch, effects),
    .slots = DISPATCH_EFFECTS,
    .kinds = {EFFECT_WRITE_MEMORY, EFFECT_SET_CLUSTER, EFFECT_RETRY_CHECK},
    .wanted = wanted_of_dispatch,
    .describe = describe_dispatch,
    .done = dispatch_done,
    .gone = dispatch_gone,
    .set_timer = set_timer_of_dispatch,
};

static uint8_t wanted_of_replica(const void *owner, uint32_t id)
{
    const struct fleet *f = owner;
    return (uint8_t)(plan_wants_create(f, id) << REPLICA_CREATE |
                     plan_wants_delete(f, id) << REPLICA_DELETE |
                     orchestrator_wants_open(f, id) << REPLICA_OPEN_GATE);
}

static void describe_replica(const void *owner, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct fleet *f = owner;
    const struct replica *r = replica_at(f, id);
    const struct dispatch *d = dispatch_at(f, r->dispatch);
    int gates = slot == REPLICA_CREATE ? plan_gates(f, r->dispatch, ret->gates) : 0;

    ret->uid = slot == REPLICA_CREATE ? (struct text){NULL, 0} : fleet_text(f, r->uid);
    ret->space = fleet_text(f, d->space);
    ret->name = fleet_text(f, d->name);
    ret->dispatch = r->dispatch;
    ret->message[0] = '\0';
    ret->cluster = worker_name(f, r->worker);
    ret->origin = fleet_text(f, d->said.uid);
    ret->resource_version = r->version;
    ret->gate_count = gates > 0 ? (uint32_t)gates : 0;
    ret->until = slot == REPLICA_OPEN_GATE ? orchestrator_open_until(f, id) : 0;
}

static void replica_done(void *owner, uint32_t id, uint32_t slot, int64_t version)
{
    struct fleet *f = owner;
    struct replica *r = replica_at(f, id);

    (void)version; /* its worker may have changed it since: it is seen again */
    if (slot == REPLICA_CREATE) {
        replica_set(r, REPLICA_MADE, true);
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, id);
    } else if (slot == REPLICA_DELETE) {
        replica_set(r, REPLICA_DELETED, true);
        replica_look_again(f, id);
    } else {
        replica_set(r, REPLICA_OPEN, true);
        replica_set(r, REPLICA_ASKED, false);
        phase_opened(f, id);
        replica_look_again(f, id);
    }
}

static void replica_gone(void *owner, uint32_t id, uint32_t slot)
{
    struct fleet *f = owner;
    if (slot == REPLICA_CREATE)
        replica_done(f, id, slot, 0); /* until its worker is back */
    else
        replica_forget(f, id);
}

static void set_timer_of_replica(void *owner, uint32_t id)
{
    replica_set_timer(owner, id);
}

const struct outbox_type replica_effects = {
    .records = offsetof(struct fleet, replicas),
    .entry = offsetof(struct replica, effects),
    .slots = REPLICA_EFFECTS,
    .kinds = {EFFECT_CREATE_REPLICA, EFFECT_DELETE_REPLICA, EFFECT_OPEN_GATE},
    .wanted = wanted_of_replica,
    .describe = describe_replica,
    .done = replica_done,
    .gone = replica_gone,
    .set_timer = set_timer_of_replica,
};
