/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_CALL_H
#define SLUICE_HOOKS_CALL_H

#include "abi/msg/reader.h"
#include "abi/msg/writer.h"
#include "abi/sluice.h"
#include "handle.h"
#include "plugin/engine.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * One call of one hook. The way is the same for all of them:
 *
 *     arguments ─▶ handle, locked ─▶ room for the answer ─▶ msg_check ─▶ hook->serve
 *                                                                          reads the request
 *                       status, check, recording ◀── 0 ── writes its keys ◀─ asks the engine
 *                       error map                ◀── refused
 *
 * A serve looks like this:
 *
 *     while (call_next_key(call, &key)) {
 *         if (msg_text_is(key, "uid"))
 *             has_uid = read_uid(&call->in, &uid);
 *         else
 *             msg_skip_unknown(&call->in);
 *     }
 *     msg_require(&call->in, has_uid, "uid");
 *     if (!call_begin(call))
 *         return;
 *     engine_...(call->engine, uid);
 *     call_answer(call, 1);
 *     msg_put_key(&call->out, "allow");
 *     msg_put_bool(&call->out, true);
 */

struct hook;

enum { CALL_LEAST_ROOM = 16 << 10 }; /* for answers without a largest size */

struct call {
    const struct hook *hook;
    uint64_t number; /* of the handle */
    struct handle *handle;
    struct engine *engine;
    struct fleet *fleet;
    struct msg_reader in;
    struct msg_map keys; /* the request's own */
    struct msg_writer out;
    size_t len; /* of the request */
    bool has_now;
    int64_t now;
    bool begun; /* time went on, from here: */
    int64_t engine_before, fleet_before;
    bool of_fleet;  /* it was the fleet that heard it, and not the engine */
    int64_t result; /* below 0 once it is refused */
};

struct hook {
    const char *name;
    uint32_t answer; /* the largest, in bytes; 0: at least CALL_LEAST_ROOM, and what it takes */
    bool reads;      /* never changes the state */
    void (*serve)(struct call *call);
    void (*put_sample)(struct msg_writer *w); /* a request that is well formed */
};

/* In the order of sluice.h. */
enum hook_id {
    HOOK_OBSERVE,
    HOOK_ADMIT,
    HOOK_PRE_ENQUEUE,
    HOOK_PRE_FILTER,
    HOOK_FILTER,
    HOOK_POST_FILTER,
    HOOK_RESERVE,
    HOOK_UNRESERVE,
    HOOK_PERMIT,
    HOOK_BIND,
    HOOK_POST_BIND,
    HOOK_COMMAND,
    HOOK_TICK,
    HOOK_DRAIN,
    HOOK_ACK,
    HOOK_INSPECT,
    HOOK_COUNT
};
extern const struct hook hook_table[HOOK_COUNT];

int64_t call_run(enum hook_id id, uint64_t number, const uint8_t *req, uint64_t len, uint8_t *out,
                 uint64_t cap);

/* The next of the request's keys but `now`, which is read on the way. */
bool call_next_key(struct call *call, struct msg_text *ret_key);

/* After the request was read: false if it is refused. From here on the engine may be asked. */
bool call_begin(struct call *call);

/* Refuses an answer that would be longer than the room for it. [before call_begin] */
bool call_has_room(struct call *call, uint64_t size);

/* Begins an answer of so many keys; those that every answer has come by themselves. */
enum { CALL_STATUS_KEYS = 3 };
void call_answer(struct call *call, uint32_t pairs);

/* Refusals: the first one counts. Texts are copied; call_refuse_text quotes its value. */
void call_refuse(struct call *call, enum sluice_error code, const char *key, const char *value,
                 const char *want);
void call_refuse_text(struct call *call, enum sluice_error code, const char *key, struct text value,
                      const char *want);
void call_no_memory(struct call *call);

/* What engine_see_ or fleet_see_ returned: true if it is no error. */
bool call_seen(struct call *call, int result);

/* NULL, or which invariant does not hold, of all that the handle has. */
const char *call_check(const struct call *call);

/* Also for sluice_open, which has no handle yet. */
bool call_arguments_valid(const uint8_t *req, uint64_t len, const uint8_t *out, uint64_t cap);
int64_t call_error(enum sluice_error code, uint64_t length);
int64_t call_error_map(enum sluice_error code, const struct msg_fault *fault, uint8_t *out,
                       uint64_t cap);
void call_message_fault(int error, size_t at, struct msg_fault *ret);

#endif
