/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "inspect.h"
#include "plugin/telling/within.h"

static void put_quota(struct msg_writer *w, const struct quota_row *row)
{
    msg_put_map(w, 8);
    put_key_text(w, "flavor", row->flavor);
    put_key_text(w, "resource", row->resource);
    put_key_int(w, "share", row->share);
    put_key_int(w, "kept", row->kept);
    msg_put_key(w, "ceiling");
    if (row->bounded)
        msg_put_int(w, row->ceiling);
    else
        msg_put_nil(w);
    put_key_int(w, "usage", row->usage);
    put_key_int(w, "reserved", row->reserved);
    put_key_int(w, "allocated", row->allocated);
}

static void put_groups(struct msg_writer *w, const struct queue_report *report)
{
    msg_put_key(w, "groups");
    msg_put_map(w, 3);
    put_key_int(w, "pending", (int64_t)report->held + (int64_t)report->waiting);
    put_key_int(w, "inqueue", report->reserved);
    put_key_int(w, "running", report->allocated);
}

static void put_queue_asks(struct msg_writer *w, const struct engine *engine, uint32_t queue)
{
    struct quota_row row;
    uint32_t cursor = 0, count = 0;

    while (engine_next_ask(engine, queue, &cursor, &row))
        count++;
    msg_put_key(w, "asks");
    msg_put_map(w, count);
    for (cursor = 0; engine_next_ask(engine, queue, &cursor, &row);) {
        msg_put_text(w, row.resource.at, row.resource.len);
        msg_put_int(w, row.usage);
    }
}

static void put_quotas(struct call *call, uint32_t queue, uint32_t count)
{
    struct msg_writer *w = &call->out;
    uint32_t *order;

    msg_put_key(w, "quota");
    msg_put_array(w, count);
    if (!scratch_reserve(&call->handle->scratch, count * sizeof(*order))) {
        call_no_memory(call);
        return;
    }
    order = scratch_take(&call->handle->scratch, count * sizeof(*order));
    engine_order_quota(call->engine, queue, order);
    for (uint32_t i = 0; i < count; i++) {
        struct quota_row row;

        engine_report_quota(call->engine, queue, order[i], &row);
        put_quota(w, &row);
    }
}

void put_waits(struct msg_writer *w, const struct waits *waits)
{
    uint32_t count = waits_count(waits) == 0 ? 0 : WAIT_COUNTS;

    msg_put_key(w, "waits");
    msg_put_array(w, count);
    for (uint32_t i = 0; i < count; i++)
        msg_put_int(w, (int64_t)waits->counts[i]);
    put_key_int(w, "waited", (int64_t)waits->sum);
}

void put_queue(struct call *call, uint32_t queue, uint32_t others)
{
    const struct engine *engine = call->engine;
    struct msg_writer *w = &call->out;
    struct queue_report report;

    engine_report_queue(engine, queue, &report);
    msg_put_map(w, 23 + WAIT_KEYS + others);
    put_key_str(w, "kind", queue_kind_name(report.kind));
    put_key_text(w, "name", report.name);
    put_key_text(w, "parent", report.parent);
    put_key_bool(w, "known", report.known);
    put_key_text(w, "state", report.state);
    put_key_str(w, "reason", reason_name(report.reason));
    put_key_bool(w, "leaf", report.leaf);
    put_key_str(w, "strategy", report.strict ? "fifo" : "traverse");
    put_key_int(w, "waiting", report.waiting);
    put_key_int(w, "held", report.held);
    put_key_int(w, "reserved", report.reserved);
    put_key_int(w, "allocated", report.allocated);
    put_key_int(w, "granted", (int64_t)report.granted);
    put_key_int(w, "released", (int64_t)report.released);
    put_key_int(w, "demoted", (int64_t)report.demoted);
    put_quotas(call, queue, report.quota_count);
    put_key_text(w, "own", report.own);
    put_key_bool(w, "byParent", report.by_parent);
    put_key_bool(w, "written", report.written);
    put_key_int(w, "oldest", report.oldest);
    put_key_int(w, "unplaced", report.unplaced);
    put_waits(w, report.waits);
    put_groups(w, &report);
    put_queue_asks(w, engine, queue);
}

uint32_t path_keys(const struct question *question)
{
    return question->path ? 1 : 0;
}

void put_path(struct call *call, const struct question *question, uint32_t queue)
{
    uint32_t count = 0;

    if (!question->path)
        return;
    for (uint32_t up = queue; up != 0; up = engine_queue_parent(call->engine, up))
        count++;
    msg_put_key(&call->out, "path");
    msg_put_array(&call->out, count);
    for (uint32_t up = queue; up != 0; up = engine_queue_parent(call->engine, up))
        put_queue(call, up, 0);
}

bool is_named(struct call *call, const struct question *question)
{
    msg_require(&call->in, question->space.len > 0, "namespace");
    msg_require(&call->in, question->name.len > 0, "name");
    return call_begin(call);
}

bool may_see(const struct question *question, struct text space)
{
    return question->within.len == 0 || text_same(space, question->within);
}

void put_amounts(struct msg_writer *w, const char *key, const struct quota_row *rows,
                 uint32_t count)
{
    msg_put_key(w, key);
    msg_put_map(w, count);
    for (uint32_t i = 0; i < count; i++) {
        msg_put_text(w, rows[i].resource.at, rows[i].resource.len);
        msg_put_int(w, rows[i].usage);
    }
}

void put_position(struct msg_writer *w, const struct position *place)
{
    const struct lack *on = &place->on;

    put_key_int(w, "position", place->position);
    put_amounts(w, "ahead", place->ahead, place->ahead_count);
    put_key_int(w, "estimate", place->estimate);
    put_key_int(w, "earliest", place->earliest);
    put_key_int(w, "latest", place->latest);
    put_key_str(w, "basis", place->basis);
    put_key_bool(w, "atLeast", place->at_least);
    msg_put_key(w, "on");
    if (!on->is) {
        msg_put_nil(w);
        return;
    }
    msg_put_map(w, 6);
    put_key_str(w, "kind", queue_kind_name(on->kind));
    put_key_text(w, "name", on->name);
    put_key_text(w, "resource", on->resource);
    put_key_int(w, "room", on->room);
    put_key_int(w, "asked", on->asked);
    put_key_int(w, "wanted", on->wanted);
}

static void put_flavors(struct msg_writer *w, const struct pod_report *report)
{
    msg_put_key(w, "flavors");
    msg_put_map(w, report->flavor_count);
    for (uint32_t i = 0; i < report->flavor_count; i++) {
        msg_put_text(w, report->flavors[i].resource.at, report->flavors[i].resource.len);
        msg_put_text(w, report->flavors[i].flavor.at, report->flavors[i].flavor.len);
    }
}

void put_pod(struct msg_writer *w, const struct engine *engine, uint32_t claim, uint32_t others)
{
    struct pod_report report;

    engine_report_pod(engine, claim, &report);
    msg_put_map(w, 17 + POSITION_KEYS + others);
    put_key_text(w, "uid", report.uid);
    put_key_text(w, "namespace", report.space);
    put_key_text(w, "name", report.name);
    put_key_text(w, "queue", report.queue);
    put_key_str(w, "queueKind", queue_kind_name(report.queue_kind));
    put_key_str(w, "state", claim_state_name(report.state));
    put_key_str(w, "reason", reason_name(report.why.reason));
    put_key_str(w, "message", report.why.message);
    put_key_text(w, "node", report.node);
    put_key_int(w, "priority", report.priority);
    put_key_int(w, "created", report.created);
    put_key_int(w, "granted", report.granted);
    put_position(w, &report.place);
    put_amounts(w, "asks", report.asks, report.ask_count);
    put_key_text(w, "group", report.group);
    put_key_int(w, "members", report.members);
    put_key_int(w, "minimum", report.minimum);
    put_flavors(w, &report);
}

void put_page(struct call *call, const struct question *question, const struct rows *rows)
{
    struct msg_writer *w = &call->out;
    uint32_t cursor = (uint32_t)question->from;
    uint32_t behind = cursor;
    int64_t count = 0;
    bool more = true;

    msg_put_key(w, rows->key);

    size_t place = msg_put_array_later(w);
    for (;;) {
        size_t mark = msg_writer_mark(w);

        more = rows->put_next(call, rows->subject, &cursor);
        if (!more)
            break;
        if (count > 0 && (count == question->max || !msg_writer_fits(w))) {
            msg_writer_rewind(w, mark);
            break;
        }
        behind = cursor;
        count++;
        if (!msg_writer_fits(w))
            break;
    }
    msg_set_count(w, place, (uint32_t)count);
    put_key_int(w, "from", more ? behind : 0);
}
