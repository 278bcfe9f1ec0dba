/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_QUEUE_TREE_H
#define SLUICE_PLUGIN_QUEUES_QUEUE_TREE_H

#include "plugin/records/queue.h"

/* How queues come, hang below others, and go. */

/* Finds the queue or makes an unknown one. Negative on error. */
int queue_get(struct engine *e, enum queue_kind kind, struct text name, uint32_t *ret_queue);

/* Forgets an unknown queue that nobody names any more, and parents that only it named. Nothing, if
 * it is forgotten already. */
void queue_drop_unused(struct engine *e, uint32_t queue);

/* Somebody names the queue, or does no more: one that is only named is there as long as somebody
 * does. Both take 0. */
void queue_hold(struct engine *e, uint32_t queue);
void queue_let_go(struct engine *e, uint32_t queue);

/* Puts a queue that is nobody's child below a parent (0: makes it a root), or takes it away. What
 * it holds counts in its ancestors only while it hangs there. [quota_reserve] */
void queue_hang(struct engine *e, uint32_t queue, uint32_t parent);
void queue_unhang(struct engine *e, uint32_t queue);

void queue_free_groups(struct engine *e, struct queue_group *groups, uint32_t count);
void queue_release_all(struct engine *e);

#endif
