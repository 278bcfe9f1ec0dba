/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include "encode.h"
#include "plugin/telling/within.h"

static void put_name(struct msg_writer *w, const struct workload_name *name)
{
    msg_put_map(w, 3);
    put_key_text(w, "uid", name->uid);
    put_key_text(w, "namespace", name->space);
    put_key_text(w, "name", name->name);
}

static void put_sets(struct msg_writer *w, const struct workload_write_report *report)
{
    msg_put_key(w, "podSets");
    msg_put_array(w, report->set_count);
    for (uint32_t s = 0; s < report->set_count; s++) {
        msg_put_map(w, SET_KEYS);
        put_set(w, &report->sets[s]);
    }
}

static void put_gates_and_checks(struct msg_writer *w, const struct workload_report *report)
{
    msg_put_key(w, "gates");
    msg_put_array(w, report->write.gate_count);
    for (uint32_t i = 0; i < report->write.gate_count; i++) {
        msg_put_map(w, 2);
        put_key_text(w, "name", report->write.gates[i].name);
        put_key_bool(w, "open", report->write.gates[i].open);
    }
    msg_put_key(w, "checks");
    msg_put_array(w, report->check_count);
    for (uint32_t i = 0; i < report->check_count; i++) {
        msg_put_map(w, 2);
        put_key_text(w, "name", report->checks[i].name);
        put_key_str(w, "state", report->checks[i].state);
    }
}

/* Who goes for it; of other namespaces than one may see, how many. */
static void put_victims(struct msg_writer *w, const struct question *question,
                        const struct workload_report *report)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; i < report->victim_count; i++)
        seen += may_see(question, report->victims[i].space);
    msg_put_key(w, "victims");
    msg_put_array(w, seen);
    for (uint32_t i = 0; i < report->victim_count; i++) {
        if (may_see(question, report->victims[i].space))
            put_name(w, &report->victims[i]);
    }
    put_key_int(w, "otherVictims", report->victim_count - seen);
}

/* 0: it is not known. */
static uint32_t find_cluster_queue(const struct call *call, struct text name)
{
    return name.len == 0 ? 0 : engine_find_queue(call->engine, QUEUE_CLUSTER, name);
}

static void put_workload(struct call *call, const struct question *question, uint32_t workload,
                         bool briefly, uint32_t others)
{
    enum { WORKLOAD_KEYS = 18, WORKLOAD_WORDS = 4 + POSITION_KEYS };
    struct msg_writer *w = &call->out;
    struct workload_report report;

    engine_report_workload(call->engine, workload, briefly, &report);
    msg_put_map(w, WORKLOAD_KEYS + (briefly ? 1u : WORKLOAD_WORDS + path_keys(question)) + others);
    put_key_text(w, "uid", report.is.uid);
    put_key_text(w, "namespace", report.is.space);
    put_key_text(w, "name", report.is.name);
    put_key_text(w, "queue", report.local_queue);
    put_key_text(w, "clusterQueue", report.queue);
    put_key_str(w, "state", report.state);
    put_key_str(w, "reason", report.reason);
    put_key_int(w, "priority", report.priority);
    put_key_int(w, "created", report.created);
    put_key_bool(w, "signal", report.signals);
    put_key_int(w, "signalSince", report.signal_since);
    put_key_text(w, "closed", report.closed);
    put_key_str(w, "write", report.write.write);
    put_sets(w, &report.write);
    put_gates_and_checks(w, &report);
    msg_put_key(w, "for");
    if (report.is_victim && may_see(question, report.of.space))
        put_name(w, &report.of);
    else
        msg_put_nil(w);
    put_key_bool(w, "forOther", report.is_victim && !may_see(question, report.of.space));
    if (briefly) {
        put_key_int(w, "position", report.place.position);
        return;
    }
    put_position(w, &report.place);
    put_amounts(w, "asks", report.asks, report.ask_count);
    put_key_str(w, "message", report.message);
    put_victims(w, question, &report);
    put_path(call, question, find_cluster_queue(call, report.queue));
}

void show_workload(struct call *call, const struct question *question)
{
    uint32_t workload;

    if (!is_named(call, question))
        return;
    workload = engine_find_workload(call->engine, question->space, question->name);
    if (workload == 0)
        call_refuse_text(call, SLUICE_FIELD, "name", question->name,
                         "a workload that was seen in the role worker");
    else
        put_workload(call, question, workload, false, CALL_STATUS_KEYS);
}

/* Whose workloads, or what is used of whose quota. */
struct place {
    uint32_t queue, local;
    const struct question *question;
};

static bool put_next_workload(struct call *call, const void *subject, uint32_t *cursor)
{
    const struct place *place = subject;
    uint32_t workload;

    if (!engine_next_workload(call->engine, place->queue, place->local, place->question->holding,
                              cursor, &workload))
        return false;
    put_workload(call, place->question, workload, true, 0);
    return true;
}

/* False: refused. */
static bool find_place(struct call *call, const struct question *question, bool local,
                       struct place *ret)
{
    msg_require(&call->in, question->name.len > 0, "name");
    msg_require(&call->in, question->space.len > 0 || !local, "namespace");
    if (!call_begin(call))
        return false;
    if (local)
        ret->local = engine_find_local_queue(call->engine, question->space, question->name);
    else
        ret->queue = engine_find_queue(call->engine, QUEUE_CLUSTER, question->name);
    if (ret->local != 0 || ret->queue != 0)
        return true;
    call_refuse_text(call, SLUICE_FIELD, "name", question->name,
                     local ? "a LocalQueue that was seen or named"
                           : "a ClusterQueue that was seen or named");
    return false;
}

void show_workloads(struct call *call, const struct question *question)
{
    struct place place = {.question = question};

    msg_require(&call->in, question->has_kind || question->of_local, "kind");
    if (question->within.len > 0 && !question->of_local)
        call_refuse(call, SLUICE_FIELD, "kind", "a queue of the cluster",
                    "LocalQueue, within a namespace");
    if (!find_place(call, question, question->of_local, &place))
        return;
    call_answer(call, 2);
    put_page(call, question, &(struct rows){"workloads", put_next_workload, &place});
}

static void put_usage(struct msg_writer *w, const struct engine *engine, struct place place)
{
    struct workload_usage row;
    uint32_t cursor = 0, count = 0;

    while (engine_next_workload_usage(engine, place.queue, place.local, &cursor, &row))
        count++;
    msg_put_key(w, "usage");
    msg_put_array(w, count);
    for (cursor = 0; engine_next_workload_usage(engine, place.queue, place.local, &cursor, &row);) {
        msg_put_map(w, place.local == 0 ? 5 : 4);
        put_key_text(w, "flavor", row.flavor);
        put_key_text(w, "resource", row.resource);
        put_key_int(w, "reserved", row.reserved);
        put_key_int(w, "admitted", row.admitted);
        if (place.local == 0)
            put_key_int(w, "borrowed", row.borrowed);
    }
}

static void put_counts(struct msg_writer *w, const struct cluster_queue_report *report)
{
    put_key_text(w, "name", report->name);
    put_key_bool(w, "active", report->active);
    put_key_str(w, "reason", report->reason);
    put_key_str(w, "message", report->message);
    put_key_int(w, "waiting", report->pending);
    put_key_int(w, "idle", report->idle);
    put_key_int(w, "reserving", report->reserving);
    put_key_int(w, "admitted", report->admitted);
}

void show_cluster_queue(struct call *call, const struct question *question)
{
    struct cluster_queue_report report;
    struct place place = {0};

    if (!find_place(call, question, false, &place))
        return;
    engine_report_cluster_queue(call->engine, place.queue, &report);
    msg_put_map(&call->out, 9 + CALL_STATUS_KEYS);
    put_counts(&call->out, &report);
    put_usage(&call->out, call->engine, place);
}

/* Also gives back its report. */
static void put_local(struct call *call, uint32_t local, uint32_t others,
                      struct cluster_queue_report *ret)
{
    struct msg_writer *w = &call->out;

    engine_report_local_queue(call->engine, local, ret);
    msg_put_map(w, 12 + WAIT_KEYS + others);
    put_key_text(w, "namespace", ret->space);
    put_key_text(w, "clusterQueue", ret->queue);
    put_counts(w, ret);
    put_key_int(w, "oldest", ret->oldest);
    put_waits(w, ret->waits);
    put_usage(w, call->engine, (struct place){.local = local});
}

bool put_next_local_queue(struct call *call, const void *subject, uint32_t *cursor)
{
    const struct question *question = subject;
    struct cluster_queue_report report;
    bool is = question->within.len > 0
                  ? engine_next_local_queue_within(call->engine, question->within, cursor)
                  : engine_next_local_queue(call->engine, cursor);

    if (!is)
        return false;
    put_local(call, *cursor, 0, &report);
    return true;
}

void show_local_queue(struct call *call, const struct question *question)
{
    struct cluster_queue_report report;
    struct place place = {0};

    if (!find_place(call, question, true, &place))
        return;
    put_local(call, place.local, CALL_STATUS_KEYS + path_keys(question), &report);
    put_path(call, question, find_cluster_queue(call, report.queue));
}
