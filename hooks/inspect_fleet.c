/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include "encode.h"

enum { WORKLOAD_KEYS = 13 };

static void put_dispatch(struct call *call, uint32_t workload, uint32_t others)
{
    struct msg_writer *w = &call->out;
    struct dispatch_report report;

    fleet_report_dispatch(call->fleet, workload, call->now, &report);
    msg_put_map(w, WORKLOAD_KEYS + others);
    put_key_text(w, "uid", report.uid);
    put_key_text(w, "namespace", report.space);
    put_key_text(w, "name", report.name);
    put_key_bool(w, "known", report.known);
    put_key_text(w, "cluster", report.cluster);
    put_key_str(w, "state", report.state);
    put_key_str(w, "message", report.message);
    put_key_int(w, "timeout", report.timeout);
    put_key_int(w, "opened", report.counted);
    put_key_int(w, "acts", report.next);
    put_key_int(w, "copies", report.replicas);
    put_key_int(w, "signals", report.signals);
    put_key_int(w, "open", report.open);
}

static bool put_next_dispatch(struct call *call, const void *subject, uint32_t *cursor)
{
    (void)subject;
    if (!fleet_next_dispatch(call->fleet, cursor))
        return false;
    put_dispatch(call, *cursor, 0);
    return true;
}

static bool put_next_replica(struct call *call, const void *subject, uint32_t *cursor)
{
    struct replica_report report;

    if (!fleet_next_replica(call->fleet, *(const uint32_t *)subject, cursor))
        return false;
    fleet_report_replica(call->fleet, *cursor, &report);
    msg_put_map(&call->out, 12);
    put_key_text(&call->out, "cluster", report.cluster);
    put_key_text(&call->out, "uid", report.uid);
    put_key_bool(&call->out, "connected", report.connected);
    put_key_bool(&call->out, "nominated", report.nominated);
    put_key_bool(&call->out, "there", report.there);
    put_key_str(&call->out, "gate", report.gate);
    put_key_int(&call->out, "signal", report.signal);
    put_key_int(&call->out, "opened", report.opened);
    put_key_bool(&call->out, "reserved", report.reserved);
    put_key_bool(&call->out, "admitted", report.admitted);
    put_key_bool(&call->out, "evicted", report.evicted);
    put_key_bool(&call->out, "deleted", report.deleted);
    return true;
}

bool put_next_cluster(struct call *call, const void *subject, uint32_t *cursor)
{
    struct worker_report report;

    (void)subject;
    if (!fleet_next_cluster(call->fleet, cursor))
        return false;
    fleet_report_cluster(call->fleet, *cursor, &report);
    msg_put_map(&call->out, 5);
    put_key_text(&call->out, "name", report.name);
    put_key_bool(&call->out, "known", report.known);
    put_key_bool(&call->out, "connected", report.connected);
    put_key_int(&call->out, "since", report.since);
    put_key_int(&call->out, "copies", report.replicas);
    return true;
}

void show_fleet(struct call *call, const struct question *question)
{
    uint32_t workload;

    if (question->space.len == 0 && question->name.len == 0) {
        call_answer(call, 2);
        put_page(call, question, &(struct rows){"workloads", put_next_dispatch, NULL});
        return;
    }
    if (!is_named(call, question))
        return;
    workload = fleet_find_dispatch(call->fleet, question->space, question->name);
    if (workload == 0) {
        call_refuse_text(call, SLUICE_FIELD, "name", question->name,
                         "a workload of a manager's that was seen, or that has replicas");
        return;
    }
    put_dispatch(call, workload, CALL_STATUS_KEYS + 2);
    put_page(call, question, &(struct rows){"replicas", put_next_replica, &workload});
}
