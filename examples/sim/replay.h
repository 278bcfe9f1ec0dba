/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_REPLAY_H
#define SLUICE_SIM_REPLAY_H

/* Makes the calls of a recording again, and compares every answer byte for byte. An exit code; what
 * differs first is said on stderr. */
int replay_file(const char *library, const char *path);

#endif
