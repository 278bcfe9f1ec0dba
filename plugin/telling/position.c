/* SPDX-License-Identifier: Apache-2.0 */
#include "position.h"

#include "ahead.h"
#include "lack.h"
#include "outlook.h"
#include "plugin/base/sentence.h"
#include "plugin/grant/workload_decide.h"
#include "plugin/order/fit.h"
#include "plugin/order/turn.h"
#include "plugin/queues/admission_check.h"
#include "plugin/state.h"

void position_none(struct position *ret)
{
    ret->position = ret->ahead_count = 0;
    ret->at_least = false;
    ret->on = (struct lack){0};
    ret->estimate = ret->earliest = ret->latest = -1;
    ret->basis[0] = '\0';
}

/* Why there is no estimate. */
static void say_none(struct position *place, const char *why)
{
    struct sentence say = sentence_in(place->basis, sizeof(place->basis));

    sentence_str(&say, why);
}

/* What the first of a queue lacks there, where nobody passes it. */
static wide find_first(const struct engine *e, uint32_t queue, const struct shortfall *shortfall)
{
    uint32_t first = turn_first(e, queue);
    struct shortfall of_first;
    struct lack lack;

    if (!queue_at(e, queue)->strict || first == 0 || !lack_find(e, first, &lack, &of_first) ||
        of_first.queue != shortfall->queue || of_first.resource != shortfall->resource)
        return 0;
    return wide_max(0, lack.asked - of_first.free);
}

/* What it waits for: room for it, or, where that is not what it lacks, for the first of its queue.
 * False: nothing that anybody gives back. */
static bool find_shortfall(const struct engine *e, uint32_t id, bool lacks_room,
                           struct position *place, struct shortfall *ret)
{
    uint32_t first = turn_first(e, claim_queue(e, id));
    struct lack of_first;

    if (lacks_room && lack_find(e, id, &place->on, ret))
        return true;
    return first != 0 && lack_find(e, first, &of_first, ret);
}

/* How long it may take until it has what it asks for of what is missing, and those before it have
 * what they ask for. */
static void look_out(const struct engine *e, uint32_t id, const struct before *before,
                     struct shortfall *shortfall, struct position *place)
{
    uint32_t queue = claim_queue(e, id);
    wide asked = lack_asked(e, id, shortfall);

    shortfall->least += before->not_passed + asked;
    shortfall->others = queue_at(e, queue)->strict ? before->not_passed : shortfall->least;
    shortfall->first = find_first(e, queue, shortfall);
    shortfall->alike = before->all > 0 ? before->squares / before->all : 0;
    shortfall->most += before->all + asked;
    if (shortfall->least > 0)
        outlook_find(e, queue, shortfall, place);
    else
        say_none(place, "there is room, and it waits for its turn");
}

/* why_never: why no time can be told, whoever gives back what; NULL. */
static void find(const struct engine *e, uint32_t id, bool lacks_room, const char *why_never,
                 struct position *ret)
{
    struct shortfall shortfall = {0};
    struct before before = {0};
    bool waits;

    position_none(ret);
    waits = find_shortfall(e, id, lacks_room, ret, &shortfall);
    before.passes = queue_at(e, claim_queue(e, id))->strict
                        ? INT64_MAX
                        : amount_clamp(lack_asked(e, id, &shortfall));
    ahead_find(e, id, &shortfall, ret, &before);
    if (why_never != NULL)
        say_none(ret, why_never);
    else if (!waits)
        say_none(ret, "it waits for nothing that others hold");
    else
        look_out(e, id, &before, &shortfall, ret);
}

static const char *const closed = "its queue lets nobody in", *const too_much = "it can never fit";

void position_find(const struct engine *e, uint32_t id, enum reason reason, struct position *ret)
{
    const char *why = queue_stops(e, claim_queue(e, id)) != REASON_NONE ? closed
                      : fit_never(e, claim_at(e, id)->line)             ? too_much
                                                                        : NULL;

    find(e, id, reason == REASON_QUEUE_CAPACITY, why, ret);
}

void position_find_workload(struct engine *e, uint32_t id, struct position *ret)
{
    uint32_t demand = workload_at(e, id)->demand;
    const char *why = NULL;

    if (cluster_queue_fault(e, claim_queue(e, id), NULL) != CLUSTER_QUEUE_READY)
        why = closed;
    else if (!workload_decide_ever(e, demand))
        why = too_much;
    else if (claim_is_promised(claim_at(e, id)))
        why = "those whose room it takes are on their way out";
    find(e, id, why == NULL, why, ret);
}
