/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

/* What time alone does to claims. */

/* A granted pod that no scheduling cycle has seen for so long is held by somebody else. In a queue
 * that lets nobody go on, it cannot be seen. */
static const int64_t longest_without_a_cycle = 300 * SECOND;

static int64_t backoff(const struct model_claim *claim)
{
    int64_t wait = 10 * SECOND;
    int most = claim->is_booking ? 9 : 6;

    for (int n = 1; n < claim->timeouts && n <= most; n++)
        wait *= 2;
    return wait;
}

static int64_t deadline_of(const struct model *model, const struct model_claim *claim)
{
    int64_t at = claim->confirmed ? INT64_MAX : claim->forget_at, other = INT64_MAX;

    if (!claim->live)
        return claim->let_go ? at : INT64_MAX;
    if (claim->state == CLAIM_RESERVED && !claim->tried && !model->config[CONFIG_OBSERVE_ONLY] &&
        model_goes_on(model, claim))
        other = claim->since + longest_without_a_cycle;
    if (claim->state == CLAIM_HELD && claim->again != 0)
        other = claim->again;
    if (model_victim_deadline(claim) < other)
        other = model_victim_deadline(claim);
    if (claim->rests_until * SECOND > model->now && claim->rests_until * SECOND < other)
        other = claim->rests_until * SECOND; /* then others may take its room */
    return at < other ? at : other;
}

int64_t model_next_deadline(const struct model *model)
{
    int64_t next = INT64_MAX;

    for (int uid = 0; uid < UIDS + GROUPS; uid++)
        if (deadline_of(model, &model->claims[uid]) < next)
            next = deadline_of(model, &model->claims[uid]);
    return next;
}

/* Whether somebody's release changes what is in use. */
static bool leaves_room(const struct limits *before, const struct limits *after, int queue)
{
    for (int cell = 0; cell < NAIVE_CELLS; cell++)
        if (before->at[queue][cell].usage != after->at[queue][cell].usage)
            return true;
    return false;
}

/* Time is up for a claim. Whether another one may have its turn by that. */
static bool end(struct model *model, int uid)
{
    struct model_claim *claim = &model->claims[uid];
    int queue = model_queue_of(claim);
    bool was_head = model_heads(model, uid);
    struct limits before, after;

    limits_count(model, &before);
    if (!claim->confirmed && claim->forget_at <= model->now) {
        model_lose(model, uid);
    } else {
        claim->timeouts++;
        model_give_up(model, uid, model->now + backoff(claim));
    }
    limits_count(model, &after);
    return was_head || leaves_room(&before, &after, queue);
}

/* The most important of those whose time is up. */
static int next_due(const struct model *model)
{
    int first = -1;

    for (int uid = 0; uid < UIDS + GROUPS; uid++)
        if (deadline_of(model, &model->claims[uid]) <= model->now &&
            (first < 0 || model_ranks_before(model, uid, first)))
            first = uid;
    return first;
}

/* Who has waited out its backoff is a newcomer: it may pass at once, but not where room is being
 * given away in its tree. A head that goes lets the next one of its queue try. */
static void let_in(struct model *model, int uid, bool stirred[QUEUES])
{
    int root = model_root(model, model_queue_of(&model->claims[uid]));
    bool was_head = model_heads(model, uid);

    if (stirred[root])
        return;
    model_arrive(model, uid);
    stirred[root] = was_head && model_holds(&model->claims[uid]);
}

void model_set_time(struct model *model, int64_t now)
{
    bool stirred[QUEUES] = {false}; /* of roots: somebody below may have room that had none */

    model->now = now;
    for (int uid = next_due(model); uid >= 0; uid = next_due(model)) {
        const struct model_claim *claim = &model->claims[uid];

        if (claim->is_booking && claim->state == CLAIM_HELD) {
            model->claims[uid].again = 0; /* its turn comes with all others' */
        } else if (claim->state == CLAIM_HELD && claim->again != 0 && claim->again <= now &&
                   (claim->confirmed || claim->forget_at > now)) {
            model_give_up(model, uid, 0);
            let_in(model, uid, stirred);
        } else if (model_victim_deadline(claim) <= now &&
                   (claim->confirmed || claim->forget_at > now)) {
            model_victim_expires(model, uid);
        } else {
            int root = model_root(model, model_queue_of(claim));

            stirred[root] |= end(model, uid);
        }
    }
}

void model_note_resumed(struct model *model)
{
    bool stopped[QUEUES];

    for (int queue = 0; queue < QUEUES; queue++) {
        enum stop stop = model_stops(model, queue);

        stopped[queue] = stop != STOP_NOTHING && stop != STOP_CLOSED;
    }
    for (int uid = 0; uid < UIDS; uid++) {
        int queue = model_queue_of(&model->claims[uid]);

        if (model->queues[queue].stopped && !stopped[queue])
            model->claims[uid].since = model->now;
    }
    for (int queue = 0; queue < QUEUES; queue++)
        model->queues[queue].stopped = stopped[queue];
}
