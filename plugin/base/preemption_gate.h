/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_PREEMPTION_GATE_H
#define SLUICE_PLUGIN_BASE_PREEMPTION_GATE_H

#include "facts.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The gates of a workload in its worker: whether it may have others sent away.
 *
 *   spec.preemptionGates      which gates there are: made with the workload, so it is never open
 *                             before somebody could close it
 *   status.preemptionGates    where each stands; one without a status is closed
 *
 * They do not change what a workload is assigned, and do not stop it where it fits: only where it
 * would preempt, and found its victims, it says so instead and waits for its gates.
 */
enum gate_position { GATE_UNSAID, GATE_CLOSED, GATE_OPEN };

struct preemption_gates {
    uint8_t count;
    bool strays;                                   /* the status speaks of others, too */
    uint8_t positions[FACTS_MAX_PREEMPTION_GATES]; /* enum gate_position */
    uint32_t names[FACTS_MAX_PREEMPTION_GATES];    /* in the order of the spec */
};

struct intern;

/* Those of the spec, with their positions. Negative on error, and *ret is empty. */
int preemption_gates_get(struct intern *words, const struct preemption_gate_facts *facts,
                         uint32_t count, bool strays, struct preemption_gates *ret);
void preemption_gates_drop(struct intern *words, struct preemption_gates *gates);

/* The name of the first that is not open; 0: all are, or there are none. */
uint32_t preemption_gates_closed(const struct preemption_gates *gates);

/* Whether the status does not speak of just those that there are. */
bool preemption_gates_want_status(const struct preemption_gates *gates);

/* What the signal, the condition BlockedOnPreemptionGates, is to say after a decision. */
enum signal { SIGNAL_STAYS, SIGNAL_SET, SIGNAL_CLEARED };

/* Whether its victims may be sent away: it preempts (there are victims, and that is what it chose;
 * else it fits, or there are none), and no gate is closed, or gates count for nothing here (not
 * `enforced`). *ret_signal: what to write; one that is so already is not written again: how old a
 * signal is decides whose turn it is. */
bool preemption_gates_pass(const struct preemption_gates *gates, bool enforced, bool preempts,
                           enum signal *ret_signal);

#endif
