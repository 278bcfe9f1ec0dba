/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_SERVE_H
#define SLUICE_EBPF_SERVE_H

#include "session.h"

#include <signal.h>

/* Answers GET /metrics at HOST:PORT (without a host: of this machine alone), until *stop. Or, if
 * `where` has a slash, writes the file anew every `interval` seconds, always as a whole: for
 * node_exporter's textfile collector. */
bool serve_metrics(const struct session *session, const char *where, double interval,
                   const volatile sig_atomic_t *stop);

#endif
