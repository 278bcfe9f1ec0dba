/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_PLAY_H
#define SLUICE_T_ORACLE_PLAY_H

#include "t/oracle/difference.h"
#include "t/oracle/model.h"
#include "t/oracle/supply.h"

/* The engine and the model, side by side. */
struct play {
    struct engine *engine;
    struct supply supply;
    struct model model;
    bool telling[UIDS];     /* an activation is under way */
    bool too_early[UIDS];   /* PreEnqueue has said no since the activation began */
    bool removed[UIDS];     /* a removal of gates was done */
    bool overwrote[UIDS];   /* so was an overwrite of the condition */
    bool overwriting[UIDS]; /* it is under way */
    char *difference;       /* of this history */
};

/* Plays one step. False: they differ, or an invariant does not hold; `difference` says how. */
bool play_step(struct play *play, const struct step *step);

/* Whether engine and model are in the same state, and whether it is one that may be: else
 * play->difference says what is not so. */
bool compare_states(struct play *play);

void play_init(struct play *play, char difference[DIFFERENCE_MAX]);

/* False: the engine gave back less than it took, which is a difference. */
bool play_finish(struct play *play);

#endif
