/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ENGINE_KIT_H
#define SLUICE_T_ENGINE_KIT_H

#include "plugin/order/headroom.h"
#include "plugin/capacity/quota.h"
#include "plugin/state.h"
#include "t/kit/test_mem.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * An engine for small cases, told its world in words:
 *
 *     struct kit kit;
 *
 *     kit_open(&kit, "guard=10");
 *     kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=3; pod b queue=q cpu=3; lose-pod a");
 *     is_str(kit_granted(&kit), "b", "b takes the room of a");
 *     kit_close(&kit);
 *
 * After each step, and again when all work that it left is done, engine_check() must hold; a step
 * that fails, or a word that is not known, is a failed point. Amounts are the engine's units, as
 * they stand. A step, its first word first:
 *
 *     queue NAME [parent=NAME] [priority=N] [strict] [suspended] [closed] [state=TEXT]
 *           [hold] [uid=TEXT] [version=N] [closedBy=MARK] [suspendedBy=MARK] [createSuspended]
 *           [RES=N: capability] [guarantee.RES=N] [deserved.RES=N] [borrowsLast] [drain]
 *           [preemptsLast] [borrowsLeast] [check=NAME] [deleted]
 *     cluster NAME [parent=COHORT] ...            and   cohort NAME ..., with groups of flavors:
 *           [group=RES,RES... {flavor=NAME {RES=N: nominal | borrow.RES=N | lend.RES=N}}]
 *     lose-queue NAME     lose-cluster NAME       lose-cohort NAME
 *     pod NAME [queue=NAME | cluster=NAME] [RES=N] [priority=N] [created=N: else after the rest]
 *         [second=N: created in that second, as workloads are by `created`]
 *         [outside: of what the cluster's namespaceSelector selects] [bare: without our gate]
 *         [asksNothing: it did not opt in]
 *         [foreign] [missing=TEXT] [node=NAME] [nominated] [finished] [deleted] [unschedulable]
 *         [stamp=N] [granted=NAME | grantedCluster=NAME: the queue that the stamp names]
 *         [stamped=RES=FLAVOR,...] [version=N] [generation=N]
 *         [group=NAME] [native=NAME [composite=NAME]] [failed]
 *         [min=N [owner=UID] [replicas=N] [ordered]]
 *         [uid=TEXT: else the name] [namespace=NAME: else default]
 *     group NAME [min=N] [queue=NAME] [priority=N] [created=N] [version=N] [deleted] [ours]
 *         [class=NAME] [RES=N: least] [phase=TEXT] [uid=TEXT: else the name]       lose-group NAME
 *         [native: one of Kubernetes' own] [whole: or none is evicted]            lose-native NAME
 *         [composite {part=DEPTH:NAME:MINIMUM | composite-part=...}]           lose-composite NAME
 *     lose-pod UID        reserve UID     unreserve UID    bind UID
 *     node NAME [RES=N] [label=KEY:VALUE]         lose-node NAME
 *     flavor NAME [label=KEY:VALUE] [toleration=KEY]   lose-flavor NAME
 *     time SECONDS: it is now so many seconds after the start
 *     command UID QUEUE ACTION            lose-command UID
 *     synced              lead            follow
 *
 * RES is one of cpu, memory, gpu, pods, disk, deviceclass/gpu, or r and a number. Where a queue is
 * asked about, "NAME" is one of Volcano's, "cluster/NAME" and "cohort/NAME" are Kueue's; a
 * resource is "RES" or "FLAVOR/RES".
 */
struct kit {
    struct test_mem memory;
    struct engine *engine;
    struct command_report report; /* on the last command */
    int64_t created;              /* of the newest pod without a time of its own */
    char text[4096];
};

/* Synced and leading, at second 1, unless the words say `standby`:
 * [root=cluster | root.RES=N] [onAdmission] [manageAll] [undeclaredUnlimited] [guard=SECONDS]
 * [answers: in Permit] [creates, names: groups] [statuses: of groups]
 * [writes: all of these, and states, events and the end of commands]
 * [admits: workloads [gates: theirs count]]
 * [partial: native groups in parts] [timeout=SECONDS] [observe] [journal] [maxPods=N]
 * [maxQueues=N] [standby] */
void kit_open(struct kit *kit, const char *words);

/* Ends the engine: a point that all its memory was given back. */
void kit_close(struct kit *kit);

/* Steps, separated by semicolons. */
void kit_do(struct kit *kit, const char *steps);

/* One step made of a format. */
void kit_dof(struct kit *kit, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One step that may fail: its error, or 0. What it left to do is not done yet. */
int kit_try(struct kit *kit, const char *step);

/* Does the step with memory that ends at the first, second, ... allocation, until it succeeds: each
 * failure changes nothing. One point; returns how many allocations the step needed. */
long kit_starve(struct kit *kit, const char *step);

/* A step without a look at the invariants, nor at the work that is left. */
void kit_quick(struct kit *kit, const char *step);

/* The work that is left. */
void kit_work_off(struct kit *kit);

/* The names of all pods that hold room (reserved or allocated), in the order of the alphabet; valid
 * until the next question for text. */
const char *kit_granted(struct kit *kit);

/* Those that wait in a queue, in its order. */
const char *kit_waiting(struct kit *kit, const char *queue);

/* "held", "waiting", "reserved", "allocated", or "" of a uid that nobody knows. */
const char *kit_state(const struct kit *kit, const char *uid);

/* The reason why the pod does not pass, as the protocol names it. */
const char *kit_why(const struct kit *kit, const char *uid);

/* Ids; 0 if there is none. */
uint32_t kit_queue(const struct kit *kit, const char *queue);
uint32_t kit_claim(const struct kit *kit, const char *uid);

/* Ids of words that the engine has; 0 if it has not. */
uint32_t kit_resource(const struct kit *kit, const char *resource);
uint16_t kit_flavor(const struct kit *kit, const char *resource);

/* NULL if the queue has none. */
const struct cell *kit_cell(const struct kit *kit, const char *queue, const char *resource);

/* Of the cell, -1 without; the room, AMOUNT_MAX if it has no bound. */
int64_t kit_usage(const struct kit *kit, const char *queue, const char *resource);
int64_t kit_room(const struct kit *kit, const char *queue, const char *resource);

#endif
