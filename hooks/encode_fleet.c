/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"

#include "plugin/fleet/orchestrator.h"
#include "plugin/fleet/preemption_memory.h"

/* The memory of a workload over all clusters may be long. False: no room to write it in. */
static bool put_memory(struct msg_writer *w, const struct fleet *fleet, struct scratch *scratch,
                       const struct effect *effect)
{
    size_t len = fleet_memory_text(fleet, effect->dispatch, NULL, 0);
    char *text;

    if (!scratch_reserve(scratch, len))
        return false;
    text = scratch_take(scratch, len);
    fleet_memory_text(fleet, effect->dispatch, text, len);
    put_key_int(w, "resourceVersion", effect->resource_version);
    msg_put_key(w, "annotations");
    msg_put_map(w, 1);
    put_key_text(w, PREEMPTION_MEMORY_ANNOTATION, (struct text){text, len});
    return true;
}

static void put_replica_effect(struct msg_writer *w, const struct effect *effect)
{
    put_key_text(w, "cluster", effect->cluster);
    put_key_text(w, "workload", effect->origin);
    if (effect->kind == EFFECT_CREATE_REPLICA) {
        msg_put_key(w, "annotations");
        msg_put_map(w, 1);
        put_key_text(w, "sluice.sh/workload-uid", effect->origin);
        msg_put_key(w, "gates");
        msg_put_array(w, effect->gate_count);
        for (uint32_t i = 0; i < effect->gate_count; i++)
            msg_put_text(w, effect->gates[i].at, effect->gates[i].len);
    } else if (effect->kind == EFFECT_OPEN_GATE) {
        put_key_int(w, "resourceVersion", effect->resource_version);
        put_key_str(w, "gate", ORCHESTRATOR_GATE);
        put_key_int(w, "until", effect->until);
    }
}

bool put_fleet_effect(struct msg_writer *w, const struct fleet *fleet, struct scratch *scratch,
                      const struct effect *effect)
{
    static const uint32_t own_keys[EFFECT_KINDS] = {
        [EFFECT_WRITE_MEMORY] = 2,   [EFFECT_SET_CLUSTER] = 2,    [EFFECT_RETRY_CHECK] = 3,
        [EFFECT_CREATE_REPLICA] = 4, [EFFECT_DELETE_REPLICA] = 2, [EFFECT_OPEN_GATE] = 5,
    };

    msg_put_map(w, EFFECT_NAME_KEYS + own_keys[effect->kind]);
    put_effect_name(w, effect);
    if (effect->kind == EFFECT_WRITE_MEMORY)
        return put_memory(w, fleet, scratch, effect);
    if (effect->object == EFFECT_OF_REPLICA) {
        put_replica_effect(w, effect);
        return true;
    }
    put_key_int(w, "resourceVersion", effect->resource_version);
    put_key_text(w, "cluster", effect->cluster);
    if (effect->kind == EFFECT_RETRY_CHECK)
        put_key_str(w, "message", effect->message);
    return true;
}
