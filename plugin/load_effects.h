/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_LOAD_EFFECTS_H
#define SLUICE_PLUGIN_LOAD_EFFECTS_H

#include "outbox.h"

/* What is to be written into workloads: one write at a time, with all that it changes. What it says
 * is read when it goes out (load_settle chooses it). */
extern const struct outbox_type load_effects;

#endif
