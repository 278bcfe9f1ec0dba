/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_ASSIGNMENT_H
#define SLUICE_PLUGIN_RECORDS_ASSIGNMENT_H

#include "plugin/base/facts.h"
#include "plugin/base/amount.h"

#include <stdbool.h>
#include <stdint.h>

enum { ASSIGN_MAX_SETS = FACTS_MAX_SETS, ASSIGN_ATTEMPTS = 4 * FACTS_MAX_FLAVORS };

/* From the worst to the best. */
enum assign_how {
    ASSIGN_NO_FIT,     /* however many went, or because nobody may be sent away for it */
    ASSIGN_NO_VICTIMS, /* others would have to go, and there is nobody who could be sent */
    ASSIGN_PREEMPTS,   /* others of its own queue would go, perhaps beside those of other queues */
    ASSIGN_RECLAIMS,   /* others of other queues would */
    ASSIGN_FITS,
};

/* What the pods of a set ask for. */
struct assign_set {
    uint32_t count, minimum; /* of pods; equal: all of them or none */
    uint8_t need_count;
    struct request needs[FACTS_MAX_NEEDS]; /* of each pod, one `pods` among them */
    uint64_t refused[FACTS_MAX_GROUPS];    /* of each group, by their places: a bit for each flavor
                                              on whose nodes these pods cannot be */
};

/* What each pod of the set asks for of a resource. */
static inline int64_t assign_set_asks(const struct assign_set *set, uint32_t resource)
{
    for (uint32_t i = 0; i < set->need_count; i++) {
        if (set->needs[i].resource == resource)
            return set->needs[i].amount;
    }
    return 0;
}

/* Where the searches begin: the places of flavors in their groups. Zeros: at the first. */
struct assign_cursor {
    uint8_t place[ASSIGN_MAX_SETS][FACTS_MAX_GROUPS];
};

/* In which flavors a workload would get what its sets ask for (assign.h), and at what price. */
struct assignment {
    enum assign_how how;
    uint32_t height; /* from how far up anything of it is borrowed (borrow.h) */
    uint32_t counts[ASSIGN_MAX_SETS];
    struct assigned {
        uint16_t flavor; /* FLAVOR_NONE: nobody counts it, or the search ended before */
        uint8_t how, height;
    } needs[ASSIGN_MAX_SETS][FACTS_MAX_NEEDS];
    struct assign_cursor next; /* where the next attempt begins */
    bool goes_on;              /* the next attempt has flavors that this one did not come to */
};

#endif
