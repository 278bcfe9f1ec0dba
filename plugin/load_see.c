/* SPDX-License-Identifier: Apache-2.0 */
#include "assign.h"
#include "load.h"
#include "load_promise.h"
#include "state.h"

/* What an object says, with all that it needs in hand. */
struct details {
    uint32_t uid, unsupported, target_cause;
    uint32_t local_queue, queue, text, wish;
    struct preemption_gates gates;
    uint32_t check_count;
    uint32_t checks[FACTS_MAX_CHECKS];
    uint32_t *counts;
    size_t size;
    bool granted;
};

static size_t counts_size(const struct wish *wish)
{
    return wish->set_count * sizeof(uint32_t) + wish->need_count * sizeof(uint16_t);
}

static void free_counts(struct engine *e, uint32_t *counts, const struct wish *wish)
{
    const uint16_t *flavors = (const void *)(counts + (wish == NULL ? 0 : wish->set_count));

    if (counts == NULL)
        return;
    for (uint32_t i = 0; i < wish->need_count; i++)
        flavor_unref(e, flavors[i]);
    mem_free(&e->mem, counts, counts_size(wish));
}

static void release(struct engine *e, struct details *d)
{
    uint32_t queue = d->wish == 0 ? 0 : wish_at(e, d->wish)->queue;

    free_counts(e, d->counts, d->wish == 0 ? NULL : wish_at(e, d->wish));
    for (uint32_t i = 0; i < d->check_count; i++)
        intern_unref(&e->names, d->checks[i]);
    preemption_gates_drop(e, &d->gates);
    wish_unref(e, d->wish);
    intern_unref(&e->names, d->uid);
    intern_unref(&e->names, d->unsupported);
    intern_unref(&e->names, d->target_cause);
    intern_unref(&e->names, d->text);
    queue_drop_unused(e, d->queue != 0 ? d->queue : queue);
    local_queue_drop(e, d->local_queue);
}

static int read_gates(struct engine *e, const struct load_facts *facts, struct details *d)
{
    struct preemption_gate_facts gates[FACTS_MAX_PREEMPTION_GATES];

    for (uint32_t i = 0; i < facts->gate_count; i++) {
        gates[i].name = facts->gates[i].name;
        gates[i].position = !facts->gates[i].said  ? GATE_UNSAID
                            : facts->gates[i].open ? GATE_OPEN
                                                   : GATE_CLOSED;
    }
    return preemption_gates_get(e, gates, facts->gate_count, facts->stray_gates, &d->gates);
}

/* The flavors that the admission names, by pod set and resource; what it does not name nobody
 * counts. */
static int read_granted(struct engine *e, const struct load_facts *facts, struct details *d)
{
    const struct wish *wish = wish_at(e, d->wish);
    uint16_t *flavors = (uint16_t *)(void *)(d->counts + wish->set_count);

    for (uint32_t s = 0; s < wish->set_count; s++) {
        const struct granted_facts *granted = NULL;

        for (uint32_t g = 0; g < facts->granted_count; g++) {
            if (text_same(facts->granted[g].name, wish->sets[s].name))
                granted = &facts->granted[g];
        }
        if (granted == NULL)
            continue;
        d->counts[s] = (uint32_t)granted->count;
        for (uint32_t i = 0; i < wish->asks[s].need_count; i++) {
            struct text resource = name_text(e, wish->asks[s].needs[i].resource);

            for (uint32_t k = 0; k < granted->flavor_count; k++) {
                int error;

                if (!text_same(granted->flavors[k].resource, resource))
                    continue;
                error = flavor_get(e, granted->flavors[k].flavor, &flavors[wish->sets[s].at + i]);
                if (error < 0) {
                    flavors[wish->sets[s].at + i] = FLAVOR_NONE;
                    return error;
                }
            }
        }
    }
    return 0;
}

static int make_counts(struct engine *e, struct details *d)
{
    const struct wish *wish = wish_at(e, d->wish);
    uint16_t *flavors;

    d->counts = mem_zalloc(&e->mem, counts_size(wish));
    if (d->counts == NULL)
        return ENGINE_NO_MEMORY;
    flavors = (uint16_t *)(void *)(d->counts + wish->set_count);
    for (uint32_t i = 0; i < wish->need_count; i++)
        flavors[i] = FLAVOR_NONE;
    return 0;
}

static int read_names(struct engine *e, const struct load_facts *facts, struct details *d)
{
    int error = name_get(e, facts->uid, &d->uid);

    if (error == 0)
        error = name_get(e, facts->unsupported, &d->unsupported);
    if (error == 0)
        error = name_get(e, facts->conditions[CONDITION_TARGET].reason, &d->target_cause);
    for (uint32_t i = 0; i < facts->check_count && error == 0; i++) {
        error = name_get(e, facts->checks[i].name, &d->checks[i]);
        d->check_count += error == 0;
    }
    return error == 0 ? read_gates(e, facts, d) : error;
}

static int read_details(struct engine *e, const struct load_facts *facts, struct details *d)
{
    int error = read_names(e, facts, d);
    bool gated;

    if (error == 0)
        error = local_queue_get(e, facts->space, facts->queue, &d->local_queue);
    if (error == 0)
        error = wish_text(e, facts, &d->text);
    d->granted = facts->conditions[CONDITION_RESERVED].is_true && facts->has_admission;
    if (error == 0 && d->granted)
        error = queue_get(e, QUEUE_CLUSTER, facts->granted_queue, &d->queue);
    else if (error == 0)
        d->queue = local_queue_at(e, d->local_queue)->queue;
    gated = e->config.preemption_gates && preemption_gates_closed(&d->gates) != 0;
    if (error == 0)
        error = wish_get(e, d->queue, d->text, gated, facts->yields, &d->wish);
    if (error == 0)
        error = make_counts(e, d);
    return error == 0 && d->granted ? read_granted(e, facts, d) : error;
}

static int make(struct engine *e, const struct load_facts *facts, uint32_t *ret_id)
{
    struct load load = {0};
    uint32_t id;

    if (slab_count(&e->loads) >= e->config.max_workloads)
        return ENGINE_FULL;
    if (slab_reserve(&e->loads, 1) < 0 || index_reserve(&e->loads_by_name, 1) < 0 ||
        heap_reserve(&e->load_timers, slab_end(&e->loads) + 1) < 0 ||
        name_get(e, facts->space, &load.space) < 0 || name_get(e, facts->name, &load.name) < 0) {
        intern_unref(&e->names, load.space);
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&e->loads);
    load.effects.turn = outbox_turn(e);
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

/* All that the record has hold of, but its name. [taken out] */
static void drop_details(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    uint32_t queue = load->wish == 0 ? 0 : load_queue(e, id);

    free_counts(e, load->counts, load->wish == 0 ? NULL : wish_at(e, load->wish));
    load->counts = NULL;
    for (uint32_t i = 0; i < load->check_count; i++)
        intern_unref(&e->names, load->checks[i]);
    preemption_gates_drop(e, &load->gates);
    intern_unref(&e->names, load->uid);
    intern_unref(&e->names, load->unsupported);
    intern_unref(&e->names, load->target_cause);
    wish_unref(e, load->wish);
    load->wish = 0;
    load->check_count = 0;
    if (queue != 0) {
        queue_at(e, queue)->wanted_by--;
        queue_drop_unused(e, queue);
    }
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
static bool keeps_decision(const struct engine *e, uint32_t id, const struct details *d)
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

    outbox_forget(e, EFFECT_OF_LOAD, id);
    load->effects.turn = outbox_turn(e);
    load_promise_lose_victim(e, id);
    load->flags = 0;
    load->version = load->wrote = 0;
}

/* What others notice of it. */
struct footprint {
    bool holds, stays;
    uint32_t hash;
};

static struct footprint footprint(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    struct footprint ret = {.holds = load_holds(load), .stays = load_counts_later(load)};

    if (ret.holds)
        ret.hash = hash_bytes(load->counts, counts_size(wish_at(e, load->wish)), 20);
    return ret;
}

static void take(struct engine *e, uint32_t id, const struct load_facts *facts, struct details *d)
{
    struct load *load = load_at(e, id);
    struct footprint was = footprint(e, id), is;
    bool fresh = load->wish == 0 || load->uid != d->uid;
    bool keeps = keeps_decision(e, id, d);
    uint32_t before = load->wish == 0 ? 0 : load_queue(e, id), *counts = d->counts;

    if (!keeps)
        load_give_up(e, id);
    if (load->wish != 0)
        load_take_out(e, id);
    if (fresh)
        begin_anew(e, id);
    if (keeps) {
        counts = load->counts;
        load->counts = d->counts;
    }
    queue_at(e, d->queue)->wanted_by += d->queue != 0;
    drop_details(e, id);
    if (load->local_queue != d->local_queue) {
        unlink_local(e, id);
        link_local(e, id, d->local_queue);
    }
    load->uid = d->uid;
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
    if (keeps)
        load_put_in(e, id);
    load_settle(e, id);
    is = footprint(e, id);
    if (was.holds && before != 0 && /* it holds less, or goes */
        (!is.holds || (was.stays && !is.stays) || was.hash != is.hash))
        queue_todo(e, TODO_DIRTY, queue_root(e, before));
}

int engine_see_load(struct engine *e, const struct load_facts *facts)
{
    struct details details = {0};
    uint32_t id = load_find(e, facts->space, facts->name);
    bool is_new = id == 0;
    int error;

    if (id != 0 && facts->version != 0 &&
        text_same(name_text(e, load_at(e, id)->uid), facts->uid) &&
        (facts->version <= load_at(e, id)->version || facts->version < load_at(e, id)->wrote))
        return 0;
    error = read_details(e, facts, &details);
    if (error == 0 && is_new)
        error = make(e, facts, &id);
    if (error < 0) {
        release(e, &details);
        return error;
    }
    take(e, id, facts, &details);
    engine_tick(e);
    return 0;
}

void load_destroy(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    uint32_t queue = load_queue(e, id);
    bool held = load_holds(load);

    load_give_up(e, id);
    load_take_out(e, id);
    load_promise_lose_victim(e, id);
    outbox_forget(e, EFFECT_OF_LOAD, id);
    heap_clear(&e->load_timers, id);
    index_drop(&e->loads_by_name,
               load_name_hash(name_text(e, load->space), name_text(e, load->name)), id);
    if (held && queue != 0)
        queue_todo(e, TODO_DIRTY, queue_root(e, queue));
    drop_details(e, id);
    unlink_local(e, id);
    intern_unref(&e->names, load->space);
    intern_unref(&e->names, load->name);
    slab_give(&e->loads, id);
}

void engine_lose_load(struct engine *e, struct text space, struct text name, struct text uid)
{
    uint32_t id = load_find(e, space, name);

    if (id != 0 && (uid.len == 0 || text_same(uid, name_text(e, load_at(e, id)->uid))))
        load_destroy(e, id);
    engine_tick(e);
}

void load_release_all(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->loads); id++) {
        if (slab_live(&e->loads, id))
            mem_free(&e->mem, load_at(e, id)->counts,
                     counts_size(wish_at(e, load_at(e, id)->wish)));
    }
    for (uint32_t id = 1; id < slab_end(&e->wishes); id++) {
        if (slab_live(&e->wishes, id))
            wish_release(e, id);
    }
}
