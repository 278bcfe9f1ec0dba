/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_GROUP_H
#define SLUICE_PLUGIN_PODS_GROUP_H

#include "group_parts.h"
#include "plugin/base/facts.h"
#include "plugin/base/list.h"
#include "plugin/base/outbox.h"
#include "plugin/base/tree.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Groups: a PodGroup that was seen, or that pods name or ask for, and its members.
 *
 *   group ─▶ members (claims), by rank ─▶ ... those that are ready, those that hold
 *     │
 *     ├──▶ finished: pods that ended, and still count
 *     └──▶ gang (gang.h): its minimum, which waits as one
 *
 * A pod that neither names a group nor asks for one has none: it is a group of its own, of which
 * nothing needs to be remembered. The group of a pod that only names its minimum is called after
 * the topmost controller's uid, so two controllers of one name never share it.
 *
 * A native group is a PodGroup of Kubernetes' own. Its scheduler brings all its members to a cycle,
 * or none as long as one is held: so all that are there are granted at once, whatever the minimum,
 * unless the host says that its scheduler takes them one by one. They need no assembly here. A
 * composite one is the CompositePodGroup at the top of a tree of such, and its members are the pods
 * of all PodGroups in it (group_parts.h).
 */
enum group_mode {
    GROUP_MISSING,    /* no PodGroup: its members are held */
    GROUP_MOVES,      /* it is about to name another queue: likewise */
    GROUP_INVALID,    /* it cannot be granted as it is: likewise */
    GROUP_INCOMPLETE, /* fewer are ready than lack to the minimum: likewise */
    GROUP_WAITS,      /* what lacks to the minimum waits as one */
    GROUP_WHOLE,      /* the minimum holds: who is beyond it waits alone */
};

enum group_fault {
    GROUP_SOUND,
    GROUP_BAD_MINIMUM,   /* is not a number above 0 */
    GROUP_ORDERED,       /* its owner makes the next pod when the one before it runs */
    GROUP_TWO_QUEUES,    /* its members are in different queues */
    GROUP_TWO_RANKS,     /* a native one's members are of another priority than it is */
    GROUP_TOO_DEEP,      /* its parts are deeper than a scheduler takes them */
    GROUP_TOO_MANY,      /* they ask for more resources than a pod may */
    GROUP_TOO_MUCH,      /* they ask together for more than can be counted */
    GROUP_OTHER_MINIMUM, /* a native one has another than its pods ask for, and is not ours */
};

struct group_amount {
    uint32_t resource;
    int64_t amount;
};

struct group {
    struct tree_link by_name;
    uint32_t space, name; /* names */
    struct group_words {
        uint32_t uid;               /* a name; 0: nobody has seen it */
        uint32_t queue;             /* of Volcano's, a name; 0: its members' own */
        uint32_t priority_class;    /* a name */
        struct group_amount *least; /* what the minimum needs at least */
        uint32_t least_count;
    } said;                  /* by its object */
    uint32_t home;           /* that queue, as long as the object is there; 0: none */
    bool not_selected;       /* that queue is not for its namespace */
    bool counts;             /* there, as one that is left in it */
    bool completed, inqueue; /* its object says so */
    bool known;
    bool ours;       /* its object says that we made it */
    bool at_once;    /* all that are there are granted together: of a native one */
    bool goes_whole; /* none of its members is evicted without the others */
    bool has_priority;
    uint8_t kind; /* enum group_kind */
    uint8_t mode, fault;
    int32_t minimum; /* of a composite one 0: its parts have theirs */
    int32_t priority;
    int64_t created;
    int64_t version;
    struct group_parts parts; /* of a composite one */
    bool misses_parts;        /* it is not complete */

    struct list claims; /* of its members, by rank */
    uint32_t members, ready, holding, reserved;
    uint32_t obeying;    /* members that obey the queues: the others are only counted there */
    uint32_t superseded; /* members that are held for that (group_follow.h) */
    int32_t to_come;     /* of the minimum were granted for those that take their place */
    uint32_t succeeded, failed;
    uint32_t entry; /* the claim that waits for the minimum; 0: none was needed so far */
    bool books;     /* for members that are still to be made, or holds room for them (booking.h) */

    uint32_t askers; /* tree of the members that ask for it (group_follow.h) */
    uint32_t asker;  /* the newest of them; 0: none */
    uint32_t marked; /* how many of them their owner supersedes */

    /* Of the controller of those that ask for it, as the one that was seen last says it. */
    bool ordered;
    int64_t replicas;

    /* Who is to own the PodGroup that they ask for. */
    struct group_owner {
        uint32_t api_version, kind, name, uid;
    } owner;
    bool owner_gone, was_made;
    /* The version over which a change of it is under way; and that which was changed, until another
     * one is seen; -1: none. */
    int64_t change_over, changed_over;

    /* The status that follows from the members, as one number; that which is written; and that
     * which was sent last, to be written over this version. */
    uint64_t status, written, sent;
    int64_t sent_over; /* -1: over another group of this name */
    struct outbox_entry effects;

    struct list_link todo; /* of those to be looked at before the call ends */
    bool is_todo;
    bool spread;     /* its members may be in different queues */
    bool never;      /* its minimum waits, and can never fit (news.h) */
    int64_t stirred; /* when its members last changed */

    /* On nodes (assembly.h). */
    bool in_line, letting_go, passed;
    bool no_nodes; /* the last attempt found none for a member */
    uint8_t tries; /* that failed */
    uint32_t at_permit;
    struct list_link turn; /* of those in line */
    int64_t turn_until, retry_at;
};

/* A claim's place in its group: plain pods need none. */
struct member {
    uint32_t group;
    struct list_link by_rank;
    int64_t named_at;        /* the pod's version in which its group's name was written */
    struct tree_link by_age; /* of the askers */
    struct member_own {
        uint32_t queue, flavors; /* names: where it would be without the group, and what its stamp
                                    says of flavors */
        uint32_t kind;           /* enum queue_kind */
        uint32_t priority_class; /* a name, and the minimum: what it asks of its group; */
        int32_t minimum;         /* 0: it does not ask for it */
        uint32_t part;           /* a name: its PodGroup, where its group is a composite one */
        bool superseded;         /* its owner has a newer template by now */
        bool stamped;            /* its stamp says where it was granted */
        bool not_selected;       /* its own queue is not for its namespace */
        bool held;               /* since it was seen, it lost what it held, and the lead ended */
    } own;
};

struct group_name {
    struct text space, name;
    enum group_kind kind;
};

struct intern;
struct claim;

/* All its pods have ended: nobody waits for it. */
static inline bool group_is_over(const struct group *group)
{
    return group->members == 0 && (group->completed || group->succeeded + group->failed > 0);
}

/* Nobody names it, and it was not seen. */
static inline bool group_is_unused(const struct group *group)
{
    return !group->known && group->members == 0 && group->succeeded + group->failed == 0;
}

/* How many more must be granted until its minimum is, or all that are there are. */
static inline int64_t group_lacks(const struct group *group)
{
    return group->at_once
               ? (int64_t)group->members - group->holding
               : (int64_t)group->minimum - group->holding - group->succeeded - group->to_come;
}

/* Whether more than one of its members may have to be granted together. */
static inline bool group_is_gang(const struct group *group)
{
    return group->at_once || group->minimum > 1;
}

/* Whether members of it may have to go together; and how many must stay where one goes alone. */
static inline bool group_goes_as_gang(const struct group *group)
{
    return group->known && (group->goes_whole || group->minimum > 1);
}

static inline int64_t group_keeps(const struct group *group)
{
    return group->goes_whole ? (int64_t)group->holding + group->succeeded : group->minimum;
}

static inline bool group_is_native(const struct group *group)
{
    return group->kind != GROUP_VOLCANO;
}

/* Whether its members are too few, and none of them is further than granted. */
static inline bool group_misses(const struct group *group)
{
    return group->at_once && group->members > 0 && group->holding == group->reserved &&
           (group->misses_parts || (int64_t)group->members + group->succeeded < group->minimum);
}

/* A status as a number, to be compared. condition: its type, status, reason and message. */
uint64_t group_status_number(struct text phase, const int64_t counts[3],
                             const struct text condition[FACTS_GROUP_CONDITION]);

/* Its PodGroup, as it is seen; enum seen, or negative on error. */
int group_see(struct engine *e, const struct group_facts *facts);

/* It is gone: that of this uid, or, without one, whichever it is. */
int group_lose(struct engine *e, const struct group_name *name, struct text uid);

/* The group that the pod belongs to: found or made; 0: none. Negative on error. */
int group_get(struct engine *e, const struct pod_facts *pod, uint32_t *ret_group);

/* What a pod, a member or to be one, that asks for its group says of its controller. */
void group_note_owner(struct engine *e, uint32_t group, const struct pod_facts *pod,
                      struct group_owner *owner);

/* Whose PodGroup a pod asks for: words that are then given to group_note_owner, or given back.
 * Negative on error. */
int group_read_owner(struct engine *e, const struct pod_facts *pod, struct group_owner *ret_owner);
void group_drop_owner(struct intern *names, struct group_owner *owner);

int group_get_named(struct engine *e, const struct group_name *name, uint32_t *ret_group);

/* Whoever looked for a group has no need of it: forgets one that was only made for that. One that
 * ceases to be used is touched, and ends when it is looked at. */
void group_drop_unused(struct engine *e, uint32_t group);

/* Its record goes. [it has no entry, and is in no line for nodes] */
void group_end(struct engine *e, uint32_t group);

/* All groups, by namespace and name. */
extern const struct tree_type groups_by_identity;

uint32_t group_find_named(const struct engine *e, const struct group_name *name);

/* One of Volcano's. */
uint32_t group_find(const struct engine *e, struct text space, struct text name);

/* Nothing of its own holds the member back, and it was granted nothing. */
bool group_is_ready(const struct claim *claim);

/* A newer pod takes the member's place, and that is what holds it (group_follow.h). */
bool group_is_superseded(const struct claim *claim);

/* When an effect of the group is due; INT64_MAX: none is. */
void group_wake_at(struct engine *e, uint32_t group, int64_t at);

/* Something about the group changed: it is looked at before the call ends. */
void group_touch(struct engine *e, uint32_t group);

/* It need not be, or is. */
void group_untouch(struct engine *e, uint32_t group);

/* Looks at all groups that changed: what is granted, given back, said and asked for follows from
 * what they are now. */
void group_settle(struct engine *e);

/* Gives back what an object said. */
void group_drop_words(struct engine *e, struct group_words *said);
void group_release_all(struct engine *e);

const char *group_check(const struct engine *e, uint32_t group);

#endif
