/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_RECORDS_SOURCE_H
#define SLUICE_PLUGIN_RECORDS_SOURCE_H

#include "plugin/base/pairing.h"

#include <stdint.h>

/* A queue, as one that a search's candidates come from (candidates.h). All of its candidates have
 * the same place. */
enum candidate_place { CANDIDATE_BY_SHARE, CANDIDATE_BY_PRIORITY, CANDIDATE_OF_OWN_QUEUE };

struct source {
    struct pairing_link link; /* in the search's heap of those that have candidates left */
    uint32_t also;            /* the one that was found before it and had any; 0: none */
    uint64_t hunt;            /* the last search in which it was one */
    uint32_t common; /* the lowest queue above it and the asking one's queue; 0: it is that */
    uint32_t next;   /* the claim that would go next; 0: none is left */
    enum candidate_place place;
};

#endif
