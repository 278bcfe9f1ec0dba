/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_ARGUMENT_H
#define SLUICE_T_ORACLE_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>

/* What a command line may say: one of these three follows from it. */
struct argument {
    const char *name;
    uint64_t *number; /* in hexadecimal, too */
    uint64_t least;   /* a random test that does nothing would pass */
    const char **text;
    bool *is_said; /* nothing follows it */
};

/* Reads a command line; the last argument has no name. False: it says something else, or a number
 * that is none, or below the least. */
bool argument_read(int argc, char **argv, const struct argument *arguments);

#endif
