/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_EDIT_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_EDIT_H

#include "plugin/records/queue.h"

/* What the object of a queue says. */

/* Its object, as it is seen, or it is gone; enum seen, or negative on error. */
int queue_see(struct engine *e, const struct queue_facts *facts);
int queue_lose(struct engine *e, enum queue_kind kind, struct text name);

#endif
