/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_WHY_H
#define SLUICE_SIM_WHY_H

#include <msgpack.h>

/* Tells a scenario's story up to a moment ("12s"), and then says in words why a pod is where it is,
 * and for how long. An exit code. */
int why_file(const char *library, const char *path, const char *pod, const char *at);

/* Of one that waits, as inspect tells it: its place, who is before it, and how long it may take. */
void why_waiting(const msgpack_object *seen);

#endif
