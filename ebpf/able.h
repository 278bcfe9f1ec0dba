/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_ABLE_H
#define SLUICE_EBPF_ABLE_H

#include <stdbool.h>

/* Whether this process, on this kernel, can trace; else it is said what is missing. `process`: the
 * probes are those of somebody else's process. */
bool able_to_trace(bool process);

/* Whether the folder, which need not exist, is on a file system that keeps BPF objects. */
bool able_to_pin(const char *folder);

/* Why loading may have failed, as far as it can be told afterwards. */
void able_to_guess(int error);

#endif
