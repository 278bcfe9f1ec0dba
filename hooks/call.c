/* SPDX-License-Identifier: Apache-2.0 */
#include "call.h"

#include "abi/msg/line.h"
#include "decode.h"
#include "encode.h"
#include "foresee.h"
#include "probes.h"

enum { STATUS_BYTES = 64 }; /* pending, next and more, and the `from` of a page, at their longest */

bool call_arguments_valid(const uint8_t *req, uint64_t len, const uint8_t *out, uint64_t cap)
{
    uintptr_t from = (uintptr_t)req;
    uintptr_t to = (uintptr_t)out;

    if ((!req && len > 0) || (!out && cap > 0) || len > UINTPTR_MAX - from ||
        cap > UINTPTR_MAX - to)
        return false;
    return len == 0 || cap == 0 || from + len <= to || to + cap <= from;
}

int64_t call_error(enum sluice_error code, uint64_t length)
{
    return -(int64_t)(length << 8 | (uint64_t)code);
}

static void put_fault(struct msg_writer *w, const struct msg_fault *fault)
{
    msg_put_map(w, 3);
    put_key_str(w, "key", fault->path);
    put_key_str(w, "value", fault->value);
    put_key_str(w, "want", fault->want);
}

int64_t call_error_map(enum sluice_error code, const struct msg_fault *fault, uint8_t *out,
                       uint64_t cap)
{
    struct msg_writer w;

    msg_writer_init(&w, NULL, 0);
    put_fault(&w, fault);
    if (msg_writer_length(&w) > cap)
        return call_error(code, 0);
    msg_writer_init(&w, out, cap);
    put_fault(&w, fault);
    return call_error(code, msg_writer_length(&w));
}

void call_message_fault(int error, size_t at, struct msg_fault *ret)
{
    struct msg_line value = {.out = ret->value, .cap = MSG_VALUE_BYTES};
    struct msg_line want = {.out = ret->want, .cap = MSG_WANT_BYTES};

    ret->path[0] = '\0';
    msg_line_words(&value, "byte ");
    msg_line_number(&value, at);
    msg_line_end(&value, "");
    msg_line_words(&want, "one msgpack map; here ");
    msg_line_words(&want, msg_error_text(error));
    msg_line_end(&want, "");
}

static void fault_part(char *out, size_t cap, const char *words)
{
    struct msg_line line = {.out = out, .cap = cap};

    msg_line_words(&line, words);
    msg_line_end(&line, "");
}

void call_refuse(struct call *call, enum sluice_error code, const char *key, const char *value,
                 const char *want)
{
    struct msg_fault *fault = &call->in.fault;

    if (call->result < 0)
        return;
    fault_part(fault->path, MSG_PATH_BYTES, key);
    fault_part(fault->value, MSG_VALUE_BYTES, value);
    fault_part(fault->want, MSG_WANT_BYTES, want);
    call->result = call_error(code, 0);
}

void call_refuse_text(struct call *call, enum sluice_error code, const char *key, struct text value,
                      const char *want)
{
    char quoted[MSG_VALUE_BYTES + 6];
    struct msg_line line = {.out = quoted, .cap = MSG_VALUE_BYTES - 1};

    msg_line_add(&line, "\"", 1);
    msg_line_foreign(&line, value.at, value.len);
    msg_line_end(&line, "\"");
    call_refuse(call, code, key, "", want);
    memcpy(call->in.fault.value, quoted, sizeof(quoted));
}

void call_no_memory(struct call *call)
{
    if (call->result == 0)
        call->result = call_error(SLUICE_NO_MEMORY, 0);
}

static void refuse_limit(struct call *call, const char *key, uint32_t limit)
{
    char digits[32];
    struct msg_line line = {.out = digits, .cap = sizeof(digits) - 4};

    msg_line_number(&line, limit);
    msg_line_end(&line, "");
    call_refuse(call, SLUICE_LIMIT, key, digits,
                "fewer objects, or a higher limit in the configuration");
}

bool call_seen(struct call *call, int result)
{
    const struct engine_config *config = &call->handle->config;

    if (result >= 0)
        return true;

    const struct {
        int result;
        const char *key;
        uint32_t limit;
    } limits[] = {
        {ENGINE_FULL_PODS, "limits.pods", config->max_pods},
        {ENGINE_FULL_QUEUES, "limits.queues", config->max_queues},
        {ENGINE_FULL_NODES, "limits.nodes", config->max_nodes},
        {ENGINE_FULL_WORKLOADS, "limits.workloads", config->max_workloads},
        {ENGINE_FULL_CLUSTERS, "limits.clusters", call->handle->fleet_config.max_clusters},
        {ENGINE_FULL_FLAVORS, "flavors", ENGINE_MAX_FLAVORS},
    };

    if (result == ENGINE_NO_MEMORY)
        call_no_memory(call);
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        if (result == limits[i].result)
            refuse_limit(call, limits[i].key, limits[i].limit);
    }
    return false;
}

bool call_next_key(struct call *call, struct msg_text *ret_key)
{
    while (msg_next_key(&call->in, &call->keys, ret_key)) {
        if (!msg_text_is(*ret_key, "now"))
            return true;
        call->has_now = msg_get_int(&call->in, 0, DECODE_TIME_MAX, &call->now);
    }
    return false;
}

static void begin_time(struct call *call)
{
    call->engine_before = engine_set_time(call->engine, call->now);
    call->fleet_before = fleet_set_time(call->fleet, call->now);
    call->begun = true;
}

static void take_back_time(struct call *call)
{
    engine_take_back_time(call->engine, call->engine_before);
    fleet_take_back_time(call->fleet, call->fleet_before);
}

bool call_begin(struct call *call)
{
    msg_require(&call->in, call->has_now, "now");
    if (call->in.error < 0 && call->result == 0)
        call->result = call_error(SLUICE_FIELD, 0);
    if (call->result < 0)
        return false;
    if (!call->hook->reads)
        begin_time(call);
    return true;
}

bool call_has_room(struct call *call, uint64_t size)
{
    if (call->result == 0 && call->in.error == 0 && size > call->out.cap)
        call->result = call_error(SLUICE_TOO_SMALL, size + STATUS_BYTES);
    return call->result == 0;
}

void call_answer(struct call *call, uint32_t pairs)
{
    msg_put_map(&call->out, pairs + CALL_STATUS_KEYS);
}

/* The earlier of two times; 0 is none. */
static int64_t sooner(int64_t a, int64_t b)
{
    if (a == 0 || b == 0)
        return a + b;
    return a < b ? a : b;
}

const char *call_check(const struct call *call)
{
    const char *broken = engine_check(call->engine);

    return broken == NULL ? fleet_check(call->fleet) : broken;
}

static void put_status(struct call *call)
{
    struct msg_writer *w = &call->out;

    w->cap += STATUS_BYTES;
    put_key_int(w, "pending", outbox_pending(call->handle->outbox));
    put_key_int(w, "next", sooner(engine_next(call->engine), fleet_next(call->fleet)));
    put_key_bool(w, "more", engine_more(call->engine) || fleet_more(call->fleet));
}

static void check_invariants(struct call *call)
{
#ifdef SLUICE_CHECK
    /* What only reads was given an engine that it cannot change. */
    const char *broken = call->hook->reads ? NULL : call_check(call);

    if (broken) {
        call->result = 0;
        call_refuse(call, SLUICE_BROKEN, call->hook->name, broken,
                    "an invariant that holds: report this, with the recording");
    }
#else
    (void)call;
#endif
}

static void serve(struct call *call, const uint8_t *req, size_t len)
{
    const struct msg_limits limits = {call->handle->message_limit, MSG_DEPTH_DEFAULT};
    struct foreseen pod;
    uint32_t seen;
    size_t at;
    int error;

    foresee_pod(req, len, &pod);
    seen = pod.uid.len > 0 ? engine_foresee(call->engine, pod.uid) : 0;
    error = msg_check(req, len, &limits, &at);

    if (error < 0) {
        call_message_fault(error, at, &call->in.fault);
        call->result = call_error(SLUICE_MESSAGE, 0);
        return;
    }
    if (pod.uid.len > 0)
        engine_foresee_record(call->engine, seen, pod.space, pod.name);
    msg_reader_init(&call->in, req, len);
    msg_open_map(&call->in, &call->keys);
    call->hook->serve(call);
    if (call->result == 0)
        put_status(call);
    if (call->result == 0 && !msg_writer_fits(&call->out))
        call->result = call_error(SLUICE_TOO_SMALL, msg_writer_length(&call->out) + STATUS_BYTES);
    if (call->result < 0 && call->begun)
        take_back_time(call);
    check_invariants(call);
}

/* The result of a call that was served; its answer or its error map is in out. */
static int64_t finish(struct call *call, const uint8_t *req, uint8_t *out, uint64_t cap)
{
    struct handle *handle = call->handle;
    size_t length = msg_writer_length(&call->out);
    int code = sluice_error_code(call->result);

    if (code == SLUICE_TOO_SMALL || code == SLUICE_NO_MEMORY)
        return call->result;
    if (code != 0)
        return call_error_map((enum sluice_error)code, &call->in.fault, out, cap);
    if (!call->hook->reads) {
        recorder_add(&handle->recorder, call->hook->name, req, call->len, (int64_t)length, out,
                     length);
        if (call->len > handle->longest)
            handle->longest = call->len;
    }
    return (int64_t)length;
}

int64_t call_run(enum hook_id id, uint64_t number, const uint8_t *req, uint64_t len, uint8_t *out,
                 uint64_t cap)
{
    const struct hook *hook = &hook_table[id];
    uint32_t room = hook->answer > 0 ? hook->answer : (uint32_t)CALL_LEAST_ROOM;
    struct call call;
    int64_t result;

    if (!call_arguments_valid(req, len, out, cap))
        return call_error(SLUICE_ARGUMENT, 0);
    sluice_probe_hook_entry(number, id, hook->name, len);

    struct handle *handle = handle_enter(number);
    if (!handle) {
        sluice_probe_hook_exit(number, id, hook->name, call_error(SLUICE_NO_HANDLE, 0));
        return call_error(SLUICE_NO_HANDLE, 0);
    }
    if (cap < room) {
        result = call_error(SLUICE_TOO_SMALL, room);
    } else {
        call.hook = hook;
        call.number = number;
        call.handle = handle;
        call.engine = handle->engine;
        call.fleet = handle->fleet;
        call.len = len;
        call.has_now = call.begun = call.of_fleet = false;
        call.result = 0;
        msg_writer_init(&call.out, out, cap - STATUS_BYTES);
        serve(&call, req, len);
        probes_tell(number, handle->engine);
        result = finish(&call, req, out, cap);
    }
    handle_leave(number);
    sluice_probe_hook_exit(number, id, hook->name, result);
    return result;
}
