/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_PROBES_H
#define SLUICE_HOOKS_PROBES_H

#include "plugin/engine.h"

#include <stdint.h>

/*
 * Places for a tracer to stand: functions of the library that do nothing, and are called with
 * integers that say what has just happened. Nobody has to watch, and while nobody does it is a call
 * and a return. ebpf/PROBES.md is their manual for who attaches to them.
 *
 *     a call begins      sluice_probe_hook_entry
 *     probes_tell        for each event of the engine: sluice_probe_pod, then its own
 *     it ends            sluice_probe_hook_exit
 *
 * Part of what stays stable: a probe keeps its name and its arguments, and new ones may come. They
 * are no part of the ABI, no host calls them, and -Dprobes=disabled builds the library without.
 */
#ifdef SLUICE_PROBES
enum { PROBES_BUILT = 1 };

/* Tells what the engine has noted since the last time. */
void probes_tell(uint64_t handle, struct engine *engine);

/* A call of hook `hook`, named `name`, with a request of `len` bytes, begins: before it waits for
 * its handle. It ends with what the function returns. */
void sluice_probe_hook_entry(uint64_t handle, uint64_t hook, const char *name, uint64_t len);
void sluice_probe_hook_exit(uint64_t handle, uint64_t hook, const char *name, int64_t result);

/* Whom the probes that follow are about, until the next of this: `pod` is the number of theirs. */
void sluice_probe_pod(uint64_t handle, uint64_t pod, const char *space, const char *name);

/* What became of a pod of a queue. `queue` is a hash of the queue's kind and name, the same in
 * every process; texts end with NUL, and are valid during the call. Times are in ns, and -1 if they
 * are not known. */
void sluice_probe_seen(uint64_t handle, uint64_t pod, uint64_t queue, const char *queue_name,
                       int64_t since_created);
void sluice_probe_eligible(uint64_t handle, uint64_t pod, uint64_t queue, const char *queue_name,
                           int64_t since_seen);
void sluice_probe_granted(uint64_t handle, uint64_t pod, uint64_t queue, const char *queue_name,
                          int64_t since_eligible, int64_t since_created);
void sluice_probe_handed_out(uint64_t handle, uint64_t pod, uint64_t queue, const char *queue_name,
                             int64_t since_granted);
void sluice_probe_acknowledged(uint64_t handle, uint64_t pod, uint64_t queue,
                               const char *queue_name, int64_t since_granted,
                               int64_t since_created);
void sluice_probe_reserved(uint64_t handle, uint64_t pod, uint64_t queue, const char *queue_name,
                           int64_t since_granted);
void sluice_probe_bound(uint64_t handle, uint64_t pod, uint64_t queue, const char *queue_name,
                        int64_t since_reserved, int64_t since_created);
void sluice_probe_released(uint64_t handle, uint64_t pod, uint64_t queue, const char *queue_name,
                           int64_t since_granted, uint64_t how);

/* An effect for the pod, of `kind` (0 activate, 1 remove gates, 2 set condition, 4 event), went out
 * for the `attempt`th time; or this attempt came to nothing, and another will follow if it is still
 * needed. */
void sluice_probe_effect_leased(uint64_t handle, uint64_t pod, uint64_t queue,
                                const char *queue_name, uint64_t kind, uint64_t attempt);
void sluice_probe_effect_retried(uint64_t handle, uint64_t pod, uint64_t queue,
                                 const char *queue_name, uint64_t kind, uint64_t attempt);

/* So many events were not told: one call made more of them than are kept. */
void sluice_probe_lost(uint64_t handle, uint64_t events);

#else
enum { PROBES_BUILT = 0 };

static inline void sluice_probe_hook_entry(uint64_t handle, uint64_t hook, const char *name,
                                           uint64_t len)
{
    (void)handle, (void)hook, (void)name, (void)len;
}

static inline void sluice_probe_hook_exit(uint64_t handle, uint64_t hook, const char *name,
                                          int64_t result)
{
    (void)handle, (void)hook, (void)name, (void)result;
}

static inline void probes_tell(uint64_t handle, struct engine *engine)
{
    (void)handle, (void)engine;
}
#endif

#endif
