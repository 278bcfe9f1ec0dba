/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_DRIVE_H
#define SLUICE_T_ORACLE_DRIVE_H

#include "t/oracle/world.h"

/* What a step's call answered. */
struct answer {
    struct verdict verdict; /* of pre_enqueue, pre_filter and reserve */
    bool acknowledged;      /* of ack: the effect was under way, and still is of use */
    struct command_report report;
};

/* Makes the engine's call for a step. Its error; 0 if the call cannot fail. */
int drive(struct engine *engine, const struct step *step, struct answer *ret_answer);

#endif
