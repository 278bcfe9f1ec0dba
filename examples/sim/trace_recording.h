/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TRACE_RECORDING_H
#define SLUICE_SIM_TRACE_RECORDING_H

#include "examples/sim/trace.h"

/*
 * A scheduler's recording as a trace. Its calls are made again, and the library itself is asked in
 * which queue a pod or a workload counts, and for how much:
 *
 *     observe ──▶ first seen, on a node, ended, gone ──▶ arrivals ──▶ trace
 *                           └──▶ inspect: queue, amounts, gang
 *
 * Pods that are in no queue, that belong to a workload, or that were deleted before they ran are
 * left out. Members of a gang that ask for the same are one row, which runs as long as the longest.
 */

/* An exit code. */
int trace_from_recording(struct trace *trace, const char *library, const char *path,
                         struct fault *fault);

#endif
