/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_ENCODE_H
#define SLUICE_HOOKS_ENCODE_H

#include "abi/msg/writer.h"
#include "plugin/engine.h"
#include "plugin/fleet/fleet.h"
#include "scratch.h"

#include <stdbool.h>
#include <stdint.h>

/* From the engine's words to the protocol's. Each writes keys with their values into a map whose
 * count is the caller's to get right: the number is said with each. */

static inline void put_key_text(struct msg_writer *w, const char *key, struct text value)
{
    msg_put_key(w, key);
    msg_put_text(w, value.at, value.len);
}

static inline void put_key_str(struct msg_writer *w, const char *key, const char *value)
{
    put_key_text(w, key, text_of(value));
}

static inline void put_key_int(struct msg_writer *w, const char *key, int64_t value)
{
    msg_put_key(w, key);
    msg_put_int(w, value);
}

static inline void put_key_bool(struct msg_writer *w, const char *key, bool value)
{
    msg_put_key(w, key);
    msg_put_bool(w, value);
}

/* pass, reason, message. */
enum { VERDICT_KEYS = 3 };
void put_verdict(struct msg_writer *w, const struct verdict *verdict);

/* Two keys. */
void put_group_kind(struct msg_writer *w, enum group_kind kind);

/* gates, generation, annotations, nodeSelector, tolerations: what one patch does to a pod. */
enum { PATCH_KEYS = 5 };
void put_patch(struct msg_writer *w, const struct engine *engine,
               const struct removal_patch *patch);

const char *effect_name(enum effect_kind kind);

/* id, kind, uid, namespace, name, attempt. */
enum { EFFECT_NAME_KEYS = 6 };
void put_effect_name(struct msg_writer *w, const struct effect *effect);

/* The whole effect, as drain gives it. */
void put_effect(struct msg_writer *w, const struct engine *engine, const struct effect *effect);

/* The same of a manager's. False: no memory for what it writes, and the writer is to be rewound. */
bool put_fleet_effect(struct msg_writer *w, const struct fleet *fleet, struct scratch *scratch,
                      const struct effect *effect);

/* The same of a workload that is admitted here. */
void put_workload_effect(struct msg_writer *w, const struct engine *engine,
                         const struct effect *effect);

/* gates: the names of ours. */
void put_gates(struct msg_writer *w, uint8_t gates);

/* A key and 16 hexadecimal digits. */
void put_key_hex(struct msg_writer *w, const char *key, uint64_t value);

/* name, count, flavors. */
enum { SET_KEYS = 3 };
struct workload_set_report;
void put_set(struct msg_writer *w, const struct workload_set_report *set);

#endif
