/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_CLAIM_EFFECTS_H
#define SLUICE_PLUGIN_TELLING_CLAIM_EFFECTS_H

#include "plugin/base/outbox.h"

struct engine;

/* What a claim asks of the host. Each has the slot of its kind's number. */
extern const struct outbox_type claim_effects;

/* Whether a granted claim must lose its gate before it may be scheduled: the tolerations of its
 * flavor are written with the removal, and without them its nodes refuse the pod. (What else is
 * written only narrows the choice of nodes, and there filter stands in.) */
bool claim_removal_comes_first(const struct engine *e, uint32_t claim);

/* What the patch that removes our gates writes besides. */
void claim_patch(const struct engine *e, uint32_t claim, struct removal_patch *ret_patch);

#endif
