/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_WORKLOAD_EFFECTS_H
#define SLUICE_PLUGIN_TELLING_WORKLOAD_EFFECTS_H

#include "plugin/base/outbox.h"

/* What is to be written into workloads: one write at a time, with all that it changes. What it says
 * is read when it goes out (workload_settle chooses it). */
extern const struct outbox_type workload_effects;

#endif
