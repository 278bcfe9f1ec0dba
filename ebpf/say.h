/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_SAY_H
#define SLUICE_EBPF_SAY_H

#include <stdbool.h>

/* "sluice-trace: ..." on stderr. Always false: a failure can be said and returned at once. */
bool say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What libbpf and the kernel's verifier said is kept in memory, since most of it matters to nobody.
 * When loading fails, say_log writes it to a file, and says where. */
void say_keep_log(void);
void say_log(void);
void say_log_free(void);

#endif
