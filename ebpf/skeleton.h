/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_SKELETON_H
#define SLUICE_EBPF_SKELETON_H

/* The compiled programs, as bpftool wraps them: not written to our warnings. */
#pragma GCC system_header
#include <gate_latency.skel.h>

#endif
