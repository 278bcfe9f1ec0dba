/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_WORLD_H
#define SLUICE_T_ORACLE_WORLD_H

#include "plugin/telling/report.h"
#include "t/oracle/step.h"

/* What the numbers in a step stand for, and steps as the engine's facts. A small world: whatever
 * can collide does. */
enum { GROUP_NATIVE_ONE = 2, GROUP_COMPOSITE_ONE, GROUPS };

/* Two of them are Kubernetes' own. */
static inline bool world_is_native(int group)
{
    return group >= GROUP_NATIVE_ONE;
}

static inline bool world_is_composite(int group)
{
    return group == GROUP_COMPOSITE_ONE;
}

static inline enum group_kind world_group_kind(int group)
{
    return world_is_composite(group) ? GROUP_COMPOSITE
           : world_is_native(group)  ? GROUP_NATIVE
                                     : GROUP_VOLCANO;
}

/* The part of a composite group that a pod would be in; the last one is not below it. */
enum { PARTS = 2 };

static inline int world_part(int uid)
{
    return uid % (PARTS + 1);
}

enum { UIDS = 40, NAMES = 25, QUEUE_NAMES = 10, NODES = 4, FLAVOR_DEFAULT = FLAVORS };
enum { CHECKS = 2 };
enum { COMMANDS = 10, ACTIONS = 5 /* the last one is unknown */ };

enum { NAME_ROOT, NAME_DEFAULT, NAME_FIRST };

extern const char *const world_resources[RESOURCES];
extern const char *const world_flavors[FLAVORS + 1]; /* the last: that of trees without flavors */
extern const char *const world_queues[QUEUE_NAMES];
extern const char *const world_uids[]; /* of UIDS; pods whose uids differ by NAMES have one name */
extern const char *const world_nodes[NODES];
extern const char *const world_groups[GROUPS];
extern const char *const world_checks[CHECKS];

/* -1: none has this text. */
int world_find(struct text text, const char *const *among, int count);
int world_find_resource(struct text text);
int world_find_flavor(struct text text);
int world_find_queue(struct text text);
int world_find_uid(struct text text);
int world_find_command(struct text uid);

/* The facts point into the view. */
struct pod_view {
    struct pod_facts facts;
    char stamped[128];
};

struct queue_view {
    struct queue_facts facts;
    struct resource_group groups[2];
    struct group_flavor flavors[2][FLAVORS];
    struct flavor_quota quotas[2][FLAVORS][RESOURCES];
    struct queue_check_facts checks[CHECKS];
};

struct node_view {
    struct node_facts facts;
    struct label label;
};

void world_pod_facts(const int64_t *fields, struct pod_view *ret_view);
void world_queue_facts(const int64_t *fields, struct queue_view *ret_view);
void world_group_facts(const int64_t *fields, struct group_facts *ret_facts);
void world_flavor_facts(const int64_t *fields, struct flavor_facts *ret_facts);
void world_node_facts(const int64_t *fields, struct node_view *ret_view);
void world_command_facts(const int64_t *fields, struct command_facts *ret_facts);
void world_config(const int64_t *fields, struct engine_config *ret_config);

/* What a stopPolicy does: 1: Hold, 2: HoldAndDrain. */
enum queue_state world_stop(int64_t field);

/* The flavors of a queue's group, in its order: how many, and which. [group is 0 or 1] */
int world_group_order(const int64_t *queue_fields, int group, int ret_flavors[FLAVORS]);

#endif
