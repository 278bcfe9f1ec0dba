/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WRITES_H
#define SLUICE_T_ORACLE_WRITES_H

#include "t/oracle/limits.h"
#include "t/oracle/play.h"

/* The states of queues, commands, and the effects about them: engine and model side by side. */

/* Whether a step is one of these. */
bool writes_are_about(const struct model *model, const struct step *step);

/* Queues as they are in the world; commands and their answers; somebody else's words. */
bool writes_step(struct play *play, const struct step *step);

/* An effect about a queue or a command was acknowledged. */
void writes_acknowledged(struct play *play, const struct step *step);

/* The version that the host writes with an acknowledged status; 0: it is none. */
int64_t writes_version(const struct play *play, const struct step *step);

/* The world as a new engine will find it. */
void writes_restart(struct model *model);

/* All that is known of the states of queues stands in their objects. */
bool writes_all_is_written(const struct model *model);

/* What an effect says is what it should; counted by compare_writes. */
struct writes_live {
    bool status[QUEUE_NAMES], status_leased[QUEUE_NAMES];
    bool event[COMMANDS], deletion[COMMANDS];
};
bool writes_count(struct play *play, const struct limits *limits, const struct effect *effect,
                  struct writes_live *live);
bool writes_compare(struct play *play, const struct limits *limits, const struct writes_live *live);
bool writes_compare_queue(struct play *play, int queue, const struct queue_report *report);

#endif
