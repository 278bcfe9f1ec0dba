/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/judge.h"
#include "t/oracle/drive.h"
#include "t/oracle/limits.h"
#include "t/oracle/sights.h"
#include "t/oracle/victims.h"
#include "t/oracle/writes.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TICKS = 1000 };

static void open_engine(struct play *play)
{
    const struct step config = step_from(STEP_CONFIG, play->model.config);

    if (supply_open(&play->supply, &config, &play->engine) != NULL)
        abort();
    engine_set_time(play->engine, play->model.now);
}

void play_init(struct play *play, char difference[DIFFERENCE_MAX])
{
    struct step config = step_make(STEP_CONFIG);

    *play = (struct play){.difference = difference};
    supply_init(&play->supply, false);
    model_init(&play->model, config.v);
    open_engine(play);
}

bool play_finish(struct play *play)
{
    engine_destroy(play->engine);
    play->engine = NULL;
    return play->supply.bytes == 0 ||
           differ(play->difference, "the engine leaks %zu bytes", play->supply.bytes);
}

static bool settle(struct play *play)
{
    model_settle(&play->model);
    for (int n = 0; engine_more(play->engine); n++) {
        if (n == MOST_TICKS)
            return differ(play->difference, "it never has nothing to do");
        engine_tick(play->engine);
    }
    return true;
}

/* A guess of flavors depends on what was known when it was made; and where the stamp itself is
 * gone, what it said of flavors is one. Volcano's queues know only one. */
static bool flavors_are_written(const struct model_claim *claim)
{
    if (model_kind(model_queue_of(claim)) == QUEUE_VOLCANO)
        return true;
    for (int r = 0; r < RESOURCES; r++)
        if (model_need(claim, r) > 0 &&
            (claim->pod[POD_STAMPED + r] != claim->flavor[r] + 1 || !claim->stamped))
            return false;
    return true;
}

/* All that was granted is written in the pods, and nothing else, and it fits: then a restart
 * changes nothing. */
static bool all_is_written(const struct model *model)
{
    struct limits limits;

    for (int uid = 0; uid < UIDS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        if (!claim->live && !claim->let_go)
            continue;
        if (claim->let_go || claim->again != 0 || !claim->confirmed ||
            (claim->state == CLAIM_ALLOCATED && claim->pod[POD_NODE] == 0))
            return false;
        if (claim->keeps_turn && claim->pod[POD_UNSCHEDULABLE] && !model_holds(claim))
            return false;
        if (claim->state == CLAIM_RESERVED && claim->pod[POD_STAMP] == 0)
            return false;
        if (model_misleads(model, claim))
            return false;
        if (model_holds(claim) ? !flavors_are_written(claim) : model_looks_granted(claim->pod))
            return false;
    }
    limits_count(model, &limits);
    return model_grants(model) && !limits_exceeded(model, &limits) &&
           model_groups_are_written(model) &&
           (!model->config[CONFIG_WRITES] || writes_all_is_written(model));
}

static bool restart(struct play *play, uint64_t seed)
{
    bool compares = all_is_written(&play->model);
    uint64_t before = engine_digest(play->engine, false);

    if (!play_finish(play))
        return false;
    open_engine(play);
    writes_restart(&play->model);
    if (!sights_show(play->engine, &play->model, seed))
        return differ(play->difference, "an error from a call that has what it needs");
    engine_set_synced(play->engine);
    engine_set_leader(play->engine, true);
    memset(play->removed, 0, sizeof play->removed);
    memset(play->overwrote, 0, sizeof play->overwrote);
    memset(play->overwriting, 0, sizeof play->overwriting);
    model_restart(&play->model);
    if (!settle(play))
        return false;
    return !compares || engine_digest(play->engine, false) == before ||
           differ(play->difference, "the state after a restart is another");
}

static bool same_verdict(struct play *play, const char *hook, const struct step *step,
                         const struct verdict *verdict, bool wanted)
{
    const struct model *model = &play->model;
    int64_t uid = step->v[0];
    const struct model_claim *claim = &model->claims[uid];
    bool foreign = claim->live ? claim->state == CLAIM_HELD && claim->pod[POD_FOREIGN]
                               : step->kind == STEP_ENQUEUE && step->v[POD_FOREIGN] > 0;
    /* Who only observes holds nobody; but where the scheduler's own plugin for gates is off, the
     * foreign ones are kept in its place. */
    bool pass = wanted || (model->config[CONFIG_OBSERVE_ONLY] &&
                           (!foreign || model->config[CONFIG_REMOVAL] != REMOVE_ON_BIND));

    return (verdict->would == wanted && verdict->pass == pass &&
            (verdict->reason == REASON_NONE) == pass) ||
           differ(play->difference, "pod %d: %s says %s, would %s (%s), wanted %s", (int)uid, hook,
                  verdict->pass ? "pass" : "hold", verdict->would ? "pass" : "hold",
                  reason_name(verdict->reason), wanted ? "pass" : "hold");
}

/* Its answer comes before all is settled: whoever was let through may give back a moment later. */
static bool play_enqueue(struct play *play, const struct step *step, const struct verdict *verdict)
{
    struct model *model = &play->model;
    int uid = (int)step->v[POD_UID];
    struct model_claim *claim = &model->claims[uid];
    bool wanted, gave_back;

    model_see(model, step->v, false);
    model_review_groups(model);
    claim->parked = false;
    model_settle(model);
    gave_back = claim->parked && verdict->would;
    /* While others are still to be asked first, it is not its turn; it will be told. */
    wanted = model_passes(model, step->v) && (verdict->would || !engine_more(play->engine));
    play->too_early[uid] = play->telling[uid];
    claim->parked = claim->live || claim->let_go;
    if (wanted && !gave_back)
        model_tell(model, uid);
    return same_verdict(play, "pre_enqueue", step, verdict, wanted || gave_back);
}

static bool play_pod_step(struct play *play, const struct step *step, const struct answer *answer)
{
    struct model *model = &play->model;
    int uid = (int)step->v[0];
    bool wanted;

    switch (step->kind) {
    case STEP_SEE:
        model_see(model, step->v, true);
        return true;
    case STEP_ENQUEUE:
        return play_enqueue(play, step, &answer->verdict);
    case STEP_LOSE:
        model_lose(model, uid);
        model_lose_finished(model, uid);
        return true;
    case STEP_POST_FILTER:
        model_post_filter(model, uid);
        return true;
    case STEP_PRE_FILTER:
        model_pre_filter(model, uid);
        return same_verdict(play, "pre_filter", step, &answer->verdict,
                            model_passes_cycle(model, uid));
    case STEP_RESERVE:
        wanted = model_passes_cycle(model, uid);
        model_reserve(model, uid);
        return same_verdict(play, "reserve", step, &answer->verdict, wanted);
    case STEP_UNRESERVE:
        model_unreserve(model, uid);
        return true;
    case STEP_POST_BIND:
        model_post_bind(model, uid);
        return true;
    default:
        return true;
    }
}

/* The patch removes the gates; of a pod that has none any more it only rights the stamp. */
static void removed(struct play *play, int uid)
{
    struct model_claim *claim = &play->model.claims[uid];

    if (claim->pod[POD_GATES] != 0)
        play->removed[uid] = true;
    else
        claim->stamp_is_wrong = false;
}

static void acknowledged(struct play *play, const struct step *step, const struct answer *answer)
{
    int uid = (int)step->v[ACK_UID];

    if (!answer->acknowledged)
        return;
    if (step->v[ACK_OBJECT] != EFFECT_OF_POD) {
        writes_acknowledged(play, step);
        return;
    }
    if (step->v[ACK_RESULT] == EFFECT_GONE)
        model_lose(&play->model, uid);
    if (step->v[ACK_KIND] == EFFECT_EVICT_POD)
        model_evict_answered(&play->model, uid, step->v[ACK_RESULT] == EFFECT_DONE);
    else if (step->v[ACK_KIND] == EFFECT_EVENT)
        play->model.claims[uid].said |= step->v[ACK_RESULT] == EFFECT_DONE;
    else if (step->v[ACK_RESULT] == EFFECT_DONE && step->v[ACK_KIND] == EFFECT_REMOVE_GATES)
        removed(play, uid);
    else if (step->v[ACK_RESULT] == EFFECT_DONE && step->v[ACK_KIND] == EFFECT_SET_CONDITION)
        play->overwrote[uid] = true;
    else if (step->v[ACK_RESULT] == EFFECT_DONE && !play->too_early[uid])
        model_tell(&play->model, uid);
}

static bool play_world_step(struct play *play, const struct step *step, const struct answer *answer)
{
    struct model *model = &play->model;

    switch (step->kind) {
    case STEP_QUEUE:
        model_set_queue(model, step->v);
        return true;
    case STEP_LOSE_QUEUE:
        model_lose_queue(model, model_queue_id((int)step->v[QUEUE_KIND], (int)step->v[QUEUE_NAME]));
        return true;
    case STEP_FLAVOR:
    case STEP_LOSE_FLAVOR:
        model_set_flavor(model, step->v, step->kind == STEP_FLAVOR);
        return true;
    case STEP_NODE:
    case STEP_LOSE_NODE:
        model_set_node(model, step->v, step->kind == STEP_NODE);
        return true;
    case STEP_GROUP:
        model_set_group(model, step->v);
        return true;
    case STEP_LOSE_GROUP:
        model_lose_group(model, (int)step->v[0]);
        return true;
    case STEP_SYNCED:
        model_set_role(model, true, model->leads);
        return true;
    case STEP_LEADER:
        model_set_role(model, model->synced, step->v[0] != 0);
        return true;
    case STEP_ACK:
        acknowledged(play, step, answer);
        return true;
    default:
        return play_pod_step(play, step, answer);
    }
}

/* As a host does: it wakes the engine at each deadline. */
static bool let_time_pass(struct play *play, int64_t until)
{
    struct model *model = &play->model;

    for (;;) {
        int64_t next = model_next_deadline(model), now = next < until ? next : until;

        model_set_time(model, now > model->now ? now : model->now);
        engine_set_time(play->engine, model->now);
        engine_tick(play->engine);
        if (model->now >= until)
            return true;
        if (!settle(play))
            return false;
    }
}

static bool act(struct play *play, const struct step *step)
{
    struct model *model = &play->model;
    struct step written = *step;
    struct answer answer;

    if (writes_are_about(model, step))
        return writes_step(play, step);
    switch (step->kind) {
    case STEP_ACK:
        written.v[ACK_VERSION] = writes_version(play, step);
        drive(play->engine, &written, &answer);
        return play_world_step(play, step, &answer);
    case STEP_CONFIG:
        engine_destroy(play->engine);
        model_init(model, step->v);
        open_engine(play);
        return true;
    case STEP_TIME:
        return let_time_pass(play, model->now + step->v[0]);
    case STEP_RESTART:
        return restart(play, (uint64_t)step->v[0]);
    default:
        if (drive(play->engine, step, &answer) < 0)
            return differ(play->difference, "an error from a call that has what it needs");
        return play_world_step(play, step, &answer);
    }
}

bool play_step(struct play *play, const struct step *step)
{
    return act(play, step) && settle(play) && compare_states(play);
}

void judge_play(struct apart *apart, const void *ctx)
{
    const struct history *history = ctx;
    struct play play;
    bool same = true;

    apart_begin(apart);
    play_init(&play, apart->difference);
    while (same && apart->count < history->count)
        same = play_step(&play, &history->steps[apart->count++]);
    play_finish(&play);
}
