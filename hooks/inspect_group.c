/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"
#include "encode.h"
#include "inspect.h"
#include "plugin/telling/within.h"

enum { GROUP_KEYS = 22 + POSITION_KEYS };

static const char *stand_name(enum group_stand stand)
{
    static const char *const names[] = {
        [GROUP_STANDS_HELD] = "held",
        [GROUP_STANDS_WAITING] = "waiting",
        [GROUP_STANDS_GRANTED] = "granted",
        [GROUP_STANDS_APART] = "apart",
    };

    return names[stand];
}

static void put_group(struct msg_writer *w, const struct group_report *report, uint32_t others)
{
    msg_put_map(w, GROUP_KEYS + others);
    put_key_text(w, "uid", report->uid);
    put_key_text(w, "namespace", report->space);
    put_key_text(w, "name", report->name);
    put_key_bool(w, "known", report->known);
    put_group_kind(w, report->kind);
    put_key_text(w, "queue", report->queue);
    put_key_str(w, "queueKind", queue_kind_name(report->queue_kind));
    put_key_str(w, "state", stand_name(report->stand));
    put_key_str(w, "reason", reason_name(report->why.reason));
    put_key_str(w, "message", report->why.message);
    put_key_str(w, "phase", report->phase);
    put_key_int(w, "priority", report->priority);
    put_key_int(w, "created", report->created);
    put_key_int(w, "minimum", report->minimum);
    put_key_int(w, "pods", report->members);
    put_key_int(w, "ready", report->ready);
    put_key_int(w, "reserved", report->reserved);
    put_key_int(w, "allocated", report->allocated);
    put_key_int(w, "succeeded", report->succeeded);
    put_key_int(w, "failed", report->failed);
    put_position(w, &report->place);
    put_amounts(w, "asks", report->asks, report->ask_count);
}

bool put_next_group(struct call *call, const void *subject, uint32_t *cursor)
{
    const struct question *question = subject;
    struct group_report report;
    bool is = question->within.len > 0
                  ? engine_next_group_within(call->engine, question->within, cursor)
                  : engine_next_group(call->engine, cursor);

    if (!is)
        return false;
    engine_report_group(call->engine, *cursor, &report);
    put_group(&call->out, &report, 0);
    return true;
}

static bool put_next_member(struct call *call, const void *subject, uint32_t *cursor)
{
    struct pod_report report;

    if (!engine_next_member(call->engine, *(const uint32_t *)subject, cursor))
        return false;
    engine_name_pod(call->engine, *cursor, &report);
    msg_put_map(&call->out, 5);
    put_key_text(&call->out, "uid", report.uid);
    put_key_text(&call->out, "name", report.name);
    put_key_str(&call->out, "state", claim_state_name(report.state));
    put_key_str(&call->out, "reason", reason_name(engine_member_reason(call->engine, *cursor)));
    put_key_text(&call->out, "node", report.node);
    return true;
}

void show_group(struct call *call, const struct question *question)
{
    struct group_report report;
    uint32_t group;

    if (!is_named(call, question))
        return;
    group = engine_find_group(call->engine, question->group_kind, question->space, question->name);
    if (group == 0) {
        call_refuse_text(call, SLUICE_FIELD, "name", question->name,
                         "a group that was seen, or that a pod names");
        return;
    }
    engine_report_group(call->engine, group, &report);
    put_group(&call->out, &report, CALL_STATUS_KEYS + 2 + path_keys(question));
    put_path(call, question,
             report.queue.len == 0
                 ? 0
                 : engine_find_queue(call->engine, report.queue_kind, report.queue));
    put_page(call, question, &(struct rows){"members", put_next_member, &group});
}
