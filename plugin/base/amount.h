/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_AMOUNT_H
#define SLUICE_PLUGIN_BASE_AMOUNT_H

#include <stdint.h>

/* A single amount of a resource is an int64_t between -AMOUNT_MAX and AMOUNT_MAX; sums of amounts
 * are wide, and exact: 2^64 of the largest amounts fit. */
__extension__ typedef __int128 wide;

#define AMOUNT_MAX (INT64_C(1) << 62)

static inline wide wide_min(wide a, wide b)
{
    return a < b ? a : b;
}

static inline wide wide_max(wide a, wide b)
{
    return a > b ? a : b;
}

/* Below, equal to or above 0 as the first is smaller, equal or larger. */
static inline int wide_compare(wide a, wide b)
{
    return a < b ? -1 : a > b;
}

static inline int64_t amount_clamp(wide sum)
{
    return (int64_t)wide_max(-(wide)AMOUNT_MAX, wide_min(sum, AMOUNT_MAX));
}

/* Compares used_a / quota_a with used_b / quota_b, exactly: below, equal to or above 0 as the first
 * is smaller, equal or larger. Nothing used is 0 of any quota; something used of no quota is
 * infinite, and all infinite shares are equal. [no argument is negative] */
int share_compare(wide used_a, wide quota_a, wide used_b, wide quota_b);

/* So much of a resource, as a pod asks for it. */
struct request {
    uint32_t resource;
    int64_t amount; /* above 0 */
};

#endif
