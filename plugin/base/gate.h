/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_GATE_H
#define SLUICE_PLUGIN_BASE_GATE_H

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

/* Our gate has two names in the world; a pod carries either, or both. Every other gate is foreign:
 * it is somebody else's to remove, and we never touch it. */
enum { GATE_LONG = 1, GATE_SHORT = 2, GATE_NAMES = 2 };

/* What a pod has in spec.schedulingGates. */
struct gates {
    uint8_t ours;          /* GATE_LONG | GATE_SHORT */
    uint16_t foreign;      /* how many */
    struct text a_foreign; /* the first of them */
};

/* Takes note of one entry of spec.schedulingGates. */
void gates_add(struct gates *gates, struct text name);

/* GATE_LONG, GATE_SHORT, or 0 for a foreign one. The annotation that opts a pod in has the same
 * name as the gate. */
uint8_t gate_named(struct text name);

/* The name of one of our gates. [gate is GATE_LONG or GATE_SHORT] */
const char *gate_name(uint8_t gate);

struct pod_facts;
struct engine_config;

/* Whether a pod exists for us at all: one of our schedulers' pods, not exempt (mirror pods, pods of
 * DaemonSets, kube-system). */
bool gate_concerns(const struct engine_config *config, const struct pod_facts *pod);

/* Whether a pod of ours obeys the queues: it opted in, carries our gate or our stamp, or all do.
 * The others only count, once they are bound. */
bool gate_manages(const struct engine_config *config, const struct pod_facts *pod);

enum gate_advice {
    GATE_LEAVE,
    GATE_ADD,
    GATE_REFUSE_STAMP,
    GATE_REFUSE_TWO_GROUPS,
    GATE_REFUSE_MINIMUM,
    GATE_REFUSE_ORDERED
};

/* Which of the names of our gate such a pod gets: that of the annotation that opted it in.
 * annotated: GATE_LONG | GATE_SHORT, those that did; 0: it only asks for a group. */
uint8_t gate_to_add(uint8_t annotated);

/* What admission must do with a pod that is being created: opted-in pods of ours get our gate, as
 * long as they do not name their node (the API server refuses gates there). A pod that brings a
 * stamp would claim a grant that nobody gave. Who only observes adds nothing: nobody would take the
 * gate away again. A minimum that can never be reached would wait for ever. */
enum gate_advice gate_admit(const struct engine_config *config, const struct pod_facts *pod);

#endif
