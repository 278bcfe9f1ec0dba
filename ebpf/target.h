/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_TARGET_H
#define SLUICE_EBPF_TARGET_H

#include <stdbool.h>
#include <sys/types.h>

/* Whose probes: those of one file, in every process that has it, or in one process alone. */
struct target {
    char path[4096]; /* opens the file itself, whatever has its name by now */
    char name[4096]; /* for a reader */
    pid_t pid;       /* -1: every process */
};

bool target_library(const char *path, struct target *ret);

/* The library that the process has mapped: the very file, also if it was replaced or deleted since,
 * or lies in a container that we do not see. */
bool target_process(pid_t pid, struct target *ret);

/* Whether the library has the probe: older ones lack the newer probes. */
bool target_has(const struct target *target, const char *probe);

#endif
