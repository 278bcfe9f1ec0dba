/* SPDX-License-Identifier: Apache-2.0 */
#include "preemption_gate.h"

#include "error.h"
#include "intern.h"

int preemption_gates_get(struct intern *words, const struct preemption_gate_facts *facts,
                         uint32_t count, bool strays, struct preemption_gates *ret)
{
    *ret = (struct preemption_gates){.strays = strays};
    for (uint32_t i = 0; i < count; i++) {
        if (intern_get(words, facts[i].name, &ret->names[i]) < 0) {
            preemption_gates_drop(words, ret);
            return ENGINE_NO_MEMORY;
        }
        ret->positions[i] = !facts[i].said ? GATE_UNSAID : facts[i].open ? GATE_OPEN : GATE_CLOSED;
        ret->count++;
    }
    return 0;
}

void preemption_gates_drop(struct intern *words, struct preemption_gates *gates)
{
    for (uint32_t i = 0; i < gates->count; i++)
        intern_unref(words, gates->names[i]);
    *gates = (struct preemption_gates){0};
}

uint32_t preemption_gates_closed(const struct preemption_gates *gates)
{
    for (uint32_t i = 0; i < gates->count; i++) {
        if (gates->positions[i] != GATE_OPEN)
            return gates->names[i];
    }
    return 0;
}

bool preemption_gates_want_status(const struct preemption_gates *gates)
{
    for (uint32_t i = 0; i < gates->count; i++) {
        if (gates->positions[i] == GATE_UNSAID)
            return true;
    }
    return gates->strays;
}

bool preemption_gates_pass(const struct preemption_gates *gates, bool enforced, bool preempts,
                           enum signal *ret_signal)
{
    bool closed = enforced && preemption_gates_closed(gates) != 0;

    *ret_signal = !preempts ? SIGNAL_CLEARED : closed ? SIGNAL_SET : SIGNAL_STAYS;
    return preempts && !closed;
}
