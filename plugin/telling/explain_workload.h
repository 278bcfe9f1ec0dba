/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_EXPLAIN_WORKLOAD_H
#define SLUICE_PLUGIN_TELLING_EXPLAIN_WORKLOAD_H

#include <stdint.h>

/*
 * Why a workload has no quota, in words. Its object says it as Kueue does, for those who know
 * Kueue's words, and goes on where they leave out what is to be done. No name in what an object
 * says is one that can change without the kind of the reason (workload_refusal.h): it is not
 * written again for that. Whoever asks is told what is so now, in the words that pods have.
 */

struct engine;
struct sentence;

/* What the condition says that is to be written. [the write says why the workload waits] */
void explain_workload_refusal(struct sentence *say, const struct engine *e, uint32_t workload);

/* What stops its queues, or that they are not for its namespace; nothing where neither is so. */
void explain_workload_queues(struct sentence *say, const struct engine *e, uint32_t workload);

#endif
