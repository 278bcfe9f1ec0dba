/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ENGINE_KIT_WORDS_H
#define SLUICE_T_ENGINE_KIT_WORDS_H

#include "plugin/engine.h"

#include <stdbool.h>

/* Facts from the words of t/kit/engine_kit.h. What is returned points into the words. False: a word
 * is not known. */

enum { WORDS_MAX_GROUPS = 4, WORDS_MAX_FLAVORS = 4, WORDS_MAX_QUOTAS = 8, WORDS_MAX_PARTS = 8 };

struct words_queue {
    struct queue_facts queue;
    struct resource_group groups[WORDS_MAX_GROUPS];
    struct group_flavor flavors[WORDS_MAX_GROUPS][WORDS_MAX_FLAVORS];
    struct queue_check_facts checks[FACTS_MAX_CHECKS];
    struct flavor_quota quotas[WORDS_MAX_GROUPS][WORDS_MAX_FLAVORS][WORDS_MAX_QUOTAS];
};

/* key=value, or a bare key. */
struct word {
    struct text key, value;
    int64_t number;
};

/* The next word; false at the end. */
bool words_next(const char **at, struct word *ret);

/* The resource of a word "PREFIX.RES=N"; false if it is none. */
bool words_resource(const struct word *word, const char *prefix, struct text *ret_resource);
bool words_add_amount(struct named_amounts *amounts, struct text resource, int64_t amount);

bool words_to_config(const char *words, struct engine_config *ret, bool *ret_standby);
bool words_to_queue(const char *words, enum queue_kind kind, struct words_queue *ret);
bool words_to_pod(const char *words, struct pod_facts *ret);
bool words_to_group(const char *words, struct part_facts parts[WORDS_MAX_PARTS],
                    struct group_facts *ret);
bool words_to_node(const char *words, struct label *labels, struct node_facts *ret);
bool words_to_flavor(const char *words, struct flavor_facts *ret);

/* What a pod says of its group. */
bool words_member_pod(const struct word *word, struct pod_facts *pod);

/* Whether the verb is that of a group that is gone. */
bool words_lost_group(struct text verb, enum group_kind *ret_kind);

/* Its error, or 0. */
struct kit;
int kit_see_group(struct kit *kit, const char *words, bool *ret_known);

#endif
