/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_RESTORE_H
#define SLUICE_PLUGIN_PODS_RESTORE_H

#include <stdbool.h>
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

/* A claim that was granted before: it gets its reservation back if it fits, else it waits. A gang's
 * does with the others of its gang. */
void restore_claim(struct engine *e, uint32_t claim);
void restore_alone(struct engine *e, uint32_t claim);

/* It does not get it back, and waits with all others that ask. */
void restore_nothing(struct engine *e, uint32_t claim);

/* Whether it still fits: in the flavors that its stamp names, or, where it names none, in those
 * that it gets now. */
bool restore_fits(struct engine *e, uint32_t claim);

/* Then it is reserved. A pod that says Unschedulable was in a cycle before the restart. */
void restore_reserve(struct engine *e, uint32_t claim);

/* Pods that were bound without a stamp may have been seen before their nodes or flavors. */
void restore_guess_flavors(struct engine *e);

#endif
