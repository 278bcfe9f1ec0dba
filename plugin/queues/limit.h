/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_LIMIT_H
#define SLUICE_PLUGIN_QUEUES_LIMIT_H

#include <stdbool.h>

/*
 * What counts against a limit, of records that are there as soon as somebody names them: those for
 * which an object is there. A name costs no place, or whoever makes names up would take the places
 * of objects. Names are bounded all the same: each lives as long as somebody names it who is
 * counted himself.
 */

struct engine;
struct queues_room;

enum limited { LIMITED_QUEUES, LIMITED_LOCAL_QUEUES, LIMITED_GROUPS, LIMITED_KINDS };

/* Whether one object more may be shown: 0, or the error that names the limit. */
int limit_has_room(const struct engine *e, enum limited kind);

/* The object of a record is there now, or gone: known is the record's own mark of it. */
void limit_count(struct queues_room *queues, enum limited kind, bool *known, bool is);

const char *limit_check(const struct engine *e);

#endif
