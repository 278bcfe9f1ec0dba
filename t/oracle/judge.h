/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_JUDGE_H
#define SLUICE_T_ORACLE_JUDGE_H

#include "t/oracle/apart.h"

/* What an oracle does that plays histories through an engine and a model side by side. */

/* Plays a history (struct history) from the beginning. [each such oracle has one of its own] */
void judge_play(struct apart *apart, const void *history);

/* Plays a history in a process of its own. The number of the step that shows a difference, or
 * count; and the difference. */
uint32_t judge_history(const struct history *history, char ret_difference[DIFFERENCE_MAX]);

/* Random histories, as many as have so many steps, the first of them from this seed. */
struct judge {
    const char *program;
    uint64_t steps, seed;
    /* False: it shows a difference. */
    bool (*play_random)(struct apart *apart, const struct judge *judge);
    const void *ctx; /* of that */
};

/* False: one shows a difference, and is told, cut down to what shows it, as steps that judge_replay
 * reads. */
bool judge_random(const struct judge *judge);

/* Plays the history in a file; what the program ends with. */
int judge_replay(const char *program, const char *path);

#endif
