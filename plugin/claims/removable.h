/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_REMOVABLE_H
#define SLUICE_PLUGIN_CLAIMS_REMOVABLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The claims of each queue whose room may be taken, in the order in which they would have to go
 * (claim_compare_removal): lower priority first, newest first, uid last. They hold room, obey the
 * queues, and neither go already, nor were spared, nor are settled. Pods are among them only where
 * the host evicts pods, workloads where it admits workloads.
 *
 * Each knows what is used by it and by those below it in the tree, and when the newest of these was
 * created. So a search for those that use something passes over the others at the cost of the
 * logarithm of their number.
 */
struct removable_wanted {
    uint32_t uses;   /* any of these (removable_uses) */
    uint32_t second; /* created not before (removable_second) */
};

struct engine;

/* A bit for a resource in a flavor. Others may have the same one: what is found must be looked at
 * again. */
uint32_t removable_uses(uint16_t flavor, uint32_t resource);
uint32_t removable_second(int64_t created);

/* The first claim of the queue that may be what is wanted, and the next one after one; or 0. */
uint32_t removable_first(const struct engine *e, uint32_t queue,
                         const struct removable_wanted *wanted);
uint32_t removable_after(const struct engine *e, uint32_t claim,
                         const struct removable_wanted *wanted);

/* Whether the claim is among them. */
bool removable_has(const struct engine *e, uint32_t claim);

/* Around every change of what makes a claim one of them, of its place in their order, and of what
 * it uses. */
void removable_leave(struct engine *e, uint32_t claim);
void removable_review(struct engine *e, uint32_t claim);

const char *removable_check(const struct engine *e, uint32_t claim);
const char *removable_check_queue(const struct engine *e, uint32_t queue);

#endif
