/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_WORKLOAD_KIT_H
#define SLUICE_T_WORKLOAD_KIT_H

#include "t/kit/engine_kit.h"

#include <stdbool.h>

/*
 * Workloads for the small cases of t/kit/engine_kit.h: their objects, and a host that writes into
 * them what the engine asks for.
 *
 *     workload_kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=2; local l cluster=c");
 *     workload_kit_do(&kit, "add a queue=l cpu=2; add b queue=l cpu=1 priority=1 gate=g");
 *     is_str(workload_kit_state(&kit, "b"), "pending signal", ...);
 *
 *     local NAME cluster=NAME [hold] [drain] [unselected]       lose-local NAME
 *     check NAME [inactive]       lose-check NAME
 *     add NAME queue=LOCAL [RES=N: of one pod] [count=N [min=N]] [priority=N] [created=N]
 *         [gate=NAME ...] [cannotPreempt] [unsupported=TEXT] [gatedBy=TEXT]
 *         [job=UID] [selects=KEY:VALUE]
 *     open NAME GATE     close NAME GATE     finish NAME     remove NAME      halt NAME: its job
 *     opensMeanwhile NAME GATE: while its next signal is being written, which so is a conflict
 *     answer NAME CHECK=STATE                activate NAME   deactivate NAME
 *     jobsStay: jobs do not stop by themselves                jobsGo
 *     budgetHolds: no pod is evicted, though it is asked again and again
 *     seenFirst: what is written is seen before the engine hears that it is
 *     restart: another engine sees what there is, and leads
 *
 * Of the configuration: `reasons`, they are told why they wait; `after=SECONDS`, `perSecond=N`.
 *
 * All other steps are the engine kit's; of its pods only evictions are carried out: who is told to
 * go stays until `lose-pod`.
 */
enum { WORKLOAD_KIT_MAX = 64, WORKLOAD_KIT_NEEDS = 3 };

struct workload_object {
    bool is;
    char name[16], queue[16], flavors[WORKLOAD_KIT_NEEDS][24], granted_queue[24], unsupported[24],
        job[24];
    char conditions[CONDITIONS][24];
    char checks[FACTS_MAX_CHECKS][24];
    char gates[FACTS_MAX_PREEMPTION_GATES][16];
    char key[24], value[24];
    struct label selector;
    struct workload_facts facts;
    struct set_facts set;
    struct granted_facts granted;
};

struct workload_kit {
    struct kit kit;
    char words[100], world[4096];
    struct workload_object objects[WORKLOAD_KIT_MAX];
    int64_t version, created;
    bool jobs_stay, seen_first, budget_holds;
    char opening[16], opening_gate[16]; /* whose gate opens while its signal is being written */
    char log[4096];                     /* what was written: NAME:WRITE ... */
    char message[VERDICT_MESSAGE_MAX];  /* why the last one waits that was told so */
    char reason[24];                    /* of that message */
    char evicted[VERDICT_MESSAGE_MAX];  /* why the last one went that did, or is to go */
    char text[200];
};

/* The object says this condition; carries out a write. */
bool workload_object_says(const struct workload_object *object, enum workload_condition condition);
void workload_object_say(struct workload_kit *kit, struct workload_object *object,
                         enum workload_condition condition, bool is, struct text reason);
void workload_object_write(struct workload_kit *kit, struct workload_object *object,
                           const struct workload_write_report *write);

/* What its own words say of a configuration and of a queue, false if it is none of them; and of a
 * workload. */
struct word;
struct words_queue;
bool words_workload_config(const struct word *word, struct engine_config *config);
bool words_workload_queue(const struct word *word, struct words_queue *facts);
void words_workload(struct workload_object *object, const struct word *word);

void workload_kit_open(struct workload_kit *kit, const char *words);
void workload_kit_close(struct workload_kit *kit);
void workload_kit_do(struct workload_kit *kit, const char *steps);

/* From now on it asks for two pod sets, `main` and `second`, of so much cpu. It must not be
 * admitted: only what one pod set is granted is carried out here. */
void workload_kit_split(struct workload_kit *kit, const char *name, struct set_facts sets[2],
                        int64_t main, int64_t second);

/* What its object says: "pending", "reserved FLAVOR", "admitted FLAVOR", "finished", and behind it
 * "signal", "evicted". */
const char *workload_kit_state(struct workload_kit *kit, const char *name);

/* The log, which begins anew. */
const char *workload_kit_log(struct workload_kit *kit);

/* The reason that inspect gives. */
const char *workload_kit_why(struct workload_kit *kit, const char *name);

#endif
