/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_GENERATE_QUEUE_H
#define SLUICE_T_ORACLE_GENERATE_QUEUE_H

#include "t/oracle/generate.h"

/* What the generator draws from: numbers, amounts, and queues. */
int generate_below(struct generator *generator, int n);
bool generate_one_in(struct generator *generator, int n);

int64_t generate_amount(struct generator *generator);

/* One of the dialect's. */
enum queue_kind generate_kind(struct generator *generator);

/* The number of a name, for a pod or a parent. */
int generate_queue_name(struct generator *generator);

/* A queue of this name, in any shape. */
struct step generate_queue(struct generator *generator, int name);

/* A change of a queue that exists; most change one thing. */
struct step generate_queue_edit(struct generator *generator, const struct model *model);

/* A pod is made, edited, bound, deleted, or seen once more. */
struct step generate_pod_step(struct generator *generator, const struct model *model);

/* Commands to queues, what others write into their objects, and what becomes of effects about them.
 * False, and no step: there is nothing to do. */
bool generate_writes(struct generator *generator, const struct model *model, struct step *ret);

/* The host takes effects, or one ends: mostly of claims that were granted and taken back, between
 * two answers. */
struct step generate_effect(struct generator *generator, const struct model *model);

#endif
