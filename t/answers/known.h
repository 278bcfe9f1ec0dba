/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ANSWERS_KNOWN_H
#define SLUICE_T_ANSWERS_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The list of differences that are meant, one a line, each with its reason:
 *
 *     # story    mode     call         key        then  reason
 *     two-*      onBind   drain        effects.*  ends  the older claim goes first now
 *     *          *        inspect.pod  basis      on    the estimate says how it was made
 *
 * The first four are patterns of the shell. `on`: the rest is compared as if nothing had been;
 * `ends`: what comes after it in the same story is another story. Histories of the random host are
 * called history-PROFILE, and have no mode (-).
 */
struct known;

enum known_then { KNOWN_NOT, KNOWN_ON, KNOWN_ENDS };

/* NULL: why (of cap bytes) says what is wrong with which line. */
struct known *known_load(const char *path, char *why, size_t cap);

/* What the first line says that matches; it has occurred then, also in processes that were forked
 * before. The names are those of differ.h. */
enum known_then known_look_up(struct known *known, const char *story, const char *mode,
                              const char *call, const char *path);

/* The line of the next entry from *line on that has not occurred, of histories or of stories; 0:
 * there is none. The text is the entry's. */
unsigned known_next_unused(const struct known *known, bool of_histories, unsigned *line,
                           const char **ret_text);

#endif
