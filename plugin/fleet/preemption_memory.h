/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_PREEMPTION_MEMORY_H
#define SLUICE_PLUGIN_FLEET_PREEMPTION_MEMORY_H

#include "plugin/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a manager must not forget about a workload's preemptions, as the text of an annotation of
 * that workload: who was opened, when, and since when who signals. Words, one space between them:
 *
 *     v1 PAST CLUSTER,UID,SIGNAL,OPENED CLUSTER,UID,SIGNAL,OPENED ...
 *
 * PAST: no gate that is not named here was opened after this. Times are nanoseconds of the
 * manager's clock, 0: never, no signal. UID is that of the replica, or - where the one that was
 * opened is not known any more.
 *
 * An opening is written down before it is carried out, which may take until OPENED and
 * OPENING_WINDOW. A text that cannot be read may have said anything: it counts as an opening at
 * the time at which it is read. (fleet_memory_text writes it.)
 */
#define PREEMPTION_MEMORY_ANNOTATION "sluice.sh/preemption-memory"
#define OPENING_WINDOW (INT64_C(30) * 1000000000)

struct opening {
    struct text worker, uid;
    int64_t signal, opened;
};

/* The version and PAST; moves *rest behind them. False: it is none. */
bool preemption_memory_parse_head(struct text *rest, int64_t *ret_past);

/* The next note; false at the end, and if there is none: then *rest is not empty. */
bool preemption_memory_parse_note(struct text *rest, struct opening *ret);

struct fleet;

/* The workload's memory was seen. */
void preemption_memory_read(struct fleet *f, uint32_t dispatch, struct text text);

#endif
