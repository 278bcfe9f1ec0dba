/* SPDX-License-Identifier: Apache-2.0 */
#include "wait_notice.h"

#include "plugin/state.h"
#include "workload_settle.h"

static struct workload_notice *notice_at(const struct engine *e, uint32_t id)
{
    return &workload_at(e, id)->notice;
}

static struct list_link *peers_of(const void *ctx, uint32_t id)
{
    return &notice_at(ctx, id)->peers;
}

bool wait_notice_ask(struct engine *e, uint32_t id)
{
    struct workload_notice *notice = notice_at(e, id);

    if (e->config.waiting_reasons_after == 0 && e->config.waiting_reasons_per_second == 0)
        return true;
    if (notice->stage == NOTICE_NONE) {
        *notice = (struct workload_notice){.stage = NOTICE_LISTED, .since = e->now};
        list_append(peers_of, e, &e->workloads.wait_notices.listed, id);
    }
    return notice->stage == NOTICE_DUE;
}

void wait_notice_drop(struct engine *e, uint32_t id)
{
    if (notice_at(e, id)->stage == NOTICE_LISTED)
        list_remove(peers_of, e, &e->workloads.wait_notices.listed, id);
    *notice_at(e, id) = (struct workload_notice){0};
}

int64_t wait_notice_deadline(const struct engine *e)
{
    const struct wait_notices *notices = &e->workloads.wait_notices;
    int64_t at;

    if (notices->listed.first == 0)
        return 0;
    at = notice_at(e, notices->listed.first)->since + e->config.waiting_reasons_after;
    return at > notices->not_before ? at : notices->not_before;
}

uint32_t wait_notice_some(struct engine *e, uint32_t budget)
{
    struct wait_notices *notices = &e->workloads.wait_notices;
    uint32_t limit = e->config.waiting_reasons_per_second, id;

    for (; budget > 0 && (id = notices->listed.first) != 0 && wait_notice_deadline(e) <= e->now;
         budget--) {
        wait_notice_drop(e, id);
        notice_at(e, id)->stage = NOTICE_DUE;
        notices->not_before = limit == 0 ? 0 : e->now + SECOND / limit;
        workload_settle(e, id);
    }
    return budget;
}

const char *wait_notice_check(const struct engine *e)
{
    const struct list *list = &e->workloads.wait_notices.listed;
    uint32_t before = 0, listed = 0;

    for (uint32_t id = list->first; id != 0; id = notice_at(e, id)->peers.next) {
        if (notice_at(e, id)->peers.prev != before || notice_at(e, id)->stage != NOTICE_LISTED)
            return "who is in the list of those that are to be told that they wait is listed";
        if (before != 0 && notice_at(e, before)->since > notice_at(e, id)->since)
            return "who waits longest is told first";
        before = id;
        listed++;
    }
    if (list->last != before)
        return "the list of those that are to be told that they wait ends with its last one";
    for (uint32_t id = workload_next(e, 0); id != 0; id = workload_next(e, id)) {
        if (notice_at(e, id)->stage != NOTICE_NONE &&
            (workload_holds(e, id) || claim_is_promised(claim_at(e, id))))
            return "who holds room, or is promised some, is not told that it waits";
        listed -= notice_at(e, id)->stage == NOTICE_LISTED;
    }
    return listed == 0 ? NULL : "who is listed is in the list";
}
