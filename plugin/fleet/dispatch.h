/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_FLEET_DISPATCH_H
#define SLUICE_PLUGIN_FLEET_DISPATCH_H

#include "plugin/base/facts.h"
#include "plugin/base/list.h"
#include "plugin/base/outbox.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

enum dispatch_flag {
    DISPATCH_KNOWN = 1 << 0, /* the manager's workload was seen; else only replicas of it */
    DISPATCH_RESERVED = 1 << 1,
    DISPATCH_READY = 1 << 2,   /* its other checks are */
    DISPATCH_OVER = 1 << 3,    /* finished, inactive, or about to go */
    DISPATCH_READ = 1 << 4,    /* its memory was read */
    DISPATCH_DOUBT = 1 << 5,   /* a writing may still be under way that nobody waits for */
    DISPATCH_AWAITS = 1 << 6,  /* was written by us, and is to be seen before anything is decided */
    DISPATCH_BOUND = 1 << 7,   /* its cluster was written, and it is to be seen with it */
    DISPATCH_RETRIED = 1 << 8, /* its retry was written, " */
    DISPATCH_TODO = 1 << 9,
    DISPATCH_BAD_TIMEOUT = 1 << 10, /* its annotation says what is no span of time */
    DISPATCH_UNEXPLAINED = 1 << 11, /* one of its replicas may be */
};

/* What the object itself said. */
#define DISPATCH_OBJECT (DISPATCH_KNOWN | DISPATCH_RESERVED | DISPATCH_READY | DISPATCH_OVER)

/* Which replicas there should be. */
enum plan {
    PLAN_WAIT, /* its workload is not known, and may only be late: leaves all as it is */
    PLAN_NONE,
    PLAN_ANY,  /* one in each nominated cluster */
    PLAN_KEEP, /* one was admitted, and the workload does not say so yet: no new ones */
    PLAN_ONE,  /* the one in its cluster, for good */
};

/* What the orchestrator is at (phase.h). */
enum phase { PHASE_REST, PHASE_NOTING, PHASE_WRITING, PHASE_OPENING };

/* A replica whose workload is not known may only have been seen before it. */
#define ORPHAN_NANOSECONDS (INT64_C(60) * 1000000000)

/* The slots of its effects. */
enum { DISPATCH_WRITE_MEMORY, DISPATCH_SET_CLUSTER, DISPATCH_RETRY, DISPATCH_EFFECTS };

/* What its object says that somebody counts the users of. */
struct dispatch_details {
    uint32_t uid;
    uint32_t cluster;    /* the worker where it is for good; 0: none yet */
    uint32_t gate_count; /* of its own */
    uint32_t gates[FACTS_MAX_PREEMPTION_GATES];
};

/* A workload of the manager's, which is dispatched to worker clusters. */
struct dispatch {
    struct tree_link link; /* among all, by namespace and name */
    uint32_t space, name;
    uint16_t flags;
    uint8_t plan, phase;
    struct dispatch_details said;
    uint32_t places, ranked; /* trees of replicas */
    struct list_link todo;
    int64_t version;
    int64_t timeout;  /* its own; 0: the configured one */
    int64_t orphaned; /* its workload is not known since */

    /* No gate was opened after this time, whoever opened it. 0: never. Of that, what no replica
     * remembers. */
    int64_t counted, past;
    int64_t noted;   /* the oldest signal that is written down */
    uint64_t memory; /* a hash of the text that was read */
    uint32_t fresh;  /* whom another manager was about to open; 0: nobody */
    uint32_t target; /* the replica whose gate is being opened */
    int64_t opening; /* the time that is written down for the target */
    struct outbox_entry effects;
};

struct fleet;

extern const struct tree_type dispatches_by_name;

/* Finds the workload or makes one that was not seen. Negative on error. */
int dispatch_get(struct fleet *f, struct text space, struct text name, uint32_t *ret_dispatch);
uint32_t dispatch_find(const struct fleet *f, struct text space, struct text name);

/* Ends it if it is not known and has no replicas. */
void dispatch_release(struct fleet *f, uint32_t dispatch);

/* Gives back what the details name. */
void dispatch_release_details(struct fleet *f, const struct dispatch_details *details);

/* The workload changed, or something in its clusters: it is decided about in one of the next
 * slices. */
void dispatch_todo(struct fleet *f, uint32_t dispatch);

/* It has been, or goes. */
void dispatch_drop_todo(struct fleet *f, uint32_t dispatch);

static inline bool dispatch_is(const struct dispatch *dispatch, uint16_t flags)
{
    return (dispatch->flags & flags) == flags;
}

static inline void dispatch_set(struct dispatch *dispatch, uint16_t flag, bool set)
{
    dispatch->flags = (uint16_t)(set ? dispatch->flags | flag : dispatch->flags & ~flag);
}

/* A gate may have been opened as late as this. */
static inline void dispatch_count(struct dispatch *dispatch, int64_t until)
{
    if (until > dispatch->counted)
        dispatch->counted = until;
}

#endif
