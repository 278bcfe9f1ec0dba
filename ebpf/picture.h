/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_PICTURE_H
#define SLUICE_EBPF_PICTURE_H

#include "session.h"

#include <linux/types.h>
#include <stddef.h>

#include "gate_latency.h"

/* What the maps hold, read at once and in an order for people: by process, handle, queue, stage. */
struct stage_row {
    struct stage_key key; /* in totals: of queue 0 */
    struct stage_times value;
};

struct hook_row {
    struct hook_key key;
    struct hook_times value;
};

struct engine_row {
    struct engine_key key;
    struct engine_counts value;
};

struct picture {
    struct stage_row *stages, *totals;
    struct hook_row *hooks;
    struct engine_row *engines;
    size_t stage_count, total_count, hook_count, engine_count;
    struct lost_counts lost;
    __u64 fell_out; /* times that are in the totals alone: their queues were not used for longest */
};

bool picture_take(const struct session *session, struct picture *ret);
void picture_release(struct picture *picture);

/* "created → seen", and the same for programs: created_seen. */
const char *stage_title(enum stage stage);
const char *stage_name(enum stage stage);
const char *happening_name(enum happening what);
__u64 happening_count(const struct engine_counts *counts, enum happening what);

/* Where of all times the share q (0 to 1) is below: within its slot as if they lay evenly there.
 * 0 if there are none. */
double times_quantile(const struct times *times, double q);

/* "1.25 ms"; out has room for 16 bytes. */
const char *duration(double ns, char *out);
enum { DURATION = 16 };

#endif
