/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_ORACLE_STEP_H
#define SLUICE_T_ORACLE_STEP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Times of all histories are in nanoseconds. */
#define SECOND INT64_C(1000000000)

/*
 * A step of a history: one thing that happens to the engine, as a row of numbers. Nothing in a
 * step refers to an earlier one, so any subset of a history is a history: that is what lets it
 * shrink. On paper it is a line, with the fields that are not at their default:
 *
 *     queue kind=0 name=2 cap.cpu=4
 *     see uid=7 name=3 created=12 gates=1 queue=3 cpu=2
 *
 * Names are numbers: see world.h for what they stand for.
 */
enum step_kind {
    STEP_CONFIG,
    STEP_SEE,
    STEP_ENQUEUE,
    STEP_LOSE,
    STEP_PRE_FILTER,
    STEP_POST_FILTER,
    STEP_RESERVE,
    STEP_UNRESERVE,
    STEP_POST_BIND,
    STEP_QUEUE,
    STEP_LOSE_QUEUE,
    STEP_FLAVOR,
    STEP_LOSE_FLAVOR,
    STEP_NODE,
    STEP_LOSE_NODE,
    STEP_GROUP,
    STEP_LOSE_GROUP,
    STEP_SYNCED,
    STEP_LEADER,
    STEP_TIME,
    STEP_LEASE,
    STEP_ACK,
    STEP_RESTART,
    STEP_COMMAND,
    STEP_LOSE_COMMAND,
    STEP_WORD, /* somebody else writes a queue's state */
    STEP_SHOW, /* the host hears of what was written */
    STEP_LOCAL,
    STEP_LOSE_LOCAL,
    STEP_CHECK,
    STEP_LOSE_CHECK,
    STEP_WORKLOAD, /* is made, or its spec edited */
    STEP_TOUCH,    /* somebody else does something to it */
    STEP_SIGHT,    /* the host hears of it, perhaps of what it was before */
    STEP_CARRY,    /* the host carries out what it was told to write into it */
    STEP_CALM,     /* the host does, and hears of, all that there is */
    STEP_KINDS
};

enum { RESOURCES = 4, FLAVORS = 3 };

enum config_field {
    CONFIG_REMOVAL,
    CONFIG_MANAGE_ALL,
    CONFIG_ROOT,
    CONFIG_ROOT_AMOUNT,
    CONFIG_UNDECLARED = CONFIG_ROOT_AMOUNT + RESOURCES,
    CONFIG_OBSERVE_ONLY,
    CONFIG_WRITES, /* the host writes the states of Volcano's queues */
    CONFIG_EVICTS, /* the host evicts pods */
    CONFIG_ADMITS, /* workloads get their quota here */
    CONFIG_GATES   /* preemption gates of workloads count */
};

enum pod_field {
    POD_UID,
    POD_SYSTEM, /* in the namespace kube-system */
    POD_CREATED,
    POD_PRIORITY,
    POD_GENERATION,
    POD_VERSION,
    POD_FOREIGN_SCHEDULER,
    POD_GATES,   /* ours */
    POD_FOREIGN, /* other gates */
    POD_OPTED_IN,
    POD_QUEUE,           /* 0: none, else the name's number and 1 */
    POD_NAMESPACE_QUEUE, /* 0: none, else the number and 1 of the name that its namespace gives */
    POD_KIND,            /* 1: the queue is a ClusterQueue */
    POD_NOT_SELECTED,    /* 1: that queue is not for its namespace */
    POD_GROUP,
    POD_STAMP,
    POD_STAMPED_IN, /* 0: the stamp names no queue; else that queue's number and 1 */
    POD_STAMPED,    /* for each resource: 0: none, else the flavor and 1 */
    POD_REQUEST = POD_STAMPED + RESOURCES,  /* `pods` is never asked for in words */
    POD_NODE = POD_REQUEST + RESOURCES - 1, /* 0: none, else its number and 1 */
    POD_NOMINATED,
    POD_FINISHED,
    POD_DELETED,
    POD_UNSCHEDULABLE,
    POD_DAEMON,
    POD_MIRROR
};

/* QUEUE_COMMAND: what the state of the object says. A mark is such a word and 1; 0: none. */
enum { SAYS_OPEN, SAYS_SUSPENDED, SAYS_CLOSED, SAYS_CLOSING, SAYS_UNKNOWN, SAYS_NOTHING, WORDS };

enum queue_field {
    QUEUE_KIND,
    QUEUE_NAME,
    QUEUE_PARENT, /* 0: none, else the name's number and 1 */
    QUEUE_PRIORITY,
    QUEUE_STRICT,
    QUEUE_COMMAND,
    QUEUE_CLOSED_BY,
    QUEUE_SUSPENDED_BY,
    QUEUE_CREATED_SUSPENDED,
    QUEUE_OBJECT, /* which of the objects that had the name */
    QUEUE_VERSION,
    QUEUE_BORROWS_LAST,
    QUEUE_CAPABILITY,
    QUEUE_DESERVED = QUEUE_CAPABILITY + RESOURCES,
    QUEUE_GUARANTEE = QUEUE_DESERVED + RESOURCES,
    QUEUE_GROUP = QUEUE_GUARANTEE + RESOURCES, /* for each resource: 0: none, else 1 or 2 */
    QUEUE_ORDER =
        QUEUE_GROUP + RESOURCES,     /* for each group: its flavors, 312: third, first, second */
    QUEUE_NOMINAL = QUEUE_ORDER + 2, /* for each flavor and resource */
    QUEUE_BORROWING = QUEUE_NOMINAL + FLAVORS * RESOURCES,
    QUEUE_LENDING = QUEUE_BORROWING + FLAVORS * RESOURCES,
    QUEUE_WITHIN = QUEUE_LENDING + FLAVORS * RESOURCES, /* enum preempt_whom */
    QUEUE_RECLAIM,                                      /* enum preempt_whom */
    QUEUE_BORROWS,                                      /* 1: also while it borrows, 2: from low */
    QUEUE_UNRECLAIMABLE,
    QUEUE_STOP,          /* stopPolicy: 1: Hold, 2: HoldAndDrain */
    QUEUE_PREEMPTS_LAST, /* whenCanPreempt: TryNextFlavor */
    QUEUE_BORROWS_LEAST, /* preference: PreemptionOverBorrowing */
    QUEUE_CHECKS, /* for each check: 0: not wanted, 1: of everybody, else of a flavor and 2 */
    QUEUE_FIELDS = QUEUE_CHECKS + 2
};

enum flavor_field { FLAVOR_NUMBER, FLAVOR_LABELLED, FLAVOR_TOLERATED, FLAVOR_TAINTED };
enum local_field { LOCAL_NUMBER, LOCAL_QUEUE, LOCAL_STOP, LOCAL_UNSELECTED };
enum check_field { CHECK_NUMBER, CHECK_INACTIVE };
enum workload_field {
    WORKLOAD_NUMBER,
    WORKLOAD_OBJECT, /* which of two that had the name */
    WORKLOAD_CREATED,
    WORKLOAD_PRIORITY,
    WORKLOAD_LOCAL,
    WORKLOAD_INACTIVE,
    WORKLOAD_YIELDS,
    WORKLOAD_GATES, /* how many */
    WORKLOAD_UNSUPPORTED,
    WORKLOAD_COUNT,                        /* of two pod sets; 0: there is no such */
    WORKLOAD_MINIMUM = WORKLOAD_COUNT + 2, /* 0: as the count */
    WORKLOAD_ASKS = WORKLOAD_MINIMUM + 2,  /* for each set and resource */
    WORKLOAD_SELECTS = WORKLOAD_ASKS + 2 * (RESOURCES - 1), /* 0: nothing, else a flavor and 1 */
    WORKLOAD_TOLERATES = WORKLOAD_SELECTS + 2,
    WORKLOAD_LATE = WORKLOAD_TOLERATES + 2 /* the host is to hear of it */
};
enum touch {
    TOUCH_OPEN, /* of a gate */
    TOUCH_CLOSE,
    TOUCH_STRAY, /* one that there is not */
    TOUCH_FINISH,
    TOUCH_STOP,   /* its job, which is another object */
    TOUCH_ANSWER, /* of a check */
    TOUCH_DELETE,
    TOUCH_REMOVE,
    TOUCH_EVICT,   /* for a reason that is not ours */
    TOUCH_RESERVE, /* by another leader: in a flavor, of a queue */
    TOUCH_SIGNAL
};
enum touch_field { TOUCH_NUMBER, TOUCH_WHAT, TOUCH_WHICH, TOUCH_STATE, TOUCH_LATE };
enum sight_field { SIGHT_NUMBER, SIGHT_OLD };
/* What becomes of a write. Who lost a race hears so whatever is said here. */
enum carry {
    CARRY_DONE,
    CARRY_DONE_UNSAID, /* without an answer */
    CARRY_DONE_RETRY,  /* the answer is lost, and the host says that it failed */
    CARRY_NEVER,       /* neither is done, nor answered */
    CARRY_RETRY,       /* it failed */
    CARRY_REFUSED,     /* the API server does not take it as it is */
    CARRIES
};
enum carry_field { CARRY_NUMBER, CARRY_RESULT, CARRY_LATE };
enum node_field { NODE_NUMBER, NODE_LABEL, NODE_AMOUNT };
/* ACK_UID: a pod's uid, a queue's name, a command's uid. */
enum ack_field { ACK_UID, ACK_KIND, ACK_RESULT, ACK_OBJECT, ACK_VERSION };
enum command_field { COMMAND_UID, COMMAND_CREATED, COMMAND_ACTION, COMMAND_TARGET };
enum word_field { WORD_NAME, WORD_STATE, WORD_CLOSED_BY, WORD_SUSPENDED_BY };
enum show_field { SHOW_NAME, SHOW_LATE };
enum group_field {
    GROUP_NUMBER,
    GROUP_UID, /* which of two */
    GROUP_CREATED,
    GROUP_MINIMUM,
    GROUP_QUEUE,        /* 0: none, else the name's number and 1 */
    GROUP_NOT_SELECTED, /* 1: that queue is not for its namespace */
    GROUP_PRIORITY,
    GROUP_LEAST,
    GROUP_PHASE = GROUP_LEAST + RESOURCES - 1, /* as its status says */
    GROUP_GOES_WHOLE,
    GROUP_WANTS_PARTS, /* of a composite one: how many */
    GROUP_PART         /* for each: how many pods it wants; 0: it is not there */
};
enum { PHASE_OTHER, PHASE_COMPLETED, PHASE_INQUEUE };

enum { STEP_FIELDS = QUEUE_FIELDS };

/* An amount that is not said. */
#define UNSAID INT64_MIN

struct step {
    enum step_kind kind;
    int64_t v[STEP_FIELDS];
};

/* All fields at their defaults. */
struct step step_make(enum step_kind kind);

/* All but the first one, which is this number. */
struct step step_of(enum step_kind kind, int64_t first);

/* With all these fields. */
struct step step_from(enum step_kind kind, const int64_t fields[STEP_FIELDS]);

void step_print(FILE *out, const struct step *step);

/* False: the line is no step. */
bool step_parse(const char *line, struct step *ret_step);

struct history {
    struct step *steps;
    uint32_t count, cap;
};

void history_add(struct history *history, const struct step *step);
void history_finish(struct history *history);

#endif
