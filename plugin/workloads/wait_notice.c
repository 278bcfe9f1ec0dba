/* SPDX-License-Identifier: Apache-2.0 */
#include "wait_notice.h"

#include "plugin/base/amount.h"
#include "plugin/records/workload.h"
#include "plugin/state.h"
#include "workload_settle.h"

static struct workload_notice *notice_at(const struct engine *e, uint32_t id)
{
    return &workload_at(e, id)->notice;
}

static void append(struct engine *e, uint32_t id)
{
    struct wait_notices *list = &e->workloads.wait_notices;
    struct workload_notice *notice = notice_at(e, id);

    *notice = (struct workload_notice){.stage = NOTICE_LISTED, .since = e->now, .prev = list->last};
    if (list->last != 0)
        notice_at(e, list->last)->next = id;
    else
        list->first = id;
    list->last = id;
}

static void take_off(struct engine *e, uint32_t id)
{
    struct wait_notices *list = &e->workloads.wait_notices;
    const struct workload_notice *notice = notice_at(e, id);

    if (notice->prev != 0)
        notice_at(e, notice->prev)->next = notice->next;
    else
        list->first = notice->next;
    if (notice->next != 0)
        notice_at(e, notice->next)->prev = notice->prev;
    else
        list->last = notice->prev;
}

bool wait_notice_ask(struct engine *e, uint32_t id)
{
    struct workload_notice *notice = notice_at(e, id);

    if (e->config.waiting_reasons_after == 0 && e->config.waiting_reasons_per_second == 0)
        return true;
    if (notice->stage == NOTICE_NONE)
        append(e, id);
    return notice->stage == NOTICE_DUE;
}

void wait_notice_drop(struct engine *e, uint32_t id)
{
    if (notice_at(e, id)->stage == NOTICE_LISTED)
        take_off(e, id);
    *notice_at(e, id) = (struct workload_notice){0};
}

int64_t wait_notice_deadline(const struct engine *e)
{
    const struct wait_notices *list = &e->workloads.wait_notices;
    int64_t at;

    if (list->first == 0)
        return 0;
    at = notice_at(e, list->first)->since + e->config.waiting_reasons_after;
    return at > list->not_before ? at : list->not_before;
}

uint32_t wait_notice_some(struct engine *e, uint32_t budget)
{
    struct wait_notices *list = &e->workloads.wait_notices;
    uint32_t limit = e->config.waiting_reasons_per_second;

    for (; budget > 0 && list->first != 0 && wait_notice_deadline(e) <= e->now; budget--) {
        uint32_t id = list->first;

        take_off(e, id);
        *notice_at(e, id) = (struct workload_notice){.stage = NOTICE_DUE};
        list->not_before = limit == 0 ? 0 : e->now + SECOND / limit;
        workload_settle(e, id);
    }
    return budget;
}

const char *wait_notice_check(const struct engine *e)
{
    const struct wait_notices *list = &e->workloads.wait_notices;
    uint32_t before = 0, listed = 0;

    for (uint32_t id = list->first; id != 0; id = notice_at(e, id)->next) {
        if (notice_at(e, id)->prev != before || notice_at(e, id)->stage != NOTICE_LISTED)
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
