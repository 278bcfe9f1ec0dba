/* SPDX-License-Identifier: Apache-2.0 */
#include "phase.h"

#include "fleet_state.h"
#include "preemption_memory.h"

int64_t phase_blocked_until(const struct fleet *f, uint32_t id)
{
    const struct dispatch *d = dispatch_at(f, id);
    int64_t timeout = d->timeout != 0 ? d->timeout : f->config.preemption_timeout;

    return d->counted == 0 ? 0 : d->counted + timeout;
}

void phase_set(struct fleet *f, uint32_t id, enum phase phase, uint32_t target)
{
    struct dispatch *d = dispatch_at(f, id);
    uint32_t before = d->target;

    d->phase = (uint8_t)phase;
    d->target = target;
    if (before != 0) {
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, before);
        replica_set_timer(f, before);
    }
    if (target != 0 && target != before) {
        outbox_sync(f->outbox, EFFECT_OF_REPLICA, target);
        replica_set_timer(f, target);
    }
}

/* What may still be carried out counts until it may not any more. */
void phase_rest(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);

    if (d->phase == PHASE_OPENING) {
        int64_t until = d->opening + OPENING_WINDOW;
        bool under_way = (replica_at(f, d->target)->effects.leased & 1u << REPLICA_OPEN_GATE) != 0;

        dispatch_count(d, under_way || until < f->now ? until : f->now);
    }
    phase_set(f, id, PHASE_REST, 0);
}

void phase_lose(struct fleet *f, uint32_t replica)
{
    uint32_t id = replica_at(f, replica)->dispatch;

    if (dispatch_at(f, id)->target == replica)
        phase_rest(f, id);
}

void phase_keep_opening(struct fleet *f, uint32_t replica)
{
    const struct replica *r = replica_at(f, replica);
    struct dispatch *d = dispatch_at(f, r->dispatch);

    phase_lose(f, replica);
    if (r->opened != 0 && d->counted > d->past)
        d->past = d->counted;
    if (d->fresh == replica)
        d->fresh = 0;
}

static void begin_opening(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);
    struct replica *r = replica_at(f, d->target);

    r->opened = d->opening;
    r->opened_uid = replica_uid_hash(fleet_text(f, r->uid));
    replica_set(r, REPLICA_ASKED, true);
    replica_rank(f, d->target);
    d->fresh = 0;
    phase_set(f, id, PHASE_OPENING, d->target);
}

void phase_opened(struct fleet *f, uint32_t replica)
{
    uint32_t id = replica_at(f, replica)->dispatch;
    struct dispatch *d = dispatch_at(f, id);

    if (d->phase == PHASE_OPENING && d->target == replica) {
        dispatch_count(d,
                       f->now < d->opening + OPENING_WINDOW ? f->now : d->opening + OPENING_WINDOW);
        phase_set(f, id, PHASE_REST, 0);
    }
    dispatch_todo(f, id);
}

void phase_written(struct fleet *f, uint32_t id)
{
    struct dispatch *d = dispatch_at(f, id);
    bool doubt = dispatch_is(d, DISPATCH_DOUBT);

    dispatch_set(d, DISPATCH_DOUBT, false);
    dispatch_todo(f, id);
    if (doubt) { /* which of two writings was it? The object will say. */
        dispatch_set(d, DISPATCH_AWAITS, true);
        phase_rest(f, id);
    } else if (d->phase == PHASE_NOTING) {
        d->noted = d->opening;
        phase_rest(f, id);
    } else if (d->phase == PHASE_WRITING && f->now <= d->opening + OPENING_WINDOW) {
        if (d->fresh == d->target || phase_blocked_until(f, id) <= f->now) {
            begin_opening(f, id);
            return;
        }
        dispatch_count(d, d->opening + OPENING_WINDOW);
        phase_rest(f, id);
    }
}
