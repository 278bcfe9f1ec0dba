/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include "advance.h"
#include "plugin/claims/claim_make.h"
#include "plugin/queues/command_effects.h"
#include "plugin/queues/queue_effects.h"
#include "plugin/queues/queue_tree.h"
#include "plugin/queues/root_nodes.h"
#include "plugin/telling/claim_effects.h"
#include "plugin/telling/group_effects.h"
#include "plugin/telling/workload_effects.h"
#include "plugin/workloads/workload_see.h"
#include "state.h"

static int keep_text(struct engine *e, struct text *text, uint32_t *ret_id)
{
    if (intern_get(&e->names, *text, ret_id) < 0)
        return ENGINE_NO_MEMORY;
    *text = name_text(e, *ret_id);
    return 0;
}

static int keep_schedulers(struct engine *e)
{
    uint32_t name;

    if (e->config.scheduler_count == 0) {
        e->config.scheduler_count = 1;
        e->config.schedulers[0] = text_of("default-scheduler");
    }
    for (uint32_t i = 0; i < e->config.scheduler_count; i++) {
        if (keep_text(e, &e->config.schedulers[i], &name) < 0)
            return ENGINE_NO_MEMORY;
    }
    return 0;
}

static int make_queue(struct engine *e, const char *name, uint32_t *ret_queue)
{
    int error = queue_get(e, QUEUE_VOLCANO, text_of(name), ret_queue);

    if (error == 0)
        limit_count(&e->queues, LIMITED_QUEUES, &queue_at(e, *ret_queue)->known, true);
    return error;
}

static int fill(struct engine *e)
{
    struct text pods = text_of("pods");
    int error = keep_schedulers(e);

    if (error == 0)
        error = keep_text(e, &pods, &e->name_pods);
    if (error == 0)
        error = make_queue(e, "root", &e->queues.volcano_root);
    if (error == 0)
        error = make_queue(e, "default", &e->queues.default_queue);
    if (error == 0)
        error = root_configure(e);
    e->config.root_amounts.count = 0; /* texts of the caller's */
    return error;
}

static uint32_t or_default(uint32_t limit, uint32_t otherwise)
{
    return limit == 0 ? otherwise : limit;
}

static void own_effects(struct engine *e)
{
    outbox_own(&e->outbox, EFFECT_OF_POD, &claim_effects, e);
    outbox_own(&e->outbox, EFFECT_OF_QUEUE, &queue_effects, e);
    outbox_own(&e->outbox, EFFECT_OF_COMMAND, &command_effects, e);
    outbox_own(&e->outbox, EFFECT_OF_GROUP, &group_effects, e);
    outbox_own(&e->outbox, EFFECT_OF_WORKLOAD, &workload_effects, e);
}

int engine_create(const struct engine_config *config, const struct mem *mem,
                  struct engine **ret_engine)
{
    struct mem own = *mem;
    struct engine *e = mem_zalloc(&own, sizeof(*e));
    int error;

    if (e == NULL)
        return ENGINE_NO_MEMORY;
    e->mem = own;
    e->config = *config;
    outbox_init(&e->outbox, &e->mem);
    own_effects(e);
    e->config.max_pods = or_default(config->max_pods, 1u << 24);
    e->config.max_queues = or_default(config->max_queues, 1u << 16);
    e->config.max_nodes = or_default(config->max_nodes, 1u << 16);
    e->config.max_workloads = or_default(config->max_workloads, 1u << 20);
    intern_init(&e->names, &e->mem);
    slab_init(&e->queues.records, &e->mem, sizeof(struct queue));
    slab_init(&e->order.lines, &e->mem, sizeof(struct line));
    slab_init(&e->order.crowds, &e->mem, sizeof(struct crowd));
    slab_init(&e->order.size_classes, &e->mem, sizeof(struct size_class));
    slab_init(&e->order.backlogs, &e->mem, sizeof(struct backlog));
    slab_init(&e->claims.records, &e->mem, sizeof(struct claim));
    slab_init(&e->claims.promises.pledges, &e->mem, sizeof(struct pledge));
    slab_init(&e->pods.groups, &e->mem, sizeof(struct group));
    slab_init(&e->pods.members, &e->mem, sizeof(struct member));
    slab_init(&e->pods.finished, &e->mem, sizeof(struct finished));
    slab_init(&e->capacity.flavors, &e->mem, sizeof(struct flavor));
    slab_init(&e->capacity.nodes, &e->mem, sizeof(struct node));
    slab_init(&e->claims.workloads, &e->mem, sizeof(struct workload));
    slab_init(&e->order.demands, &e->mem, sizeof(struct demand));
    slab_init(&e->workloads.local_queues, &e->mem, sizeof(struct local_queue));
    slab_init(&e->queues.checks, &e->mem, sizeof(struct check_record));
    index_init(&e->order.demands_by_text, &e->mem);
    directory_init(&e->workloads.local_queues_by_name, &e->workloads.local_queues, &e->names,
                   offsetof(struct local_queue, space), offsetof(struct local_queue, name));
    directory_init(&e->queues.checks_by_name, &e->queues.checks, &e->names, DIRECTORY_NO_SPACE,
                   offsetof(struct check_record, name));
    e->claims.workload_changes = e->queues.placements = 1;
    index_init(&e->queues.by_name, &e->mem);
    index_init(&e->order.lines_by_needs, &e->mem);
    index_init(&e->order.size_classes_by_needs, &e->mem);
    index_init(&e->claims.by_uid, &e->mem);
    index_init(&e->claims.by_name, &e->mem);
    index_init(&e->pods.groups_by_name, &e->mem);
    directory_init(&e->pods.finished_by_uid, &e->pods.finished, &e->names, DIRECTORY_NO_SPACE,
                   offsetof(struct finished, uid));
    directory_init(&e->capacity.nodes_by_name, &e->capacity.nodes, &e->names, DIRECTORY_NO_SPACE,
                   offsetof(struct node, name));
    heap_init(&e->claims.timers, &e->mem, claims_by_rank.compare, e);
    heap_init(&e->queues.timers, &e->mem, queues_by_identity.compare, e);
    command_init(e);
    heap_init(&e->pods.group_timers, &e->mem, groups_by_identity.compare, e);
    heap_init(&e->order.guard_timers, &e->mem, queues_by_identity.compare, e);
    error = config->journal ? journal_init(&e->journal, &e->mem) : 0;
    error = error == 0 ? fill(e) : error;
    if (error < 0) {
        engine_destroy(e);
        return error;
    }
    *ret_engine = e;
    return 0;
}

/* Claims, lines and kinds give back nothing but memory: all else goes with the engine. */
static void release_claims(struct engine *e)
{
    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++) {
        if (claim_is_of_pods(e, id))
            claim_release_text(e, id);
    }
    for (uint32_t id = 0; slab_step(&e->order.lines, &id);)
        line_release(e, id);
    for (uint32_t id = 0; slab_step(&e->order.size_classes, &id);)
        size_class_release(e, id);
}

void engine_destroy(struct engine *e)
{
    struct mem mem;

    if (e == NULL)
        return;
    mem = e->mem;
    group_release_all(e);
    release_claims(e);
    workload_release_all(e);
    queue_release_all(e);
    node_release_all(e);
    journal_finish(&e->journal, &e->mem);
    heap_finish(&e->order.guard_timers);
    heap_finish(&e->queues.timers);
    command_finish(e);
    heap_finish(&e->pods.group_timers);
    heap_finish(&e->claims.timers);
    index_finish(&e->queues.checks_by_name.index);
    index_finish(&e->workloads.local_queues_by_name.index);
    index_finish(&e->order.demands_by_text);
    slab_finish(&e->queues.checks);
    slab_finish(&e->workloads.local_queues);
    slab_finish(&e->order.demands);
    slab_finish(&e->claims.workloads);
    index_finish(&e->capacity.nodes_by_name.index);
    index_finish(&e->pods.finished_by_uid.index);
    index_finish(&e->pods.groups_by_name);
    index_finish(&e->claims.by_name);
    index_finish(&e->claims.by_uid);
    index_finish(&e->order.size_classes_by_needs);
    index_finish(&e->order.lines_by_needs);
    index_finish(&e->queues.by_name);
    slab_finish(&e->capacity.nodes);
    slab_finish(&e->capacity.flavors);
    slab_finish(&e->pods.finished);
    slab_finish(&e->pods.groups);
    slab_finish(&e->claims.promises.pledges);
    slab_finish(&e->pods.members);
    slab_finish(&e->claims.records);
    slab_finish(&e->order.backlogs);
    slab_finish(&e->order.size_classes);
    slab_finish(&e->order.lines);
    slab_finish(&e->order.crowds);
    slab_finish(&e->queues.records);
    outbox_finish(&e->outbox);
    intern_finish(&e->names);
    mem_free(&mem, e, sizeof(*e));
}

int64_t engine_set_time(struct engine *e, int64_t now)
{
    int64_t before = e->now;

    if (now > e->now)
        e->now = now;
    e->outbox.now = e->now;
    e->claims.serials_before = e->claims.serials;
    return before;
}

void engine_take_back_time(struct engine *e, int64_t before)
{
    e->outbox.now = e->now = before;
    e->claims.serials =
        e->claims.serials_before; /* those of what the call had made are nobody's now */
}

struct outbox *engine_outbox(struct engine *e)
{
    return &e->outbox;
}

/* Who leads and has seen all rules, from then on and no longer. */
static void set_rule(struct engine *e, bool synced, bool leads)
{
    bool ruled = e->synced && e->leads, rules = synced && leads;

    e->synced = synced;
    e->leads = leads;
    outbox_open(&e->outbox, e, rules && !e->config.observe_only);
    if (rules && !ruled)
        advance_begin(e);
    else if (ruled && !rules)
        advance_end(e);
    engine_tick(e);
}

void engine_set_synced(struct engine *e)
{
    set_rule(e, true, e->leads);
}

void engine_set_leader(struct engine *e, bool leads)
{
    set_rule(e, e->synced, leads);
}

/* One that is let go makes no claim. */
static uint32_t if_it_claims(const struct engine *e, uint32_t id)
{
    return id != 0 && (claim_at(e, id)->flags & CLAIM_LET_GO) != 0 ? 0 : id;
}

uint32_t engine_find_pod(const struct engine *e, struct text uid)
{
    return if_it_claims(e, claim_find(e, uid));
}

uint32_t engine_find_named_pod(const struct engine *e, struct text space, struct text name)
{
    return if_it_claims(e, claim_find_named(e, space, name, false));
}

uint32_t engine_find_queue(const struct engine *e, enum queue_kind kind, struct text name)
{
    return queue_find(e, kind, name);
}

uint32_t engine_node_end(const struct engine *e)
{
    return slab_end(&e->capacity.nodes);
}

bool engine_filter(const struct engine *e, uint32_t id, uint32_t node)
{
    const struct claim *claim;

    if (!slab_live(&e->capacity.nodes, node))
        return false;
    if (id == 0)
        return true;
    claim = claim_at(e, id);
    for (uint32_t i = 0; i < line_count(e, line_at(e, claim->line)); i++) {
        if (!node_has_flavor(e, node, claim_flavors(claim)[i]))
            return false;
    }
    return true;
}

uint32_t engine_count_pods(const struct engine *e)
{
    return claim_count_pods(e);
}

uint32_t engine_count_queues(const struct engine *e)
{
    return e->queues.counted[LIMITED_QUEUES];
}

uint32_t engine_count_nodes(const struct engine *e)
{
    return slab_count(&e->capacity.nodes);
}

uint32_t engine_count_workloads(const struct engine *e)
{
    return slab_count(&e->claims.workloads);
}
