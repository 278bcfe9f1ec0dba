/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Where a gated pod's time went: what stands at the probes of sluice.so (PROBES.md).
 *
 * The probes bring durations, so nothing is kept per pod. No structure of the kernel is read, only
 * the registers of the call: the programs mean the same on every kernel. Every map is bounded, and
 * what is used least falls out first; since the sums over all queues (gate_totals) have far fewer
 * entries than the queues themselves, a reader sees by them how much fell out.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "gate_latency.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#if defined(__TARGET_ARCH_x86)
#define SIXTH(ctx) ((ctx)->r9)
#elif defined(__TARGET_ARCH_arm64)
#define SIXTH(ctx) (((const struct user_pt_regs *)(ctx))->regs[5])
#else
#error "how does this machine pass its sixth argument?"
#endif

/* The pod whose events go to the ring buffer. */
const volatile bool watching = false;
const volatile char wanted_space[SPACE_NAME];
const volatile char wanted_name[POD_NAME];

#define MAP(map_name, map_type, map_key, map_value, entries)                                       \
    struct {                                                                                       \
        __uint(type, map_type);                                                                    \
        __type(key, map_key);                                                                      \
        __type(value, map_value);                                                                  \
        __uint(max_entries, entries);                                                              \
    } map_name SEC(".maps")

MAP(gate_stages, BPF_MAP_TYPE_LRU_HASH, struct stage_key, struct stage_times, 8000);
MAP(gate_totals, BPF_MAP_TYPE_LRU_HASH, struct stage_key, struct stage_times, 1024);
MAP(gate_hooks, BPF_MAP_TYPE_LRU_HASH, struct hook_key, struct hook_times, 1024);
MAP(gate_engines, BPF_MAP_TYPE_LRU_HASH, struct engine_key, struct engine_counts, 256);
MAP(gate_calls, BPF_MAP_TYPE_LRU_HASH, __u64, __u64, 4096);
MAP(gate_lost, BPF_MAP_TYPE_ARRAY, __u32, struct lost_counts, 1);
MAP(gate_watched, BPF_MAP_TYPE_LRU_HASH, struct stage_key, __u8, 1024);

/* What new entries begin as: too large for the stack. */
MAP(gate_empty, BPF_MAP_TYPE_ARRAY, __u32, struct stage_times, 1);

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 256 * 1024);
} gate_pods SEC(".maps");

struct words {
    char space[SPACE_NAME];
    char name[POD_NAME];
};
MAP(gate_words, BPF_MAP_TYPE_PERCPU_ARRAY, __u32, struct words, 1);

#define LOSE(what)                                                                                 \
    do {                                                                                           \
        __u32 zero_ = 0;                                                                           \
        struct lost_counts *lost_ = bpf_map_lookup_elem(&gate_lost, &zero_);                       \
        if (lost_)                                                                                 \
            __sync_fetch_and_add(&lost_->what, 1);                                                 \
    } while (0)

static __always_inline __u32 pid(void)
{
    return bpf_get_current_pid_tgid() >> 32;
}

static __always_inline __u32 slot_of(__u64 ns)
{
    __u32 slot = 0;

    for (int width = 32; width > 0; width /= 2) {
        if (ns >> width) {
            ns >>= width;
            slot += width;
        }
    }
    return slot;
}

static __always_inline void add_time(struct times *times, __u64 ns)
{
    __sync_fetch_and_add(&times->count, 1);
    __sync_fetch_and_add(&times->sum_ns, ns);
    __sync_fetch_and_add(&times->slots[slot_of(ns) & (SLOTS - 1)], 1);
}

/* The entry of a key, made if there is none yet. */
static __always_inline void *entry_of(void *map, const void *key, bool *ret_new)
{
    void *entry = bpf_map_lookup_elem(map, key);
    __u32 zero = 0;

    *ret_new = false;
    if (entry)
        return entry;

    void *empty = bpf_map_lookup_elem(&gate_empty, &zero);

    if (!empty)
        return NULL;
    *ret_new = bpf_map_update_elem(map, key, empty, BPF_NOEXIST) == 0;
    return bpf_map_lookup_elem(map, key);
}

static __always_inline void add_stage(void *map, const struct stage_key *key, const char *name,
                                      __s64 ns)
{
    bool new;
    struct stage_times *entry = entry_of(map, key, &new);

    if (!entry) {
        LOSE(stages);
        return;
    }
    if (new &&name)
        bpf_probe_read_user_str(entry->queue, sizeof(entry->queue), name);
    if (ns < 0)
        __sync_fetch_and_add(&entry->unknown, 1);
    else
        add_time(&entry->times, ns);
}

/* What every probe about a pod has in common. */
struct about {
    __u64 handle, pod, queue;
    const char *queue_name;
};

#define ABOUT(ctx)                                                                                 \
    {                                                                                              \
        .handle = PT_REGS_PARM1(ctx), .pod = PT_REGS_PARM2(ctx), .queue = PT_REGS_PARM3(ctx),      \
        .queue_name = (const char *)PT_REGS_PARM4(ctx)                                             \
    }

static __always_inline void stage(const struct about *about, enum stage stage, __s64 ns)
{
    struct stage_key key = {
        .handle = about->handle, .queue = about->queue, .pid = pid(), .stage = stage};

    add_stage(&gate_stages, &key, about->queue_name, ns);
    key.queue = 0;
    add_stage(&gate_totals, &key, NULL, ns);
}

static __always_inline struct engine_counts *counts_of(__u64 handle)
{
    struct engine_key key = {.handle = handle, .pid = pid()};
    struct engine_counts none = {};
    struct engine_counts *counts = bpf_map_lookup_elem(&gate_engines, &key);

    if (counts)
        return counts;
    bpf_map_update_elem(&gate_engines, &key, &none, BPF_NOEXIST);
    counts = bpf_map_lookup_elem(&gate_engines, &key);
    if (!counts)
        LOSE(engines);
    return counts;
}

static __always_inline void watch(const struct about *about, enum happening what, __s64 a, __s64 b)
{
    struct stage_key key = {.handle = about->handle, .queue = about->pod, .pid = pid(), .stage = 0};
    struct pod_event *event;

    if (!watching || !bpf_map_lookup_elem(&gate_watched, &key))
        return;
    event = bpf_ringbuf_reserve(&gate_pods, sizeof(*event), 0);
    if (!event) {
        LOSE(ring);
        return;
    }
    event->handle = about->handle;
    event->pod = about->pod;
    event->queue = about->queue;
    event->a = a;
    event->b = b;
    event->pid = key.pid;
    event->what = what;
    if (bpf_probe_read_user_str(event->queue_name, sizeof(event->queue_name), about->queue_name) <
        0)
        event->queue_name[0] = '\0';
    bpf_ringbuf_submit(event, 0);
}

static __always_inline void happened(const struct about *about, enum happening what, __s64 a,
                                     __s64 b)
{
    struct engine_counts *counts = counts_of(about->handle);

    if (counts) {
        __sync_fetch_and_add((__u64 *)counts + what, 1);
        if (what == RELEASED && b >= 256)
            __sync_fetch_and_add(&counts->gone, 1);
    }
    watch(about, what, a, b);
}

SEC("uprobe/sluice_probe_seen")
int gate_seen(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    stage(&about, CREATED_TO_SEEN, PT_REGS_PARM5(ctx));
    happened(&about, SEEN, PT_REGS_PARM5(ctx), -1);
    return 0;
}

/* Only the first time is a stage: a pod that lost its place was seen long ago. */
SEC("uprobe/sluice_probe_eligible")
int gate_eligible(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);
    __s64 since_seen = PT_REGS_PARM5(ctx);

    if (since_seen >= 0)
        stage(&about, SEEN_TO_ELIGIBLE, since_seen);
    happened(&about, ELIGIBLE, since_seen, -1);
    return 0;
}

SEC("uprobe/sluice_probe_granted")
int gate_granted(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    stage(&about, ELIGIBLE_TO_GRANTED, PT_REGS_PARM5(ctx));
    happened(&about, GRANTED, PT_REGS_PARM5(ctx), SIXTH(ctx));
    return 0;
}

SEC("uprobe/sluice_probe_handed_out")
int gate_handed_out(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    happened(&about, HANDED_OUT, PT_REGS_PARM5(ctx), -1);
    return 0;
}

SEC("uprobe/sluice_probe_acknowledged")
int gate_acked(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    stage(&about, GRANTED_TO_REMOVED, PT_REGS_PARM5(ctx));
    stage(&about, CREATED_TO_REMOVED, SIXTH(ctx));
    happened(&about, ACKNOWLEDGED, PT_REGS_PARM5(ctx), SIXTH(ctx));
    return 0;
}

SEC("uprobe/sluice_probe_reserved")
int gate_reserved(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    stage(&about, GRANTED_TO_RESERVED, PT_REGS_PARM5(ctx));
    happened(&about, RESERVED, PT_REGS_PARM5(ctx), -1);
    return 0;
}

SEC("uprobe/sluice_probe_bound")
int gate_bound(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    stage(&about, RESERVED_TO_BOUND, PT_REGS_PARM5(ctx));
    stage(&about, CREATED_TO_BOUND, SIXTH(ctx));
    happened(&about, BOUND, PT_REGS_PARM5(ctx), SIXTH(ctx));
    return 0;
}

SEC("uprobe/sluice_probe_released")
int gate_released(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    happened(&about, RELEASED, PT_REGS_PARM5(ctx), SIXTH(ctx));
    return 0;
}

SEC("uprobe/sluice_probe_effect_leased")
int gate_leased(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    happened(&about, LEASED, PT_REGS_PARM5(ctx), SIXTH(ctx));
    return 0;
}

SEC("uprobe/sluice_probe_effect_retried")
int gate_retried(struct pt_regs *ctx)
{
    struct about about = ABOUT(ctx);

    happened(&about, RETRIED, PT_REGS_PARM5(ctx), SIXTH(ctx));
    return 0;
}

SEC("uprobe/sluice_probe_lost")
int gate_untold(struct pt_regs *ctx)
{
    struct engine_counts *counts = counts_of(PT_REGS_PARM1(ctx));

    if (counts)
        __sync_fetch_and_add(&counts->untold, PT_REGS_PARM2(ctx));
    return 0;
}

static __always_inline bool is_wanted(const struct words *words)
{
    for (int i = 0; i < SPACE_NAME; i++) {
        if (words->space[i] != wanted_space[i])
            return false;
        if (words->space[i] == '\0')
            break;
    }
    for (int i = 0; i < POD_NAME; i++) {
        if (words->name[i] != wanted_name[i])
            return false;
        if (words->name[i] == '\0')
            break;
    }
    return true;
}

/* Loaded only to watch a pod: it comes before each event, so that also a pod is found that was seen
 * long before. */
SEC("uprobe/sluice_probe_pod")
int gate_pod(struct pt_regs *ctx)
{
    struct stage_key key = {
        .handle = PT_REGS_PARM1(ctx), .queue = PT_REGS_PARM2(ctx), .pid = pid(), .stage = 0};
    __u32 zero = 0;
    __u8 yes = 1;
    struct words *words = bpf_map_lookup_elem(&gate_words, &zero);

    if (!words ||
        bpf_probe_read_user_str(words->space, sizeof(words->space), (void *)PT_REGS_PARM3(ctx)) <
            0 ||
        bpf_probe_read_user_str(words->name, sizeof(words->name), (void *)PT_REGS_PARM4(ctx)) < 0)
        return 0;
    if (is_wanted(words))
        bpf_map_update_elem(&gate_watched, &key, &yes, BPF_ANY);
    return 0;
}

SEC("uprobe/sluice_probe_hook_entry")
int gate_hook_entry(struct pt_regs *ctx)
{
    __u64 thread = bpf_get_current_pid_tgid(), now = bpf_ktime_get_ns();

    if (bpf_map_update_elem(&gate_calls, &thread, &now, BPF_ANY) != 0)
        LOSE(calls);
    return 0;
}

/* Without its entry: that was before anybody looked. */
SEC("uprobe/sluice_probe_hook_exit")
int gate_hook_exit(struct pt_regs *ctx)
{
    __u64 thread = bpf_get_current_pid_tgid(), now = bpf_ktime_get_ns();
    struct hook_key key = {
        .handle = PT_REGS_PARM1(ctx), .pid = thread >> 32, .hook = PT_REGS_PARM2(ctx)};
    __u64 *entered = bpf_map_lookup_elem(&gate_calls, &thread);
    struct hook_times *entry;
    bool new;

    if (!entered)
        return 0;

    __u64 took = now - *entered;

    bpf_map_delete_elem(&gate_calls, &thread);
    entry = entry_of(&gate_hooks, &key, &new);
    if (!entry) {
        LOSE(hooks);
        return 0;
    }
    if (new)
        bpf_probe_read_user_str(entry->hook, sizeof(entry->hook), (void *)PT_REGS_PARM3(ctx));
    if ((__s64)PT_REGS_PARM4(ctx) < 0)
        __sync_fetch_and_add(&entry->refused, 1);
    add_time(&entry->times, took);
    return 0;
}
