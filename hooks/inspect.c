/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include "decode.h"
#include "encode.h"
#include "serve.h"

enum {
    PAGE_ROWS = 256,
    PAGE_ROWS_MAX = 1 << 16,
    FROM_BYTES = 16, /* the key `from` with its value, and the head of what comes before it */
};

static bool put_next_queue(struct call *call, const void *subject, uint32_t *cursor)
{
    (void)subject;
    if (!engine_next_queue(call->engine, cursor))
        return false;
    put_queue(call, *cursor, 0);
    return true;
}

/* 0: refused. */
static uint32_t find_queue(struct call *call, const struct question *question)
{
    uint32_t queue;

    msg_require(&call->in, question->has_kind, "kind");
    msg_require(&call->in, question->name.len > 0, "name");
    if (!call_begin(call))
        return 0;
    queue = engine_find_queue(call->engine, question->kind, question->name);
    if (queue == 0)
        call_refuse_text(call, SLUICE_FIELD, "name", question->name,
                         "a queue of this kind that was seen or named");
    return queue;
}

static void show_queue(struct call *call, const struct question *question)
{
    uint32_t queue = find_queue(call, question);

    if (queue == 0)
        return;
    put_queue(call, queue, CALL_STATUS_KEYS);
}

static void show_pod(struct call *call, const struct question *question)
{
    bool has_uid = question->uid.len > 0, has_space = question->space.len > 0;
    bool has_name = question->name.len > 0, named = !has_uid && (has_space || has_name);
    struct pod_report report;
    uint32_t claim;

    msg_require(&call->in, has_uid || named, "uid");
    msg_require(&call->in, !named || has_space, "namespace");
    msg_require(&call->in, !named || has_name, "name");
    if (!call_begin(call))
        return;
    claim = named ? engine_find_named_pod(call->engine, question->space, question->name)
                  : engine_find_pod(call->engine, question->uid);
    if (claim != 0)
        engine_name_pod(call->engine, claim, &report);
    if (claim == 0 || !may_see(question, report.space)) {
        call_refuse_text(call, SLUICE_FIELD, named ? "name" : "uid",
                         named ? question->name : question->uid,
                         "a pod of ours that was seen and is not gone");
        return;
    }
    put_pod(&call->out, call->engine, claim, CALL_STATUS_KEYS + path_keys(question));
    put_path(call, question, engine_find_queue(call->engine, report.queue_kind, report.queue));
}

static bool put_next_waiting(struct call *call, const void *subject, uint32_t *cursor)
{
    struct pod_report report;
    uint32_t claim;

    if (!engine_next_waiting(call->engine, *(struct waiting_walk *const *)subject, cursor, &claim))
        return false;
    engine_name_pod(call->engine, claim, &report);
    msg_put_map(&call->out, 6);
    put_key_text(&call->out, "uid", report.uid);
    put_key_text(&call->out, "namespace", report.space);
    put_key_text(&call->out, "name", report.name);
    put_key_int(&call->out, "priority", report.priority);
    put_key_int(&call->out, "created", report.created);
    put_key_int(&call->out, "members", report.is_gang ? report.members : 0);
    return true;
}

static void show_pending(struct call *call, const struct question *question)
{
    struct waiting_walk all = {.queue = find_queue(call, question)}, *walk = &all;

    if (all.queue == 0)
        return;
    if (question->max < WALK_TAKES) /* one more tells whether there are more */
        all.most = (uint32_t)question->max + 1;
    call_answer(call, 2);
    put_page(call, question, &(struct rows){"pods", put_next_waiting, &walk});
}

static bool put_next_effect(struct call *call, const void *subject, uint32_t *cursor)
{
    struct effect effect;

    (void)subject;
    if (!outbox_next_live(call->handle->outbox, cursor, &effect))
        return false;
    msg_put_map(&call->out, EFFECT_NAME_KEYS + 2);
    put_effect_name(&call->out, &effect);
    put_key_bool(&call->out, "leased", effect.leased);
    put_key_int(&call->out, "due", effect.due);
    return true;
}

static void put_limits(struct msg_writer *w, int64_t message, int64_t pods, int64_t queues,
                       int64_t nodes, int64_t workloads, int64_t clusters)
{

    put_key_int(w, "message", message);
    put_key_int(w, "pods", pods);
    put_key_int(w, "queues", queues);
    put_key_int(w, "nodes", nodes);
    put_key_int(w, "workloads", workloads);
    put_key_int(w, "clusters", clusters);
}

static void show_limits(struct call *call, const struct question *question)
{
    const struct handle *handle = call->handle;
    const struct engine *engine = call->engine;
    uint32_t dispatched = fleet_count_dispatches(call->fleet),
             held = engine_count_workloads(engine);

    (void)question;
    call_answer(call, 7);
    put_limits(&call->out, (int64_t)handle->message_limit, handle->config.max_pods,
               handle->config.max_queues, handle->config.max_nodes, handle->config.max_workloads,
               handle->fleet_config.max_clusters);
    msg_put_key(&call->out, "used");
    msg_put_map(&call->out, 6);
    put_limits(&call->out, (int64_t)handle->longest, engine_count_pods(engine),
               engine_count_queues(engine), engine_count_nodes(engine),
               dispatched > held ? dispatched : held, fleet_count_clusters(call->fleet));
}

static void show_digest(struct call *call, const struct question *question)
{
    call_answer(call, 1);
    put_key_hex(&call->out, "digest",
                engine_digest(call->engine, question->timers) +
                    fleet_digest(call->fleet, question->timers));
}

static void show_memory(struct call *call, const struct question *question)
{
    (void)question;
    call_answer(call, 2);
    put_key_int(&call->out, "bytes", (int64_t)call->handle->memory.bytes);
    put_key_int(&call->out, "peak", (int64_t)call->handle->memory.peak);
}

static void show_check(struct call *call, const struct question *question)
{
    const char *broken = call_check(call);

    (void)question;
    call_answer(call, 2);
    put_key_bool(&call->out, "ok", broken == NULL);
    put_key_str(&call->out, "broken", broken ? broken : "");
}

static void show_recording(struct call *call, const struct question *question)
{
    const struct recorder *recorder = &call->handle->recorder;
    struct msg_writer *w = &call->out;

    call_answer(call, 3);
    put_key_bool(w, "full", recorder->full);
    msg_put_key(w, "bytes");

    size_t room = w->cap - msg_writer_length(w) - FROM_BYTES;
    size_t from = (size_t)question->from < recorder->used ? (size_t)question->from : recorder->used;
    size_t left = recorder->used - from;
    size_t part = left < room ? left : room;
    msg_put_bin(w, recorder->bytes ? recorder->bytes + from : NULL, part);
    put_key_int(w, "from", part < left ? (int64_t)(from + part) : 0);
}

static void read_kind(struct msg_reader *in, struct question *ret)
{
    struct msg_reader at = *in;
    struct text word;

    ret->of_local = decode_words(&at, SIZE_MAX, &word) && text_is(word, "LocalQueue");
    if (ret->of_local)
        *in = at;
    else
        ret->has_kind = decode_queue_kind(in, true, &ret->kind);
}

static void read_question(struct call *call, struct question *ret)
{
    const struct identity who = {&ret->uid, &ret->space, &ret->name};
    struct msg_reader *in = &call->in;
    struct msg_text key;
    bool has_what = false;

    *ret = (struct question){.max = PAGE_ROWS, .timers = true};
    while (call_next_key(call, &key)) {
        if (msg_text_is(key, "what"))
            has_what = decode_words(in, SIZE_MAX, &ret->what);
        else if (msg_text_is(key, "!within"))
            decode_name(in, &ret->within);
        else if (msg_text_is(key, "kind"))
            read_kind(in, ret);
        else if (msg_text_is(key, "from"))
            msg_get_int(in, 0, UINT32_MAX, &ret->from);
        else if (msg_text_is(key, "max"))
            msg_get_int(in, 1, PAGE_ROWS_MAX, &ret->max);
        else if (msg_text_is(key, "holding"))
            msg_get_bool(in, &ret->holding);
        else if (msg_text_is(key, "path"))
            msg_get_bool(in, &ret->path);
        else if (msg_text_is(key, "native"))
            decode_group_kind(in, GROUP_NATIVE, &ret->group_kind);
        else if (msg_text_is(key, "composite"))
            decode_group_kind(in, GROUP_COMPOSITE, &ret->group_kind);
        else if (msg_text_is(key, "timers"))
            msg_get_bool(in, &ret->timers);
        else if (!decode_identity(in, key, &who))
            msg_skip_unknown(in);
    }
    msg_require(in, has_what, "what");
}

/* What is asked within a namespace is about what is in it. */
static bool keep_within(struct call *call, struct question *question, bool may)
{
    if (question->within.len == 0)
        return true;
    if (!may)
        call_refuse_text(call, SLUICE_FIELD, "what", question->what,
                         "one of the views that PROTOCOL.md lists for `!within`");
    else if (question->space.len > 0 && !text_same(question->space, question->within))
        call_refuse_text(call, SLUICE_FIELD, "namespace", question->space,
                         "that of `!within`, or none");
    question->space = question->within;
    return call->result >= 0;
}

static void show_rows(struct call *call, const struct question *question, const char *what,
                      put_row *put_next)
{
    call_answer(call, 2);
    put_page(call, question, &(struct rows){what, put_next, question});
}

void serve_inspect(struct call *call)
{
    static const struct {
        const char *what;
        bool within; /* it can be asked within a namespace: then it tells no name of another one */
        void (*show)(struct call *call, const struct question *question);
        put_row *put_next; /* where there is nothing to show but a page of such rows */
    } views[] = {
        {"queues", false, NULL, put_next_queue},
        {"queue", false, show_queue, NULL},
        {"pod", true, show_pod, NULL},
        {"groups", true, NULL, put_next_group},
        {"group", true, show_group, NULL},
        {"pending", false, show_pending, NULL},
        {"effects", false, NULL, put_next_effect},
        {"limits", false, show_limits, NULL},
        {"digest", false, show_digest, NULL},
        {"memory", false, show_memory, NULL},
        {"check", false, show_check, NULL},
        {"recording", false, show_recording, NULL},
        {"fleet", false, show_fleet, NULL},
        {"clusters", false, NULL, put_next_cluster},
        {"workload", true, show_workload, NULL},
        {"workloads", true, show_workloads, NULL},
        {"clusterQueue", false, show_cluster_queue, NULL},
        {"localQueues", true, NULL, put_next_local_queue},
        {"localQueue", true, show_local_queue, NULL},
    };
    struct question question;

    read_question(call, &question);
    if (!call_begin(call))
        return;
    for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
        if (!text_is(question.what, views[i].what))
            continue;
        if (!keep_within(call, &question, views[i].within))
            return;
        if (views[i].show != NULL)
            views[i].show(call, &question);
        else
            show_rows(call, &question, views[i].what, views[i].put_next);
        return;
    }
    call_refuse_text(call, SLUICE_FIELD, "what", question.what,
                     "one of the views that PROTOCOL.md lists");
}
