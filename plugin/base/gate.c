/* SPDX-License-Identifier: Apache-2.0 */
#include "gate.h"

#include "asked_group.h"
#include "config.h"

static const char *const names[GATE_NAMES] = {
    "scheduling.volcano.sh/queue-allocation-gate",
    "volcano.sh/queue-allocation-gate",
};

const char *gate_name(uint8_t gate)
{
    return names[gate == GATE_SHORT];
}

uint8_t gate_named(struct text name)
{
    if (text_is(name, names[0]))
        return GATE_LONG;
    return text_is(name, names[1]) ? GATE_SHORT : 0;
}

void gates_add(struct gates *gates, struct text name)
{
    uint8_t ours = gate_named(name);

    if (ours != 0) {
        gates->ours |= ours;
        return;
    }
    if (gates->foreign++ == 0)
        gates->a_foreign = name;
}

bool gate_concerns(const struct engine_config *config, const struct pod_facts *pod)
{
    struct text scheduler = pod->scheduler.len > 0 ? pod->scheduler : text_of("default-scheduler");

    if (pod->mirror || pod->of_daemon_set || text_is(pod->space, "kube-system"))
        return false;
    return text_among(scheduler, config->schedulers, config->scheduler_count);
}

/* Whether a pod wants to obey the queues: its annotation says so, or it asks for a group, by its
 * name or by a minimum. A minimum can only be kept of pods that wait for each other. */
static bool opted_in(const struct pod_facts *pod)
{
    return pod->opted_in || pod->group.len > 0 || pod->minimum != 0;
}

bool gate_manages(const struct engine_config *config, const struct pod_facts *pod)
{
    return config->manage_all || opted_in(pod) || pod->gates.ours != 0 || pod->stamp != 0;
}

uint8_t gate_to_add(uint8_t annotated)
{
    return annotated == GATE_SHORT ? GATE_SHORT : GATE_LONG;
}

enum gate_advice gate_admit(const struct engine_config *config, const struct pod_facts *pod)
{
    if (!gate_concerns(config, pod))
        return GATE_LEAVE;
    if (pod->stamp != 0)
        return GATE_REFUSE_STAMP;
    if (pod->native_group.len > 0 &&
        (pod->group.len > 0 || (pod->minimum != 0 && !asked_group_has(config, pod))))
        return GATE_REFUSE_TWO_GROUPS;
    if (pod->minimum < 0)
        return GATE_REFUSE_MINIMUM;
    if (pod->minimum > 1 && pod->controller.ordered)
        return GATE_REFUSE_ORDERED;
    if (config->observe_only || !opted_in(pod) || pod->gates.ours != 0 || pod->node.len > 0)
        return GATE_LEAVE;
    return GATE_ADD;
}
