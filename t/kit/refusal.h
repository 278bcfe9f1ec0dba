/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_REFUSAL_H
#define SLUICE_T_REFUSAL_H

#include "t/kit/ask.h"

#include <stdbool.h>

/*
 * A call is refused in every way in which memory or a limit can refuse it, until it is answered:
 * the first allocation fails, then the second; or a limit is what there is, then one more. Each
 * refusal says what stood in the way, and has changed nothing.
 *
 *     refusal_begin();
 *     refusal_call(handle, HOOK_OBSERVE, request, len, "pods", true, &refusal);
 *     ... refusal.result is what the call answered at last, refusal.out the answer ...
 *     refusal_end();
 */
enum { REFUSAL_OUT = 1 << 20 };

struct refusal {
    int64_t result;
    uint64_t room;   /* what the answer may take; 0: REFUSAL_OUT */
    uint64_t count;  /* how often it was refused */
    char fault[400]; /* what was wrong with that; empty: nothing */
    uint8_t out[REFUSAL_OUT];
};

/* The names of the limits, and NULL for memory, which is the last. */
enum { REFUSAL_KINDS = 6 };
extern const char *const refusal_kinds[REFUSAL_KINDS];

/* From here on the library's memory can be made to fail. */
void refusal_begin(void);
void refusal_end(void);

/* `looks`: whether what is there is compared, which is work for each object. HOOK_COUNT: it is a
 * configuration to open, and only memory can refuse it. count goes on, fault stays if there is one.
 */
void refusal_call(uint64_t handle, enum hook_id hook, const uint8_t *request, size_t len,
                  const char *kind, bool looks, struct refusal *refusal);

#endif
