/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_GANG_WORLD_H
#define SLUICE_T_ORACLE_GANG_WORLD_H

#include "plugin/telling/report.h"
#include "t/oracle/step.h"

/*
 * Pods and PodGroups as the API server has them, and what becomes of a write: a version each time,
 * and whoever names an older one has lost the race. Pods are made by owners, from what these say at
 * that time: a queue, a minimum, an amount. It knows no engine.
 *
 * In some worlds the groups are Kubernetes' own: a pod names its group from the beginning, and for
 * good, and a group says a minimum and nothing else.
 */
enum { GANG_OWNERS = 3, GANG_PODS = 14, GANG_GROUPS = 4, GANG_QUEUES = 3, GANG_TEXT = 48 };

/* An owner's template, and what a PodGroup says. */
struct gang_spec {
    int queue, minimum, cpu; /* minimum 0: its pods are alone */
};

struct gang_owner {
    bool is;
    int life; /* which of those that had the name */
    struct gang_spec spec;
};

struct gang_pod {
    bool is;
    int number, life, owner;
    int64_t version, generation, created, stamp;
    int granted_in; /* the queue that its stamp names; -1: none */
    struct gang_spec spec;
    bool names_user_group; /* a PodGroup that no engine makes */
    char group[GANG_TEXT]; /* that it names */
    bool gated, opted_out, unschedulable, bound, finished;
};

struct gang_group {
    bool is;
    char name[GANG_TEXT];
    int life, owner; /* owner -1: a user's */
    int64_t version, created;
    struct gang_spec spec;
    char phase[GANG_TEXT], condition[FACTS_GROUP_CONDITION][VERDICT_MESSAGE_MAX];
    int64_t counts[3];
};

struct gang_world {
    int64_t now, version;
    enum group_kind kind; /* of all groups */
    struct gang_owner owners[GANG_OWNERS];
    struct gang_pod pods[GANG_PODS], pods_before[GANG_PODS]; /* before their last change */
    struct gang_group groups[GANG_GROUPS], groups_before[GANG_GROUPS];
};

/* What the host was told to do, and with what: the effect's own texts end with the call. */
struct gang_request {
    int64_t id;
    enum effect_kind kind;
    int pod, group; /* a pod's number, a group's place; -1: none, or not known (any more) */
    int life;       /* of that object; -1: it is to be made */
    int64_t version;
    struct removal_patch patch; /* without flavors and queue */
    int granted_in;
    char name[GANG_TEXT]; /* of the group */
    int owner, owner_life;
    struct gang_spec spec;
    struct gang_group status; /* phase, counts, condition */
    bool allow;
};

/* Texts live until the end. */
const char *gang_world_uid(int number, int life);
extern const char *const gang_world_queues[GANG_QUEUES];

/* Its number; -1: none is called so. */
int gang_world_find_queue(struct text name);

/* The name of the PodGroup that a pod asks for; NULL: none. */
const char *gang_world_asked(const struct gang_pod *pod, char text[GANG_TEXT]);

/* By name; NULL: there is none. */
struct gang_group *gang_world_group(struct gang_world *world, const char *name);

/* What is to be written into the group, as one of this world's can have it. */
struct gang_spec gang_world_spec(const struct gang_world *world, const struct gang_spec *asked);

/* Each owner's has a place, and the user's. */
int gang_world_place(const struct gang_group *group);

/* The object is about to have a new version. */
struct gang_pod *gang_world_change(struct gang_world *world, int pod);
struct gang_group *gang_world_change_group(struct gang_world *world, struct gang_group *group);

/* A pod of this owner in the place of one that is not there; the owner goes, and all that is its.
 */
void gang_world_make(struct gang_world *world, int pod, int owner);
void gang_world_remove_owner(struct gang_world *world, int owner);

void gang_world_pod_facts(const struct gang_world *world, const struct gang_pod *pod,
                          struct pod_facts *ret);
void gang_world_group_facts(const struct gang_world *world, const struct gang_group *group,
                            struct group_facts *ret);

void gang_world_read(const struct gang_world *world, const struct effect *effect,
                     struct gang_request *ret);

/* Carries out a write, as the host and the API server would. ret_version: what it made. */
enum effect_result gang_world_write(struct gang_world *world, const struct gang_request *request,
                                    int64_t *ret_version);

#endif
