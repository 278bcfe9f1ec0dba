/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include "claim_effects.h"
#include "explain_queue.h"
#include "group_status.h"
#include "plugin/base/sentence.h"
#include "plugin/claims/stale_condition.h"
#include "plugin/order/fit.h"
#include "plugin/order/turn.h"
#include "plugin/pods/assembly_turn.h"
#include "plugin/pods/booking.h"
#include "plugin/pods/claim_time.h"
#include "plugin/pods/gang.h"
#include "plugin/pods/group_follow.h"
#include "plugin/state.h"

static void say_capacity(struct sentence *say, const struct engine *e, uint32_t id, uint32_t queue,
                         uint32_t need, wide room)
{
    const struct line *line = line_at(e, claim_at(e, id)->line);
    struct text resource = name_text(e, line_resource(e, line, need));

    if (fit_never(e, claim_at(e, id)->line)) {
        explain_never(say, e, id);
        return;
    }
    explain_queue(say, e, queue, " has room for ");
    sentence_amount(say, resource, wide_max(room, 0));
    sentence_named(say, " more ", resource,
                   claim_at(e, id)->flags & CLAIM_GANG ? ", the group asks for "
                                                       : ", the pod asks for ");
    sentence_amount(say, resource, line_amount(e, line, need));
    if (!fit_ever(e, claim_at(e, id)->line))
        sentence_str(say, ", which is more than all nodes have");
    if ((claim_at(e, id)->flags & CLAIM_PROMISED) == 0)
        return;
    sentence_number(say, "; room is on its way to it, victims: ",
                    pledge_count_victims(e, id, false) + pledge_count_victims(e, id, true), "");
}

void explain_not_ready(struct sentence *say, const struct engine *e)
{
    sentence_str(say, !e->synced  ? "the first listing of the cluster is not complete"
                      : !e->leads ? "this scheduler does not lead"
                                  : "earlier grants are being restored");
}

/* Of a claim that waits: what is it that refuses it? */
static enum reason explain_waiting(const struct engine *e, uint32_t id, struct sentence *say)
{
    uint32_t queue = claim_queue(e, id), head = queue_at(e, queue)->head, where, need;
    enum reason stop = queue_stops(e, queue);
    wide room;

    if (!engine_grants(e)) {
        explain_not_ready(say, e);
        return REASON_NOT_READY;
    }
    if (stop != REASON_NONE) {
        explain_halt(say, e, queue, stop);
        return stop;
    }
    if (turn_is_workloads(e, queue)) {
        explain_turn(say, e, turn_first_workload(e, queue), id);
        return REASON_QUEUE_ORDER;
    }
    if ((queue_at(e, queue)->strict || queue_at(e, queue)->guarding) && head != 0 &&
        claim_compare_rank(e, head, id) < 0) {
        explain_turn(say, e, head, id);
        return REASON_QUEUE_ORDER;
    }
    if (queue_below_dirty(e, queue)) {
        sentence_str(say, "room was released, and those before it are asked first");
        return REASON_QUEUE_ORDER;
    }
    if (say->cap == 1 && e->queues.todo[TODO_GUARD].first == 0)
        return REASON_QUEUE_CAPACITY;
    if (!fit_refused(e, claim_at(e, id)->line, &where, &need, &room)) {
        sentence_str(say, "it is about to be granted");
        return REASON_QUEUE_ORDER;
    }
    if (queue_at(e, where)->guard != 0 && queue_at(e, where)->guard != queue) {
        explain_turn(say, e, queue_at(e, queue_at(e, where)->guard)->head, id);
        return REASON_QUEUE_ORDER;
    }
    say_capacity(say, e, id, where, need, room);
    return REASON_QUEUE_CAPACITY;
}

/* With words behind it. */
static void say_group(struct sentence *say, const struct engine *e, const struct group *group,
                      const char *behind)
{
    sentence_named(say, "its group ", name_text(e, group->space), "/");
    sentence_named(say, "", name_text(e, group->name), behind);
}

static void say_incomplete(struct sentence *say, const struct group *group)
{
    uint32_t there = group->ready + group->holding + group->succeeded;
    uint32_t needed = (uint32_t)group->minimum;

    if (group->at_once && group->members + group->succeeded > needed)
        needed = group->members + group->succeeded;
    sentence_number(say, " has ", there, " of the ");
    sentence_number(say, "", needed, " members that it needs");
    if (group->members + group->succeeded > there) {
        sentence_number(say, ", and ", group->members + group->succeeded - there,
                        " that something of their own holds");
    }
    group_say_replicas(group, say);
}

/* Of a member that nothing of its own holds. */
static enum reason explain_held_group(const struct engine *e, uint32_t id, struct sentence *say)
{
    const struct group *group = group_at(e, id);

    say_group(say, e, group, "");
    if (group->mode == GROUP_MISSING)
        sentence_str(say, " does not exist");
    else if (group->mode == GROUP_MOVES)
        follow_say_move(e, group, say);
    else if (group->mode == GROUP_INVALID)
        group_say_fault(group, say);
    else if (group->misses_parts)
        group_say_missing_part(e, group, say);
    else
        say_incomplete(say, group);
    return gang_holds(e, id);
}

/* Of a member that waits with its gang. */
static enum reason explain_gang(const struct engine *e, uint32_t id, struct sentence *say)
{
    const struct group *group = group_at(e, id);

    say_group(say, e, group, "");
    sentence_number(say, " waits for ", (uint32_t)group_lacks(group), " of its ");
    sentence_number(say, "", group->members, " members as one: ");
    return explain_waiting(e, group->entry, say);
}

/* Of a claim that is not held by anything of its own. */
static enum reason explain_rest(const struct engine *e, uint32_t id, struct sentence *say)
{
    uint32_t group = claim_group(e, claim_at(e, id));

    if (group != 0 && gang_holds(e, group) != REASON_NONE)
        return explain_held_group(e, group, say);
    return claim_is_in_gang(e, id) ? explain_gang(e, group, say) : explain_waiting(e, id, say);
}

static enum reason explain_held(const struct engine *e, uint32_t id, struct sentence *say)
{
    const struct claim *claim = claim_at(e, id);

    switch (claim->reason) {
    case REASON_FOREIGN_GATE:
        sentence_named(say, "scheduling gate ", name_text(e, claim->obstacle),
                       " is for others to remove");
        break;
    case REASON_CLAIM_MISSING:
        sentence_named(say, "it needs ", name_text(e, claim->obstacle), ", which is not there");
        break;
    case REASON_NAMESPACE_NOT_SELECTED:
        explain_not_selected(say, e, claim_queue(e, id), claim->space);
        break;
    case REASON_GROUP_MISSING:
    case REASON_GROUP_INVALID:
    case REASON_GROUP_INCOMPLETE:
    case REASON_GROUP_CHANGING:
        return explain_held_group(e, claim_group(e, claim), say);
    case REASON_SUPERSEDED:
        sentence_str(say,
                     "its owner has another template by now, and replaces it by a pod of that");
        break;
    case REASON_CONDITION_STALE:
        return stale_condition_explain(claim, say);
    case REASON_BACKOFF:
        sentence_str(say, "its reservation ran out unused; it may try again in ");
        sentence_span(say, claim_deadline(e, id) - e->now);
        break;
    default:
        sentence_str(say, "earlier grants are being restored");
        break;
    }
    return claim->reason;
}

/* Of a reserved claim. */
static enum reason explain_assembly(const struct engine *e, uint32_t id, struct sentence *say)
{
    const struct claim *claim = claim_at(e, id);
    enum reason reason =
        stale_condition_awaits(claim) ? stale_condition_explain(claim, say) : assembly_holds(e, id);

    if (reason == REASON_GROUP_BACKOFF) {
        const struct group *group = group_at(e, claim_group(e, claim));

        say_group(say, e, group, " did not find nodes for all; it tries again in ");
        sentence_span(say, group->retry_at - e->now);
    } else if (reason == REASON_GROUP_TURN) {
        say_group(say, e, group_at(e, claim_group(e, claim)),
                  " is granted, and looks for nodes when another gang has found its own");
    }
    return reason;
}

static enum reason explain_granted(const struct engine *e, uint32_t id, struct sentence *say)
{
    uint32_t queue = claim_queue(e, id);

    if (claim_at(e, id)->state == CLAIM_ALLOCATED)
        return REASON_NONE;
    if (!queue_stops_granted(e, queue)) {
        if (!claim_removal_comes_first(e, id))
            return explain_assembly(e, id, say);
        sentence_str(say, "its gate is being removed, and the tolerations of its flavor written");
        return REASON_NOT_READY;
    }
    explain_halt(say, e, queue, queue_stops(e, queue));
    return queue_stops(e, queue);
}

static enum reason explain_state(const struct engine *e, uint32_t id, struct sentence *say)
{
    enum claim_state state = claim_at(e, id)->state;

    return state == CLAIM_HELD      ? explain_held(e, id, say)
           : state == CLAIM_WAITING ? explain_rest(e, id, say)
                                    : explain_granted(e, id, say);
}

void explain_claim(const struct engine *e, uint32_t id, bool words, struct verdict *ret_verdict)
{
    struct sentence say =
        sentence_in(ret_verdict->message, words ? sizeof(ret_verdict->message) : 1);

    ret_verdict->reason = explain_state(e, id, &say);
    ret_verdict->would = ret_verdict->reason == REASON_NONE;
    /* Where the scheduler's own plugin for gates is off, foreign ones are kept for it. */
    ret_verdict->pass = ret_verdict->would ||
                        (e->config.observe_only && (ret_verdict->reason != REASON_FOREIGN_GATE ||
                                                    e->config.removal == REMOVE_ON_ADMISSION));
}

void explain_group(const struct engine *e, uint32_t id, struct verdict *ret_verdict)
{
    const struct group *group = group_at(e, id);
    uint32_t member = group->claims.first;
    struct sentence say = sentence_in(ret_verdict->message, sizeof(ret_verdict->message));

    while (member != 0 && claim_at(e, member)->state != CLAIM_RESERVED)
        member = member_after(e, member);
    if (booking_waits(e, group)) {
        say_group(&say, e, group, " asks for members that are still to be made: ");
        ret_verdict->reason = explain_waiting(e, group->entry, &say);
    } else if (gang_holds(e, id) != REASON_NONE)
        ret_verdict->reason = explain_held_group(e, id, &say);
    else if (group->mode == GROUP_WAITS)
        ret_verdict->reason = explain_gang(e, id, &say);
    else
        ret_verdict->reason = member == 0 ? REASON_NONE : explain_granted(e, member, &say);
    ret_verdict->pass = ret_verdict->would = ret_verdict->reason == REASON_NONE;
}

void explain_condition(const struct engine *e, uint32_t id, enum reason *ret_reason, char *message)
{
    const struct claim *claim = claim_at(e, id);
    struct sentence say = sentence_in(message, VERDICT_MESSAGE_MAX);

    /* A claim that waits for nothing but this very write is about to wait for its queue. */
    *ret_reason = claim->state == CLAIM_HELD && claim->reason == REASON_CONDITION_STALE
                      ? explain_rest(e, id, &say)
                      : explain_state(e, id, &say);
}

void explain_news(const struct engine *e, uint32_t id, enum reason *ret_reason, char *message)
{
    const struct claim *claim = claim_at(e, id);
    bool in_gang = claim_is_in_gang(e, id);
    struct sentence say = sentence_in(message, VERDICT_MESSAGE_MAX);

    *ret_reason = (enum reason)claim->news_stands;
    if (*ret_reason == REASON_GRANTED) {
        explain_queue(&say, e, claim_queue(e, id),
                      " has room for it: it was granted, and a node is looked for");
    } else if (*ret_reason == REASON_NEVER_FITS) {
        explain_never(&say, e, in_gang ? group_at(e, claim_group(e, claim))->entry : id);
    } else if (claim->state == CLAIM_HELD) {
        explain_held(e, id, &say);
    } else {
        *ret_reason = queue_stops(e, claim_queue(e, id));
        explain_halt(&say, e, claim_queue(e, id), *ret_reason);
    }
}

void explain_refusal(const struct engine *e, uint32_t id, char *message)
{
    struct sentence say = sentence_in(message, VERDICT_MESSAGE_MAX);

    say_group(&say, e, group_at(e, claim_group(e, claim_at(e, id))),
              " did not find nodes for all of its minimum");
}
