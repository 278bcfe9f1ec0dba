/* SPDX-License-Identifier: Apache-2.0 OR BSD-2-Clause */
#ifndef SLUICE_EBPF_GATE_LATENCY_H
#define SLUICE_EBPF_GATE_LATENCY_H

/* What the programs in the kernel and their reader share: fixed-width types alone, by the kernel's
 * names of them (__u64 is 8 bytes everywhere). Include <linux/types.h> first. */

enum {
    SLOTS = 64,      /* powers of two of a nanosecond: slot n counts from 2^n up to 2^(n+1) */
    QUEUE_NAME = 48, /* as much of a queue's name as is kept, with its NUL */
    HOOK_NAME = 16,
    SPACE_NAME = 64,
    POD_NAME = 256,
};

enum stage {
    CREATED_TO_SEEN,
    SEEN_TO_ELIGIBLE,
    ELIGIBLE_TO_GRANTED,
    GRANTED_TO_REMOVED,
    GRANTED_TO_RESERVED,
    RESERVED_TO_BOUND,
    CREATED_TO_REMOVED,
    CREATED_TO_BOUND,
    STAGES
};

/* In the order of the probes. */
enum happening {
    SEEN,
    ELIGIBLE,
    GRANTED,
    HANDED_OUT,
    ACKNOWLEDGED,
    RESERVED,
    BOUND,
    RELEASED,
    LEASED,
    RETRIED,
    HAPPENINGS
};

struct times {
    __u64 count;
    __u64 sum_ns;
    __u64 slots[SLOTS];
};

/* Times of one stage: of a queue, and, with queue 0, of all queues of a handle. */
struct stage_key {
    __u64 handle;
    __u64 queue;
    __u32 pid;
    enum stage stage;
};

struct stage_times {
    char queue[QUEUE_NAME];
    __u64 unknown; /* how often the stage ended, but nobody knows when it began */
    struct times times;
};

struct hook_key {
    __u64 handle;
    __u32 pid;
    __u32 hook;
};

struct hook_times {
    char hook[HOOK_NAME];
    __u64 refused;
    struct times times;
};

struct engine_key {
    __u64 handle;
    __u64 pid;
};

/* How often what happened: in the order of enum happening, by names for people. */
struct engine_counts {
    __u64 seen, eligible, granted, handed_out, acknowledged, reserved, bound, released, leased,
        retried;
    __u64 gone;   /* of those released: the pod itself is gone */
    __u64 untold; /* by the library: a call made more events than it keeps */
};

/* What could not be counted, by what there was no room for. */
struct lost_counts {
    __u64 stages, hooks, engines, calls, ring;
};

/* One event of the pod that is watched. */
struct pod_event {
    __u64 handle, pod, queue;
    __s64 a, b;
    __u32 pid;
    enum happening what;
    char queue_name[QUEUE_NAME];
};

#endif
