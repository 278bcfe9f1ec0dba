/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_FIRST_FIT_H
#define SLUICE_PLUGIN_ORDER_FIRST_FIT_H

#include <stdint.h>

/*
 * The first claim in a queue's order that fits:
 *
 *   queue ─▶ classes, past those of which nobody can fit ─▶ heads of lines, likewise ─▶ the first
 *
 * A queue that stops at its head has no other candidate. Where who fits may rather send others away
 * (cluster_queue_prefers_victims), a claim that is promised room waits for just that, and those
 * behind it in its line are looked at in its place.
 *
 * Costs what size_class.h says.
 */
struct engine;

/* 0: nobody fits. ret_flavors: in which flavors it does. */
uint32_t first_fit(const struct engine *e, uint32_t queue, uint16_t *ret_flavors);

/* The first in its line that is promised nothing (promise.h), from this one on that waits; or 0. */
uint32_t first_fit_unpromised(const struct engine *e, uint32_t claim);

#endif
