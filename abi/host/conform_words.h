/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_WORDS_H
#define SLUICE_HOST_CONFORM_WORDS_H

#include <jansson.h>

/*
 * Messages as the checks write them, short enough to stand in a line of C:
 *
 *     {kind: pod, object: {uid: p1, created: 7, gates: [a, 'b c'], deleted: true, node: nil}}
 *
 * A word ends at a space or one of , : { } [ ]. It is an integer, true, false or nil where it looks
 * like one, else text; what stands between '...' is text whatever it looks like.
 */

/* A new reference. A text that is not well formed is a mistake of ours: it ends the process. */
json_t *words_read(const char *text);

#endif
