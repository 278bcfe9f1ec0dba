/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_PROMISES_H
#define SLUICE_HOST_CONFORM_PROMISES_H

#include "abi/host/conform_story.h"

/*
 * What PROTOCOL.md promises of state and time, each promise a story of its own, in a process of its
 * own. Each table ends with a promise without a name.
 */
extern const struct promise promises_of_time[];
extern const struct promise promises_of_effects[];
extern const struct promise promises_of_digest[];
extern const struct promise promises_of_limits[];
extern const struct promise promises_of_whole[];
extern const struct promise promises_of_record[];
extern const struct promise promises_of_lead[];
extern const struct promise promises_of_pods[];
extern const struct promise promises_of_framework[];
extern const struct promise promises_of_admit[];
extern const struct promise promises_of_queues[];
extern const struct promise promises_of_flavors[];
extern const struct promise promises_of_views[];
extern const struct promise promises_of_commands[];
extern const struct promise promises_of_groups[];
extern const struct promise promises_of_native_groups[];
extern const struct promise promises_of_workers[];
extern const struct promise promises_of_fleet[];
extern const struct promise promises_of_open[];
extern const struct promise promises_of_writes[];
extern const struct promise promises_of_acks[];

/* Tells all of them. */
void promises_run(struct tally *tally, struct subject *subject);

#endif
