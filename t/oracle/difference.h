/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_DIFFERENCE_H
#define SLUICE_T_ORACLE_DIFFERENCE_H

#include <stdbool.h>

/* What is not as it should be, in words; empty: nothing. */
enum { DIFFERENCE_MAX = 1024 };

/* Notes a difference, if it is the first. Returns false. */
__attribute__((format(printf, 2, 3))) bool differ(char difference[DIFFERENCE_MAX],
                                                  const char *format, ...);

#endif
