/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_HOLDER_H
#define SLUICE_PLUGIN_RECORDS_HOLDER_H

#include "plugin/base/amount.h"
#include "plugin/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What holds room, and may have to give it up for another one: a claim of pods, or a workload. Its
 * number is the claim's id, or the workload's with a bit of its own; 0 is nobody.
 *
 *     31         30                        0
 *     workload │ id of the claim or workload
 */
#define HOLDER_WORKLOAD (UINT32_C(1) << 31)

static inline uint32_t holder_of_workload(uint32_t workload)
{
    return workload | HOLDER_WORKLOAD;
}

static inline bool holder_is_workload(uint32_t holder)
{
    return (holder & HOLDER_WORKLOAD) != 0;
}

/* The workload of that holder, which is one. */
static inline uint32_t holder_workload(uint32_t holder)
{
    return holder & ~HOLDER_WORKLOAD;
}

struct engine;
struct workload_name;

uint32_t holder_queue(const struct engine *e, uint32_t holder);

/* The holder's own, whatever that of its gang is. */
int32_t holder_priority(const struct engine *e, uint32_t holder);

/* When it came into its queue; and when it was granted what it holds. */
int64_t holder_since(const struct engine *e, uint32_t holder);
int64_t holder_stamp(const struct engine *e, uint32_t holder);

/* The group that the claim is in; 0: none, or it is a workload. */
uint32_t holder_group(const struct engine *e, uint32_t holder);

/* Whether it takes nobody's room, while it waits. A gang does not if one of its members does not,
 * or if it had room and nobody made use of it. */
bool holder_yields(const struct engine *e, uint32_t holder);

/* As it is told to others. */
struct workload_name holder_name(const struct engine *e, uint32_t holder);

/* Below 0 if a has to go before b: lower priority first, newest first, then by uid. They may be in
 * different queues. */
int holder_compare(const struct engine *e, uint32_t a, uint32_t b);

/* So much of this it holds; and so much it would come back for, with as few pods as it may. */
wide holder_amount(const struct engine *e, uint32_t holder, uint16_t flavor, uint32_t resource);
wide holder_least_amount(const struct engine *e, uint32_t holder, uint16_t flavor,
                         uint32_t resource);

/* What it holds, is promised, or would ask for, one need after the other: of all its pods, in the
 * flavor in which it is. False: it has no more. */
struct holder_need {
    wide amount;
    uint32_t resource;
    uint16_t flavor; /* FLAVOR_NONE: nobody counts it */
};
bool holder_need(const struct engine *e, uint32_t holder, uint32_t i, struct holder_need *ret);

/* Whether it waits for room that is on its way; whether it goes, so that another one has room
 * (promise.h). */
bool holder_is_promised(const struct engine *e, uint32_t holder);
bool holder_is_victim(const struct engine *e, uint32_t holder);

#endif
