/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ARGUMENT_H
#define SLUICE_T_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* A number of the command line, also in hexadecimal. False: it is none, or below the least. A
 * random test that does nothing would pass. */
static inline bool argument_number(const char *text, uint64_t least, uint64_t *ret)
{
    char *end;

    *ret = strtoull(text, &end, 0);
    return *text >= '0' && *text <= '9' && *end == '\0' && *ret >= least;
}

#endif
