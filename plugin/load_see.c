/* SPDX-License-Identifier: Apache-2.0 */
#include "assign.h"
#include "load.h"
#include "load_details.h"
#include "load_promise.h"
#include "load_refusal.h"
#include "state.h"

static int make(struct engine *e, const struct load_facts *facts, uint32_t *ret_id)
{
    struct load load = {0};
    uint32_t id;

    if (slab_count(&e->loads) >= e->config.max_workloads)
        return ENGINE_FULL_WORKLOADS;
    if (slab_reserve(&e->loads, 1) < 0 || index_reserve(&e->loads_by_name) < 0 ||
        heap_reserve(&e->load_timers, slab_end(&e->loads) + 1) < 0 ||
        name_get(e, facts->space, &load.space) < 0 || name_get(e, facts->name, &load.name) < 0) {
        intern_unref(&e->names, load.space);
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&e->loads);
    *load_at(e, id) = load;
    index_put(&e->loads_by_name, load_name_hash(facts->space, facts->name), id);
    *ret_id = id;
    return 0;
}

static void link_local(struct engine *e, uint32_t id, uint32_t local)
{
    struct load *load = load_at(e, id);

    load->local_queue = local;
    load->prev_local = 0;
    load->next_local = local_queue_at(e, local)->first;
    if (load->next_local != 0)
        load_at(e, load->next_local)->prev_local = id;
    local_queue_at(e, local)->first = id;
}

static void unlink_local(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    uint32_t local = load->local_queue;

    if (local == 0)
        return;
    if (load->prev_local != 0)
        load_at(e, load->prev_local)->next_local = load->next_local;
    else
        local_queue_at(e, local)->first = load->next_local;
    if (load->next_local != 0)
        load_at(e, load->next_local)->prev_local = load->prev_local;
    load->local_queue = load->next_local = load->prev_local = 0;
    local_queue_drop(e, local);
}

/* A queue that is only named is there as long as somebody names it. */
static void hold_queue(struct engine *e, uint32_t queue)
{
    if (queue != 0)
        queue_at(e, queue)->wanted_by++;
}

static void let_queue_go(struct engine *e, uint32_t queue)
{
    if (queue == 0)
        return;
    queue_at(e, queue)->wanted_by--;
    queue_drop_unused(e, queue);
}

/* All that the record has hold of, but its name. [taken out] */
static void drop_details(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    uint32_t queue = load->wish == 0 ? 0 : load_queue(e, id);

    load_free_counts(e, load->counts, load->wish == 0 ? NULL : wish_at(e, load->wish));
    load->counts = NULL;
    for (uint32_t i = 0; i < load->check_count; i++)
        intern_unref(&e->names, load->checks[i]);
    preemption_gates_drop(e, &load->gates);
    intern_unref(&e->names, load->uid);
    intern_unref(&e->names, load->job);
    intern_unref(&e->names, load->unsupported);
    intern_unref(&e->names, load->target_cause);
    wish_unref(e, load->wish);
    load->wish = 0;
    load->check_count = 0;
    let_queue_go(e, queue);
}

static void take_conditions(struct load *load, const struct load_facts *facts)
{
    const struct condition_facts *is = facts->conditions;
    bool signals = is[CONDITION_SIGNAL].is_true || is[CONDITION_SIGNAL_KEP].is_true;

    load_set(load, LOAD_FINISHED, is[CONDITION_FINISHED].is_true);
    load_set(load, LOAD_RESERVED, is[CONDITION_RESERVED].is_true && facts->has_admission);
    load_set(load, LOAD_ADMITTED, is[CONDITION_ADMITTED].is_true);
    load_set(load, LOAD_EVICTED, is[CONDITION_EVICTED].is_true);
    load_set(load, LOAD_TARGET, is[CONDITION_TARGET].is_true);
    load_set(load, LOAD_SIGNALS, signals);
    load->signal_since =
        is[CONDITION_SIGNAL].is_true ? is[CONDITION_SIGNAL].since : is[CONDITION_SIGNAL_KEP].since;
    load->evicted_why = LIFE_NONE;
    if (is[CONDITION_EVICTED].is_true)
        load->evicted_why = (uint8_t)life_reason_of(is[CONDITION_EVICTED].reason);
    load->on_hold = load->pending_why = LIFE_NONE;
    if (is[CONDITION_REQUEUED].is_false)
        load->on_hold = (uint8_t)life_reason_of(is[CONDITION_REQUEUED].reason);
    if (is[CONDITION_RESERVED].is_false)
        load->pending_why = (uint8_t)life_reason_of(is[CONDITION_RESERVED].reason);
    load->since = facts->created;
    if (load->evicted_why == LIFE_ADMISSION_CHECK && is[CONDITION_EVICTED].since > 0)
        load->since = is[CONDITION_EVICTED].since;
    if (load_is(load, LOAD_RESERVED))
        load->stamp = is[CONDITION_RESERVED].since;
}

static void take_facts(struct load *load, const struct load_facts *facts)
{
    load_set(load, LOAD_ACTIVE, facts->active);
    load_set(load, LOAD_DELETED, facts->deleted);
    load_set(load, LOAD_STOPPED, facts->job_stopped);
    load_set(load, LOAD_YIELDS, facts->yields);
    load_set(load, LOAD_GATED_BY, facts->admission_gated);
    load_set(load, LOAD_REQUEUES, facts->has_requeue);
    load->created = facts->created;
    load->priority = facts->priority;
    load->requeue_at = facts->requeue_at;
    load->retry_at = 0;
    for (uint32_t i = 0; i < facts->check_count; i++) {
        load->check_states[i] = (uint8_t)facts->checks[i].state;
        if (facts->checks[i].state == CHECK_RETRY && facts->checks[i].retry_at > load->retry_at)
            load->retry_at = facts->checks[i].retry_at;
    }
    load->version = facts->version;
    take_conditions(load, facts);
}

/* What was decided still holds: it is the same workload, and asks for the same in the same queue,
 * and its object has not overtaken it. */
static bool keeps_decision(const struct engine *e, uint32_t id, const struct load_details *d)
{
    const struct load *load = load_at(e, id);
    const struct wish *old = load->wish == 0 ? NULL : wish_at(e, load->wish);
    const struct wish *new = wish_at(e, d->wish);

    if (old == NULL || d->granted || !load_is(load, LOAD_PLACED) || load->uid != d->uid ||
        old->queue != new->queue || old->text != new->text || old->yields != new->yields)
        return false;
    return load_is(load, LOAD_ASSUMED) || (load_is(load, LOAD_PROMISED) && !new->gated);
}

/* Victims of another workload are none of this one's, and its own go for nobody. */
static void begin_anew(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);

    outbox_forget(&e->outbox, EFFECT_OF_LOAD, id);
    load_promise_lose_victim(e, id);
    load->flags = 0;
    load->version = load->wrote = 0;
}

/* What others notice of it. */
struct footprint {
    bool holds, stays, leaves;
    int32_t priority;
    int64_t since;
    uint32_t queue; /* where it holds, */
    uint32_t hash;  /* and what */
};

static struct footprint footprint(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    struct footprint ret = {.holds = load_holds(load),
                            .stays = load_counts_later(load),
                            .leaves = load_is_leaving(load),
                            .priority = load->priority,
                            .since = load->since};

    if (!ret.holds)
        return ret;
    ret.queue = load_queue(e, id);
    ret.hash = hash_bytes(load->counts, load_counts_size(wish_at(e, load->wish)), 20);
    return ret;
}

/* Room is taken that was not, by what its object says. */
static bool takes_more(const struct footprint *was, const struct footprint *is)
{
    return is->holds && (!was->holds || was->queue != is->queue || was->hash != is->hash);
}

/* Room comes: it holds less, or goes; or it may be sent away by others now. */
static bool leaves_more(const struct footprint *was, const struct footprint *is)
{
    return was->holds &&
           (!is->holds || (was->stays && !is->stays) || (!was->leaves && is->leaves) ||
            was->queue != is->queue || was->hash != is->hash || was->priority != is->priority ||
            was->since != is->since);
}

static void take(struct engine *e, uint32_t id, const struct load_facts *facts,
                 struct load_details *d)
{
    struct load *load = load_at(e, id);
    struct footprint was = footprint(e, id), is;
    bool fresh = load->wish == 0 || load->uid != d->uid;
    bool keeps = keeps_decision(e, id, d);
    uint32_t before = load->wish == 0 ? 0 : load_queue(e, id), *counts = d->counts;

    hold_queue(e, before); /* where it was is looked at once more in the end */
    if (!keeps)
        load_retract(e, id);
    if (load->wish != 0)
        load_take_out(e, id);
    if (fresh)
        begin_anew(e, id);
    if (keeps) {
        counts = load->counts;
        load->counts = d->counts;
    }
    hold_queue(e, d->queue);
    drop_details(e, id);
    if (load->local_queue != d->local_queue) {
        unlink_local(e, id);
        link_local(e, id, d->local_queue);
    }
    load->uid = d->uid;
    load->job = d->job;
    load->unsupported = d->unsupported;
    load->target_cause = d->target_cause;
    load->wish = d->wish;
    load->counts = counts;
    load->gates = d->gates;
    load->check_count = (uint8_t)d->check_count;
    memcpy(load->checks, d->checks, sizeof(load->checks));
    intern_unref(&e->names, d->text);
    take_facts(load, facts);
    if (fresh)
        load_set(load, LOAD_BLOCKED, load_is(load, LOAD_SIGNALS));
    if (load->wrote == 0 || facts->version == 0 || facts->version >= load->wrote)
        load_set(load, LOAD_AWAITS, false);
    load_refusal_seen(e, id, fresh);
    if (keeps)
        load_put_in(e, id);
    load_settle(e, id);
    is = footprint(e, id);
    if (was.holds && !is.holds && !keeps && before != 0)
        queue_at(e, before)->totals.gave_up++;
    if (is.holds && was.queue != is.queue)
        bay_stir_excess(e, is.queue);
    if (leaves_more(&was, &is) && before != 0)
        queue_todo(e, TODO_DIRTY, queue_root(e, before));
    if (takes_more(&was, &is)) /* others granted it that */
        bay_stir(e, is.queue);
    let_queue_go(e, before);
}

int load_see(struct engine *e, const struct load_facts *facts)
{
    struct load_details details = {0};
    uint32_t id = load_find(e, facts->space, facts->name);
    bool is_new = id == 0;
    int error;

    if (id != 0 && facts->version != 0 &&
        text_same(name_text(e, load_at(e, id)->uid), facts->uid) &&
        (facts->version < load_at(e, id)->version || facts->version < load_at(e, id)->wrote))
        return SEEN_BEFORE;
    error = load_read_details(e, facts, &details);
    if (error == 0 && is_new)
        error = make(e, facts, &id);
    if (error < 0) {
        load_release_details(e, &details);
        return error;
    }
    take(e, id, facts, &details);
    return SEEN_ANEW;
}

void load_destroy(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    uint32_t queue = load_queue(e, id);
    bool held = load_holds(load);

    load_retract(e, id);
    load_take_out(e, id);
    load_promise_lose_victim(e, id);
    outbox_forget(&e->outbox, EFFECT_OF_LOAD, id);
    heap_clear(&e->load_timers, id);
    index_drop(&e->loads_by_name,
               load_name_hash(name_text(e, load->space), name_text(e, load->name)), id);
    if (held && queue != 0) {
        queue_todo(e, TODO_DIRTY, queue_root(e, queue));
        load_count_release(e, id);
    }
    drop_details(e, id);
    unlink_local(e, id);
    intern_unref(&e->names, load->space);
    intern_unref(&e->names, load->name);
    slab_give(&e->loads, id);
}

void load_lose(struct engine *e, struct text space, struct text name, struct text uid)
{
    uint32_t id = load_find(e, space, name);

    if (id != 0 && (uid.len == 0 || text_same(uid, name_text(e, load_at(e, id)->uid))))
        load_destroy(e, id);
}

void load_release_all(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->loads); id++) {
        if (slab_live(&e->loads, id))
            mem_free(&e->mem, load_at(e, id)->counts,
                     load_counts_size(wish_at(e, load_at(e, id)->wish)));
    }
    for (uint32_t id = 1; id < slab_end(&e->wishes); id++) {
        if (slab_live(&e->wishes, id))
            wish_release(e, id);
    }
}
