/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_SESSION_H
#define SLUICE_EBPF_SESSION_H

#include "target.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The programs in the kernel, and the maps that they fill.
 *
 *   session_attach ──▶ ours: gone with this process, however it ends
 *        │
 *        ▼ session_pin
 *      DIR/gate_*  ──▶ go on without a process, until session_unpin; read by session_open
 */
struct gate_latency_bpf;
struct bpf_link;

enum { SESSION_PROGRAMS = 16 };

struct session {
    int stages, totals, hooks, engines, lost; /* the maps */
    int pods;                                 /* ring buffer; -1: nobody is watched */
    struct gate_latency_bpf *skeleton;        /* NULL: pinned by another process */
    struct {
        const char *program;
        struct bpf_link *link;
    } links[SESSION_PROGRAMS];
    int link_count;
    bool pinned; /* goes on without us */
};

struct session_plan {
    uint32_t queues;         /* how many queues the maps have room for */
    const char *space, *pod; /* whom to watch; NULL: nobody */
};

/* All say why they fail. A session that failed needs no closing. */
bool session_attach(const struct target *target, const struct session_plan *plan,
                    struct session *ret);
bool session_open(const char *folder, struct session *ret);
void session_close(struct session *session);

/* All or nothing, also if this process is killed meanwhile. */
bool session_pin(struct session *session, const char *folder);
bool session_is_pinned(const char *folder);
bool session_unpin(const char *folder);

#endif
