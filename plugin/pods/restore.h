/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_RESTORE_H
#define SLUICE_PLUGIN_PODS_RESTORE_H

#include <stdint.h>

/*
 * What a restart found granted: claims whose pods carry our stamp, or were in a cycle already.
 *
 *   by stamp ──▶ does it still fit? ──▶ reserved again, in the flavors that the stamp names
 *                        │ no
 *                        └────────────▶ waits with all others that ask
 *
 * What stays at a shrink stays here too: both ask the same question.
 */
struct engine;

/* A claim that was granted before: it gets its reservation back if it fits, else it waits. Of a
 * gang what lacks to the minimum is reserved with it, those first that were granted before, or none
 * of them is. */
void restore_claim(struct engine *e, uint32_t claim);

/* Pods that were bound without a stamp may have been seen before their nodes or flavors. */
void restore_guess_flavors(struct engine *e);

#endif
