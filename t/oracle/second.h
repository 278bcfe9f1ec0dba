/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_SECOND_H
#define SLUICE_T_ORACLE_SECOND_H

#include <stdint.h>

/* Times of all histories are in nanoseconds. */
#define SECOND INT64_C(1000000000)

#endif
