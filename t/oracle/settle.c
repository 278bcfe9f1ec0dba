/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

/* The first that waits in a queue, after this one; -1: none. */
int model_next_waiting(const struct model *model, int queue, int after)
{
    int next = -1;

    for (int uid = 0; uid < UIDS + GROUPS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        if (!claim->live || claim->state != CLAIM_WAITING || claim->in_gang ||
            model_queue_of(claim) != queue)
            continue;
        if (after >= 0 && (uid == after || model_ranks_before(model, uid, after)))
            continue;
        if (next < 0 || model_ranks_before(model, uid, next))
            next = uid;
    }
    return next;
}

bool model_is_strict(const struct model *model, int queue)
{
    return model->queues[queue].known && model->queues[queue].spec[QUEUE_STRICT];
}

bool model_heads(const struct model *model, int uid)
{
    int queue = model_queue_of(&model->claims[uid]);

    return model_is_strict(model, queue) && model_next_waiting(model, queue, -1) == uid;
}

/* What stands for a queue in the contest: a claim of it that fits. */
struct candidate {
    int uid; /* -1: none */
    int flavors[RESOURCES];
};

static struct candidate candidate_of(const struct model *model, const struct limits *limits,
                                     int queue)
{
    struct candidate candidate = {.uid = -1};
    bool skips_promised = model_prefers_victims(model, queue);

    if (model_stops(model, queue) != STOP_NOTHING)
        return candidate;
    for (int uid = model_next_waiting(model, queue, -1); uid >= 0;
         uid = model_next_waiting(model, queue, uid)) {
        if (!(skips_promised && model->claims[uid].promise.made) &&
            limits_fit(model, limits, &model->claims[uid], candidate.flavors)) {
            candidate.uid = uid;
            break;
        }
        if (model_is_strict(model, queue))
            break;
    }
    return candidate;
}

/* The largest share over the amounts that the queue's own quota sets. */
static void share_of(const struct limits *limits, int queue, wide *ret_used, wide *ret_quota)
{
    *ret_used = 0;
    *ret_quota = 1;
    for (int r = 0; r < RESOURCES; r++) {
        const struct number *number = &limits->at[queue][naive_cell(FLAVOR_DEFAULT, r)];
        wide used = number->reserved + number->allocated;

        if (number->sets && share_compare(used, number->share, *ret_used, *ret_quota) > 0) {
            *ret_used = used;
            *ret_quota = number->share;
        }
    }
}

static int64_t oldest_head(const struct model *model, int queue)
{
    int64_t oldest = INT64_MAX;
    int head =
        model_stops(model, queue) == STOP_NOTHING ? model_next_waiting(model, queue, -1) : -1;

    if (head >= 0)
        oldest = model->claims[head].pod[POD_CREATED];
    for (int child = 0; child < QUEUES; child++)
        if (model->queues[child].parent == queue) {
            int64_t below = oldest_head(model, child);

            oldest = below < oldest ? below : oldest;
        }
    return oldest;
}

static int64_t priority_of(const struct model *model, int queue)
{
    return model->queues[queue].known ? model->queues[queue].spec[QUEUE_PRIORITY] : 0;
}

static int names_compare(int a, int b)
{
    return strcmp(world_queues[a % QUEUE_NAMES], world_queues[b % QUEUE_NAMES]);
}

/* Between siblings: queue priority, share, oldest head, name. */
static bool goes_before(const struct model *model, const struct limits *limits, int a, int b)
{
    wide used_a, quota_a, used_b, quota_b;
    int64_t head_a = oldest_head(model, a), head_b = oldest_head(model, b);
    int shares;

    if (priority_of(model, a) != priority_of(model, b))
        return priority_of(model, a) > priority_of(model, b);
    share_of(limits, a, &used_a, &quota_a);
    share_of(limits, b, &used_b, &quota_b);
    shares = share_compare(used_a, quota_a, used_b, quota_b);
    if (shares != 0)
        return shares < 0;
    if (head_a != head_b)
        return head_a < head_b;
    return names_compare(a, b) < 0;
}

/* Depth first: of the children where somebody fits, the one that goes before the others. */
static struct candidate volcano_winner(const struct model *model, const struct limits *limits,
                                       int queue)
{
    struct candidate best = candidate_of(model, limits, queue);
    int from = -1;

    for (int child = 0; child < QUEUES; child++) {
        struct candidate candidate;

        if (model->queues[child].parent != queue)
            continue;
        candidate = volcano_winner(model, limits, child);
        if (candidate.uid >= 0 && (from < 0 || goes_before(model, limits, child, from))) {
            best = candidate;
            from = child;
        }
    }
    return best;
}

/* Whether the queue uses more than its own quota with this claim. */
static bool borrows(const struct model *model, const struct limits *limits, int queue,
                    const struct candidate *candidate)
{
    for (int r = 0; r < RESOURCES; r++) {
        const struct number *number;

        if (candidate->flavors[r] < 0)
            continue;
        number = &limits->at[queue][naive_cell(candidate->flavors[r], r)];
        if (number->usage + model_need(&model->claims[candidate->uid], r) > number->share)
            return true;
    }
    return false;
}

static bool wins(const struct model *model, const struct limits *limits, const struct candidate *a,
                 const struct candidate *b)
{
    const struct model_claim *x = &model->claims[a->uid], *y = &model->claims[b->uid];
    int queue_x = model_queue_of(x), queue_y = model_queue_of(y);
    bool borrows_x = borrows(model, limits, queue_x, a);
    bool borrows_y = borrows(model, limits, queue_y, b);

    if (borrows_x != borrows_y)
        return borrows_y;
    if (x->pod[POD_PRIORITY] != y->pod[POD_PRIORITY])
        return x->pod[POD_PRIORITY] > y->pod[POD_PRIORITY];
    if (x->pod[POD_CREATED] != y->pod[POD_CREATED])
        return x->pod[POD_CREATED] < y->pod[POD_CREATED];
    return names_compare(queue_x, queue_y) < 0;
}

static struct candidate kueue_winner(const struct model *model, const struct limits *limits,
                                     int root)
{
    struct candidate best = {.uid = -1};

    for (int queue = 0; queue < QUEUES; queue++) {
        struct candidate candidate;

        if (!model_is_below(model, queue, root))
            continue;
        candidate = candidate_of(model, limits, queue);
        if (candidate.uid >= 0 && (best.uid < 0 || wins(model, limits, &candidate, &best)))
            best = candidate;
    }
    return best;
}

void model_give(struct model *model, int uid, const int flavors[RESOURCES])
{
    struct model_claim *claim = &model->claims[uid];

    claim->state = CLAIM_RESERVED;
    claim->guessed = claim->in_gang = false;
    if (!claim->stamped)
        claim->stamp = model->now;
    for (int r = 0; r < RESOURCES; r++)
        claim->flavor[r] = model_need(claim, r) > 0 ? flavors[r] : -1;
    claim->since = model->now;
}

void model_arrive(struct model *model, int uid)
{
    const struct model_claim *claim = &model->claims[uid];
    int queue = model_queue_of(claim);
    struct candidate newcomer = {.uid = uid};
    struct limits limits;

    if (claim->state != CLAIM_WAITING || !model_grants(model) ||
        model_stops(model, queue) != STOP_NOTHING || model_waits_for_gang(model, uid) ||
        model_prefers_victims(model, queue) ||
        (model_is_strict(model, queue) && !model_heads(model, uid)))
        return;
    limits_count(model, &limits);
    if (limits_fit(model, &limits, claim, newcomer.flavors))
        model_give(model, uid, newcomer.flavors);
}

static bool somebody_waits(const struct model *model, int root)
{
    for (int uid = 0; uid < UIDS + GROUPS; uid++)
        if (model->claims[uid].live && model->claims[uid].state == CLAIM_WAITING &&
            model_is_below(model, model_queue_of(&model->claims[uid]), root))
            return true;
    return false;
}

static bool grant_one(struct model *model, int root)
{
    struct limits limits;
    struct candidate winner;

    if (!somebody_waits(model, root))
        return false;
    limits_count(model, &limits);
    winner = model_kind(root) == QUEUE_VOLCANO ? volcano_winner(model, &limits, root)
                                               : kueue_winner(model, &limits, root);
    if (winner.uid < 0)
        return false;
    if (model_preempt_instead(model, winner.uid))
        return true;
    model_grant(model, winner.uid, winner.flavors);
    return true;
}

/* Whether a queue above would have less to bear if the claim gave back: what is kept for
 * somebody on the way does not arrive there. */
static bool relieves(const struct model *model, const struct limits *limits,
                     const struct model_claim *claim, int queue)
{
    for (int r = 0; r < RESOURCES; r++) {
        int at = model_queue_of(claim), cell = naive_cell(claim->flavor[r], r);
        const struct number *number;

        if (claim->flavor[r] < 0 || model_need(claim, r) == 0)
            continue;
        number = &limits->at[queue][cell];
        if (!number->bounded || number->usage <= number->ceiling)
            continue;
        while (at != queue && limits->at[at][cell].usage > limits->at[at][cell].kept)
            at = model->queues[at].parent;
        if (at == queue)
            return true;
    }
    return false;
}

static int newest_below(const struct model *model, const struct limits *limits, int queue)
{
    int newest = -1;

    for (int uid = 0; uid < UIDS + GROUPS; uid++) {
        const struct model_claim *claim = &model->claims[uid];

        if (!claim->live || claim->state != CLAIM_RESERVED ||
            !model_is_below(model, model_queue_of(claim), queue) ||
            !relieves(model, limits, claim, queue))
            continue;
        if (newest < 0 || claim->stamp > model->claims[newest].stamp ||
            (claim->stamp == model->claims[newest].stamp && model_ranks_before(model, newest, uid)))
            newest = uid;
    }
    return newest;
}

static int depth_of(const struct model *model, int queue)
{
    int depth = 0;

    while ((queue = model->queues[queue].parent) >= 0)
        depth++;
    return depth;
}

/* The deepest queues first: what they give back may be enough for those above. */
static bool demote_one(struct model *model)
{
    struct limits limits;
    int deepest = -1, demoted = -1;

    limits_count(model, &limits);
    for (int queue = 0; queue < QUEUES; queue++) {
        int newest, depth = depth_of(model, queue);

        if (depth <= deepest)
            continue;
        newest = newest_below(model, &limits, queue);
        if (newest < 0)
            continue;
        demoted = newest;
        deepest = depth;
    }
    if (demoted < 0)
        return false;
    model_demote_with_gang(model, demoted);
    model_review_groups(model);
    return true;
}

static void restore_all(struct model *model)
{
    for (;;) {
        const struct model_claim *claim;
        int oldest = -1;

        for (int uid = 0; uid < UIDS + GROUPS; uid++)
            if (model->claims[uid].live && model->claims[uid].restoring &&
                (oldest < 0 || model->claims[uid].stamp < model->claims[oldest].stamp ||
                 (model->claims[uid].stamp == model->claims[oldest].stamp &&
                  model_ranks_before(model, uid, oldest))))
                oldest = uid;
        if (oldest < 0)
            return;
        claim = &model->claims[oldest];
        if (claim->is_booking)
            model_restore_booking(model, oldest - UIDS);
        else if (claim->pod[POD_GROUP])
            model_restore_member(model, oldest);
        else
            model_restore(model, oldest);
        model_review_groups(model);
    }
}

/* Whoever fits, in any tree. */
static bool grant_all(struct model *model)
{
    bool granted = false;

    for (int root = 0; root < QUEUES; root++)
        while (model->queues[root].parent < 0 &&
               (model_keep_promises(model, root) || grant_one(model, root)))
            granted = true;
    return granted;
}

static void settle_claims(struct model *model)
{
    bool any;

    model_review_groups(model);
    model_note_promises(model);
    while (demote_one(model))
        ;
    if (!model_grants(model))
        return;
    restore_all(model);
    /* A gang has its members in several trees: whether it is granted, or its room may be taken,
     * hangs on what was granted in the others. */
    do {
        any = grant_all(model);
        for (int root = 0; root < QUEUES && !any; root++)
            any = model->queues[root].parent < 0 && model_preempt(model, root);
    } while (any);
}

void model_settle(struct model *model)
{
    model_settle_states(model);
    model_note_resumed(model);
    settle_claims(model);
    model_settle_states(model);
    model_note_said(model);
}
