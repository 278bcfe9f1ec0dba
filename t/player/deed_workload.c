/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/deed.h"

#include <stdio.h>
#include <string.h>

/* A condition of a workload, for the effect's reason or another one. */
static void set_condition(struct host *host, unsigned slot, const char *type, bool truth,
                          const char *reason)
{
    char key[64];
    unsigned field;

    snprintf(key, sizeof(key), "conditions/%s", type);
    field = kind_field(&cast_kinds[CAST_WORKLOAD], key);
    host->objects[CAST_WORKLOAD][slot].v[field] =
        truth ? OBJECT_AS_WRITTEN : OBJECT_AS_WRITTEN_FALSE;
    snprintf(host->objects[CAST_WORKLOAD][slot].reasons[field], OBJECT_REASON, "%s", reason);
}

/* Only where it is there. */
static void end_condition(struct host *host, unsigned slot, const char *type, const char *reason)
{
    char key[64];

    snprintf(key, sizeof(key), "conditions/%s", type);
    if (*deed_field(host, CAST_WORKLOAD, slot, key) != 0)
        set_condition(host, slot, type, false, reason);
}

static void end_signal(struct host *host, unsigned slot, const char *reason)
{
    set_condition(host, slot, "BlockedOnPreemptionGates", false, reason);
    end_condition(host, slot, "PreemptionBlocked", reason);
}

static void end_admission(struct host *host, unsigned slot, const char *reason)
{
    *deed_field(host, CAST_WORKLOAD, slot, "admission") = 0;
    set_condition(host, slot, "QuotaReserved", false, reason);
    end_condition(host, slot, "Admitted", reason);
}

/* Nothing, Closed or Open. */
static uint8_t gate_state(const struct msg_reader *gates, const char *name)
{
    char position[16];

    peek_text(gates, name, position, sizeof(position));
    return position[0] == '\0' ? 0 : position[0] == 'C' ? 1 : 2;
}

static void write_gates(struct host *host, unsigned slot, const struct msg_reader *effect)
{
    uint8_t *states = deed_field(host, CAST_WORKLOAD, slot, "gateStatus");
    struct msg_reader gates;

    if (!peek(effect, "gates", &gates))
        return;
    *states = (uint8_t)(1 + gate_state(&gates, "g0") + 4 * gate_state(&gates, "g1"));
}

/* Just the checks of this list, as they were; new ones are pending. An orderly host's checks are
 * soon ready, and none of an evicted workload is. */
static void list_checks(struct host *host, unsigned slot, const struct msg_reader *effect,
                        bool all_pending)
{
    enum { READY = 1, PENDING = 2, STATES = 5 };
    uint8_t *checks = deed_field(host, CAST_WORKLOAD, slot, "checks");
    unsigned was[2] = {*checks == 0 ? 0 : (*checks - 1u) % STATES,
                       *checks == 0 ? 0 : (*checks - 1u) / STATES};
    unsigned now[2] = {0, 0};
    struct msg_reader list;
    struct msg_array array;
    struct msg_text name;

    if (!peek(effect, "checks", &list) || !msg_open_array(&list, &array))
        return;
    while (msg_next_item(&list, &array) && msg_get_text(&list, 0, SIZE_MAX, &name)) {
        unsigned i = name.len == 2 && name.at[1] == '1';

        now[i] = was[i] == 0 || all_pending ? PENDING : was[i];
        if (host->orderly && !all_pending)
            now[i] = READY;
    }
    *checks = (uint8_t)(1 + now[0] + STATES * now[1]);
}

static void reserve(struct host *host, unsigned slot, const struct msg_reader *effect)
{
    struct object *workload = &host->objects[CAST_WORKLOAD][slot];
    struct msg_reader admission, end;

    if (peek(effect, "admission", &admission)) {
        end = admission;
        msg_skip_value(&end);
        workload->admission_len = (size_t)(end.at - admission.at);
        if (workload->admission_len <= sizeof(workload->admission)) {
            memcpy(workload->admission, admission.at, workload->admission_len);
            *deed_field(host, CAST_WORKLOAD, slot, "admission") = OBJECT_AS_WRITTEN;
        }
    }
    set_condition(host, slot, "QuotaReserved", true, "QuotaReserved");
    end_condition(host, slot, "Evicted", "QuotaReserved");
    list_checks(host, slot, effect, false);
    if (peek_bool(effect, "admitted", false))
        set_condition(host, slot, "Admitted", true, "Admitted");
    if (peek_bool(effect, "clear", false))
        end_signal(host, slot, "QuotaReserved");
}

static void evict(struct host *host, unsigned slot, const struct msg_reader *effect)
{
    char reason[OBJECT_REASON];

    peek_text(effect, "reason", reason, sizeof(reason));
    set_condition(host, slot, "Evicted", true, reason);
    write_gates(host, slot, effect);
    if (peek_bool(effect, "clear", false))
        end_signal(host, slot, reason);
    list_checks(host, slot, effect, true);
    *deed_field(host, CAST_WORKLOAD, slot, "conditions/DeactivationTarget") = 0;
    if (peek_bool(effect, "forgetRequeue", false))
        *deed_field(host, CAST_WORKLOAD, slot, "requeueAt") =
            *deed_field(host, CAST_WORKLOAD, slot, "requeueCount") = 0;
    if (host->orderly)
        *deed_field(host, CAST_WORKLOAD, slot, "jobStopped") = 1;
}

static void write_requeue(struct host *host, unsigned slot, const struct msg_reader *effect)
{
    uint8_t *at = deed_field(host, CAST_WORKLOAD, slot, "requeueAt");
    uint8_t *count = deed_field(host, CAST_WORKLOAD, slot, "requeueCount");

    if (deed_is(effect, "write", "requeueAt")) {
        host->objects[CAST_WORKLOAD][slot].time = peek_int(effect, "at", 0);
        *at = OBJECT_AS_WRITTEN;
        *count = (uint8_t)(*count == 0 ? 2 : *count + (*count < 200));
        return;
    }
    *at = 0;
    if (deed_is(effect, "write", "requeued")) {
        char reason[OBJECT_REASON];

        peek_text(effect, "reason", reason, sizeof(reason));
        set_condition(host, slot, "Requeued", true, reason);
    }
    if (deed_is(effect, "write", "clearRequeue"))
        *count = *deed_field(host, CAST_WORKLOAD, slot, "conditions/DeactivationTarget") = 0;
}

unsigned deed_write_workload(struct host *host, const struct msg_reader *effect,
                             int64_t *ret_version)
{
    unsigned slot;
    char write[24], reason[OBJECT_REASON];

    if (!deed_find(host, effect, CAST_WORKLOAD, &slot))
        return DEED_GONE;
    if (peek_int(effect, "resourceVersion", 0) != host->objects[CAST_WORKLOAD][slot].version)
        return DEED_CONFLICT;
    peek_text(effect, "write", write, sizeof(write));
    peek_text(effect, "reason", reason, sizeof(reason));
    if (strcmp(write, "gates") == 0) {
        write_gates(host, slot, effect);
    } else if (strcmp(write, "reserve") == 0) {
        reserve(host, slot, effect);
    } else if (strcmp(write, "admit") == 0) {
        set_condition(host, slot, "Admitted", true, "Admitted");
    } else if (strcmp(write, "checks") == 0) {
        list_checks(host, slot, effect, false);
    } else if (strcmp(write, "signal") == 0) {
        set_condition(host, slot, "BlockedOnPreemptionGates", true, "PreemptionGated");
        set_condition(host, slot, "QuotaReserved", false, "Pending");
    } else if (strcmp(write, "clearSignal") == 0) {
        end_signal(host, slot, reason);
    } else if (strcmp(write, "evict") == 0) {
        evict(host, slot, effect);
    } else if (strcmp(write, "endEviction") == 0) {
        end_admission(host, slot, "Pending");
        set_condition(host, slot, "Requeued", peek_bool(effect, "requeued", false), reason);
    } else if (strcmp(write, "unreserve") == 0) {
        end_admission(host, slot, reason);
    } else if (strcmp(write, "pending") == 0) {
        set_condition(host, slot, "QuotaReserved", false, reason);
    } else if (strcmp(write, "target") == 0) {
        set_condition(host, slot, "DeactivationTarget", true, reason);
    } else if (strcmp(write, "deactivate") == 0) {
        *deed_field(host, CAST_WORKLOAD, slot, "active") = 2;
    } else {
        write_requeue(host, slot, effect);
    }
    host_changed(host, CAST_WORKLOAD, slot);
    *ret_version = host->objects[CAST_WORKLOAD][slot].version;
    return DEED_DONE;
}
