/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_REPLAY_H
#define SLUICE_SIM_REPLAY_H

struct run_options;

/* Makes the calls of a recording again, and compares every answer byte for byte; a page, or its
 * frames, show it where the options name a file for them. An exit code; what differs first is said
 * on stderr. */
int replay_file(const struct run_options *options, const char *path);

#endif
