/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/play.h"

#include "plugin/base/outbox.h"
#include "t/oracle/victims.h"
#include "t/oracle/writes.h"

#include <inttypes.h>

/* Of a pod: those that every host carries out, and to be told of its queue. */
enum { TELL = EFFECT_ALWAYS, EVICT, POD_EFFECTS };

static const char *const state_names[] = {"held", "waiting", "reserved", "allocated"};
static const char *const kind_names[] = {"queue", "cluster queue", "cohort"};

static bool compare_flavors(struct play *play, int uid, const struct pod_report *report)
{
    const struct model_claim *claim = &play->model.claims[uid];
    int seen[RESOURCES] = {-1, -1, -1, -1};

    for (uint32_t n = 0; n < report->flavor_count; n++) {
        int resource = world_find_resource(report->flavors[n].resource);
        int flavor = world_find_flavor(report->flavors[n].flavor);

        if (resource < 0 || flavor < 0)
            return differ(play->difference, "pod %d: a resource or flavor that does not exist",
                          uid);
        seen[resource] = flavor;
    }
    for (int r = 0; r < RESOURCES; r++) {
        int wanted = model_need(claim, r) > 0 ? claim->flavor[r] : -1;

        if (seen[r] != wanted)
            return differ(play->difference, "pod %d: %s in flavor %d, wanted %d", uid,
                          world_resources[r], seen[r], wanted);
    }
    return true;
}

static bool compare_pod(struct play *play, int uid)
{
    const struct model_claim *claim = &play->model.claims[uid];
    uint32_t id = engine_find_pod(play->engine, text_of(world_uids[uid]));
    struct pod_report report;

    if ((id != 0) != claim->live)
        return differ(play->difference, "pod %d: the engine %s it", uid,
                      id != 0 ? "still has" : "lacks");
    if (id == 0)
        return true;
    engine_report_pod(play->engine, id, &report);
    if (report.state != claim->state)
        return differ(play->difference, "pod %d: %s (%s), wanted %s", uid,
                      state_names[report.state], reason_name(report.why.reason),
                      state_names[claim->state]);
    if (world_find_queue(report.queue) + (int)report.queue_kind * QUEUE_NAMES !=
        model_queue_of(claim))
        return differ(play->difference, "pod %d: another queue", uid);
    if (!model_holds(claim) || report.granted == 0)
        return true;
    if (claim->state == CLAIM_RESERVED && report.granted != claim->stamp)
        return differ(play->difference, "pod %d: granted at %" PRId64 ", wanted %" PRId64, uid,
                      report.granted, claim->stamp);
    return compare_flavors(play, uid, &report);
}

/* What waits in a queue and below it. */
static wide count_asks(const struct model *model, int queue, int resource)
{
    wide sum = 0;

    for (int uid = 0; uid < UIDS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        if (claim->live && claim->state == CLAIM_WAITING &&
            model_is_below(model, model_queue_of(claim), queue))
            sum += model_need(claim, resource);
    }
    return sum;
}

static bool compare_asks(struct play *play, int queue, uint32_t id)
{
    int64_t seen[RESOURCES] = {0};
    struct quota_row row;
    uint32_t cursor = 0;

    while (engine_next_ask(play->engine, id, &cursor, &row)) {
        int resource = world_find_resource(row.resource);

        if (resource < 0 || seen[resource] != 0)
            return differ(play->difference, "what waits, of a resource that cannot be");
        seen[resource] = row.usage;
    }
    for (int r = 0; r < RESOURCES; r++) {
        wide wanted = count_asks(&play->model, queue, r);

        if (seen[r] != amount_clamp(wanted))
            return differ(play->difference, "%s %s: %" PRId64 " %s waits, wanted %" PRId64,
                          kind_names[model_kind(queue)], world_queues[queue % QUEUE_NAMES], seen[r],
                          world_resources[r], amount_clamp(wanted));
    }
    return true;
}

static bool same_amount(struct play *play, int queue, const struct quota_row *row, const char *what,
                        int64_t got, wide wanted)
{
    return got == amount_clamp(wanted) ||
           differ(play->difference, "%s %s: %.*s %.*s: %s %" PRId64 ", wanted %" PRId64,
                  kind_names[model_kind(queue)], world_queues[queue % QUEUE_NAMES],
                  (int)row->flavor.len, row->flavor.at, (int)row->resource.len, row->resource.at,
                  what, got, amount_clamp(wanted));
}

static bool compare_row(struct play *play, const struct limits *limits, int queue,
                        const struct quota_row *row, bool seen[NAIVE_CELLS])
{
    int cell = naive_cell(world_find_flavor(row->flavor), world_find_resource(row->resource));
    const struct number *number;

    if (cell < 0 || seen[cell])
        return differ(play->difference, "a row of quota that cannot be");
    seen[cell] = true;
    number = &limits->at[queue][cell];
    if (row->bounded != number->bounded)
        return differ(play->difference, "%s %s: %.*s: a ceiling, or none",
                      kind_names[model_kind(queue)], world_queues[queue % QUEUE_NAMES],
                      (int)row->resource.len, row->resource.at);
    return same_amount(play, queue, row, "share", row->share, number->share) &&
           same_amount(play, queue, row, "kept", row->kept, number->kept) &&
           same_amount(play, queue, row, "usage", row->usage, number->usage) &&
           same_amount(play, queue, row, "reserved", row->reserved, number->reserved) &&
           same_amount(play, queue, row, "allocated", row->allocated, number->allocated) &&
           (!number->bounded ||
            same_amount(play, queue, row, "ceiling", row->ceiling, number->ceiling));
}

static bool compare_queue(struct play *play, const struct limits *limits, uint32_t id)
{
    struct queue_report report;
    bool seen[NAIVE_CELLS] = {false};
    uint32_t counts[CLAIM_STATES];
    int queue;

    engine_report_queue(play->engine, id, &report);
    queue = model_queue_id((int)report.kind, world_find_queue(report.name));
    model_count_claims(&play->model, queue, counts);
    if (play->model.config[CONFIG_WRITES] && !writes_compare_queue(play, queue, &report))
        return false;
    if (report.known != play->model.queues[queue].known)
        return differ(play->difference, "%s %s: known, or not", kind_names[report.kind],
                      world_queues[queue % QUEUE_NAMES]);
    if (report.held != counts[CLAIM_HELD] || report.waiting != counts[CLAIM_WAITING] ||
        report.reserved != counts[CLAIM_RESERVED] || report.allocated != counts[CLAIM_ALLOCATED])
        return differ(play->difference,
                      "%s %s: held %u, waiting %u, reserved %u, allocated %u; "
                      "wanted %u, %u, %u, %u",
                      kind_names[report.kind], world_queues[queue % QUEUE_NAMES], report.held,
                      report.waiting, report.reserved, report.allocated, counts[CLAIM_HELD],
                      counts[CLAIM_WAITING], counts[CLAIM_RESERVED], counts[CLAIM_ALLOCATED]);
    if (!compare_asks(play, queue, id))
        return false;
    for (uint32_t n = 0; n < report.quota_count; n++) {
        struct quota_row row;

        engine_report_quota(play->engine, id, n, &row);
        if (!compare_row(play, limits, queue, &row, seen))
            return false;
    }
    for (int cell = 0; cell < NAIVE_CELLS; cell++)
        if (limits_has(queue, cell) && limits->at[queue][cell].named && !seen[cell])
            return differ(play->difference, "%s %s: no row for what its quota names",
                          kind_names[report.kind], world_queues[queue % QUEUE_NAMES]);
    return true;
}

static bool compare_queues(struct play *play, const struct limits *limits)
{
    uint32_t cursor = 0, known = 0;

    while (engine_next_queue(play->engine, &cursor)) {
        struct queue_report report;

        if (!compare_queue(play, limits, cursor))
            return false;
        engine_report_queue(play->engine, cursor, &report);
        known += report.known;
    }
    for (int queue = 0; queue < QUEUES; queue++)
        known -= play->model.queues[queue].known;
    return known == 0 || differ(play->difference, "not the queues that were seen");
}

/* Which effects a claim needs follows from its state. */
static void count_needed(const struct play *play, int uid, bool ret_needed[POD_EFFECTS])
{
    const struct model *model = &play->model;
    const struct model_claim *claim = &model->claims[uid];
    bool asks = model_grants(model) && !model->config[CONFIG_OBSERVE_ONLY];
    bool active = claim->live && asks;
    bool reserved = claim->state == CLAIM_RESERVED;
    bool advances = model_advances(model, claim);
    bool goes_on = model_goes_on(model, claim) && !model_is_stale(claim);

    ret_needed[EFFECT_ACTIVATE] =
        claim->parked && (claim->let_go ? asks : active && reserved && advances);
    ret_needed[EFFECT_REMOVE_GATES] =
        (active && reserved && goes_on && claim->pod[POD_GATES] && !play->removed[uid] &&
         (model->config[CONFIG_REMOVAL] == REMOVE_ON_ADMISSION || claim->lacks_node ||
          model_must_change_first(model, claim))) ||
        (active && model_holds(claim) && claim->pod[POD_GATES] == 0 && claim->stamp_is_wrong &&
         (claim->bound || (claim->stamped && claim->managed)));
    ret_needed[EFFECT_SET_CONDITION] = active && claim->managed && claim->pod[POD_UNSCHEDULABLE] &&
                                       !claim->restoring && !play->overwrote[uid] &&
                                       claim->state != CLAIM_ALLOCATED && !(reserved && goes_on);
    ret_needed[TELL] = active && model->config[CONFIG_WRITES] && claim->managed && !claim->said &&
                       (reserved || claim->state == CLAIM_WAITING) &&
                       model_stops(model, model_queue_of(claim)) == STOP_SUSPENDED;
    ret_needed[EVICT] = active && model_wants_eviction(model, claim);
}

static bool compare_effects_of(struct play *play, int uid, const bool live[POD_EFFECTS],
                               const bool leased[POD_EFFECTS])
{
    static const char *const names[POD_EFFECTS] = {"activate", "removeGates", "setCondition",
                                                   "event", "evictPod"};
    struct model_claim *claim = &play->model.claims[uid];
    bool needed[POD_EFFECTS], never[UIDS] = {false};

    claim->parked |= leased[EFFECT_SET_CONDITION] && !play->overwriting[uid];
    play->overwriting[uid] = leased[EFFECT_SET_CONDITION];
    claim->overwriting |= leased[EFFECT_SET_CONDITION];
    count_needed(play, uid, needed);
    play->telling[uid] = leased[EFFECT_ACTIVATE];
    play->too_early[uid] = play->too_early[uid] && leased[EFFECT_ACTIVATE];
    for (int kind = 0; kind < POD_EFFECTS; kind++) {
        const bool *done = kind == EFFECT_REMOVE_GATES    ? play->removed
                           : kind == EFFECT_SET_CONDITION ? play->overwrote
                                                          : never;

        if (needed[kind] && !live[kind])
            return differ(play->difference, "pod %d: %s is not asked for", uid, names[kind]);
        if (live[kind] && !leased[kind] && !needed[kind] && !done[uid])
            return differ(play->difference, "pod %d: %s is asked for", uid, names[kind]);
    }
    return true;
}

/* Each effect that is needed is live, once, and no other is, but those under way. */
static bool compare_effects(struct play *play, const struct limits *limits)
{
    bool live[UIDS][POD_EFFECTS] = {{false}}, leased[UIDS][POD_EFFECTS] = {{false}};
    struct writes_live others = {0};
    struct effect effect;
    uint32_t cursor = 0;

    while (outbox_next_live(engine_outbox(play->engine), &cursor, &effect)) {
        int uid = world_find_uid(effect.uid);
        int slot = effect.kind == EFFECT_EVENT       ? TELL
                   : effect.kind == EFFECT_EVICT_POD ? EVICT
                                                     : (int)effect.kind;

        if (effect.object != EFFECT_OF_POD) {
            if (!writes_count(play, limits, &effect, &others))
                return false;
            continue;
        }
        if (uid < 0 || (!play->model.claims[uid].live && !play->model.claims[uid].let_go))
            return differ(play->difference, "an effect for a pod that is gone");
        if (live[uid][slot])
            return differ(play->difference, "pod %d: two effects of a kind", uid);
        live[uid][slot] = true;
        leased[uid][slot] = effect.leased;
        if (slot == EVICT)
            play->model.claims[uid].victim.evicting = effect.leased ? effect.due : 0;
    }
    for (int uid = 0; uid < UIDS; uid++) {
        if (!play->model.claims[uid].live)
            play->removed[uid] = play->overwrote[uid] = false;
        if (!compare_effects_of(play, uid, live[uid], leased[uid]))
            return false;
    }
    return !play->model.config[CONFIG_WRITES] || writes_compare(play, limits, &others);
}

bool compare_states(struct play *play)
{
    const char *broken = engine_check(play->engine);
    struct limits limits;

    if (broken != NULL)
        return differ(play->difference, "invariant: %s", broken);
    for (int uid = 0; uid < UIDS; uid++)
        if (!compare_pod(play, uid))
            return false;
    limits_count(&play->model, &limits);
    broken = limits_disagree(&play->model, &limits);
    if (broken != NULL)
        return differ(play->difference, "the model with itself: %s", broken);
    return compare_queues(play, &limits) && compare_effects(play, &limits);
}
