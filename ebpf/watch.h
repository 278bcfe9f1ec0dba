/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_WATCH_H
#define SLUICE_EBPF_WATCH_H

#include "session.h"

#include <signal.h>

/* Prints what becomes of the session's pod, a line for each event as it comes, until *stop. */
bool watch_pod(const struct session *session, bool json, const volatile sig_atomic_t *stop);

#endif
