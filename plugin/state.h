/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_STATE_H
#define SLUICE_PLUGIN_STATE_H

#include "engine.h"
#include "plugin/base/heap.h"
#include "plugin/base/index.h"
#include "plugin/base/intern.h"
#include "plugin/base/outbox.h"
#include "plugin/base/slab.h"
#include "plugin/base/tree.h"
#include "plugin/capacity/flavor.h"
#include "plugin/capacity/node.h"
#include "plugin/claims/claim.h"
#include "plugin/claims/recount.h"
#include "plugin/claims/workload.h"
#include "plugin/grant/demote.h"
#include "plugin/grant/promise.h"
#include "plugin/order/backlog.h"
#include "plugin/order/demand.h"
#include "plugin/order/line.h"
#include "plugin/order/size_class.h"
#include "plugin/pods/finished.h"
#include "plugin/pods/group.h"
#include "plugin/pods/stop_notice.h"
#include "plugin/queues/command.h"
#include "plugin/queues/limit.h"
#include "plugin/queues/queue.h"
#include "plugin/telling/journal.h"
#include "plugin/telling/report.h"
#include "plugin/workloads/local_queue.h"

/* What an engine is made of; for the modules of this folder. */
struct engine {
    struct mem mem;
    struct engine_config config; /* its texts are interned */
    struct outbox outbox;        /* a fleet of the same handle may share it */
    uint32_t scheduler_names[ENGINE_MAX_SCHEDULERS];
    int64_t now;
    bool synced, leads;

    struct intern names;
    uint32_t name_pods;

    uint32_t counted[LIMITED_KINDS]; /* of which an object is there (limit.h) */
    struct slab queues;
    struct index queues_by_name;
    uint32_t queues_in_order; /* tree, by kind and name */
    uint32_t volcano_root, default_queue;
    struct {
        uint32_t first, last;
    } todo[TODO_LISTS];
    uint32_t misplaced; /* how many queues are */
    struct demotion demotion;
    struct recount recount;
    struct heap queue_timers;
    struct stop_notice stop_notice;
    struct commands commands;
    struct heap guard_timers;

    struct slab lines;
    struct slab crowds;
    struct index lines_by_needs;
    struct slab size_classes;
    struct index size_classes_by_needs;
    struct slab backlogs;

    struct slab claims;
    struct index claims_by_uid;
    struct index claims_by_name;
    struct heap timers;
    uint32_t restoring; /* tree of claims, by stamp */
    uint32_t entries;   /* claims that are no pods, but wait for a group's minimum */

    struct promises promises;
    uint64_t victims_changes; /* how often something changed that may let somebody find victims */

    struct slab groups;
    struct slab members;
    struct heap group_timers; /* of their effects */
    struct index groups_by_name;
    uint32_t groups_in_order; /* tree, by namespace and name */
    struct slab finished;
    struct index finished_by_uid;
    uint32_t assembling; /* the group whose turn it is on nodes */
    uint32_t first_in_line, last_in_line;
    uint32_t first_touched, last_touched; /* groups to be looked at before the call ends */

    struct slab flavors;
    uint64_t placements; /* changes with what is known of flavors, and of which ones queues have */
    struct slab nodes;
    struct index nodes_by_name;

    struct slab workloads;
    struct index workloads_by_name;
    struct heap workload_timers;
    uint32_t first_promised, last_promised; /* workloads, in order of time */
    uint32_t workloads_left, workloads_at;  /* those that are to be settled again; the last one */
    uint64_t workload_changes;
    uint64_t workload_hunts,
        workload_moves;       /* how many searches for victims there were; how often one was
                                        taken out of its queue, or put back */
    uint32_t workloads_apart; /* that count otherwise later than now */
    struct slab demands;
    uint32_t gated_demands; /* in which somebody waits */
    struct index demands_by_text;
    struct slab local_queues;
    struct index local_queues_by_name;
    uint32_t local_queues_in_order; /* tree, by namespace and name */
    struct slab checks;
    struct index checks_by_name;

    uint32_t serials, serials_before; /* how many claims there were; before this call */

    struct journal journal;
};

static inline struct queue *queue_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->queues, id);
}

static inline struct line *line_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->lines, id);
}

static inline struct crowd *crowd_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->crowds, id);
}

static inline struct size_class *size_class_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->size_classes, id);
}

static inline struct backlog *backlog_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->backlogs, id);
}

/* What a line asks for, and for whom: as its kind does, but for the amounts. */
static inline uint32_t line_queue(const struct engine *e, const struct line *line)
{
    return size_class_at(e, line->kind)->queue;
}

static inline bool line_bare(const struct engine *e, const struct line *line)
{
    return size_class_at(e, line->kind)->bare;
}

static inline uint8_t line_count(const struct engine *e, const struct line *line)
{
    return size_class_at(e, line->kind)->count;
}

static inline uint32_t line_resource(const struct engine *e, const struct line *line, uint32_t need)
{
    return size_class_at(e, line->kind)->needs[need].resource;
}

static inline int64_t line_amount(const struct engine *e, const struct line *line, uint32_t need)
{
    return needs_amount(&line->needs, size_class_at(e, line->kind), need);
}

/* Of the line and those of the heads below its own in the kind's tree. */
static inline int64_t line_least(const struct engine *e, const struct line *line, uint32_t need)
{
    return needs_least(&line->needs, size_class_at(e, line->kind), need);
}

static inline struct claim *claim_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->claims, id);
}

/* The line of a claim; NULL for 0. */
static inline struct line *claim_line(const struct engine *e, uint32_t claim)
{
    return claim == 0 ? NULL : line_at(e, claim_at(e, claim)->line);
}

static inline struct command *command_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->commands.records, id);
}

static inline struct pledge *pledge_at(const struct engine *e, uint32_t claim)
{
    return slab_at(&e->promises.pledges, claim);
}

static inline struct group *group_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->groups, id);
}

static inline struct member *member_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->members, id);
}

/* 0: none. */
static inline uint32_t claim_group(const struct engine *e, const struct claim *claim)
{
    return claim->member == 0 ? 0 : member_at(e, claim->member)->group;
}

/* The claim that comes after this one in its group. */
static inline uint32_t member_after(const struct engine *e, uint32_t claim)
{
    return member_at(e, claim_at(e, claim)->member)->next;
}

static inline struct finished *finished_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->finished, id);
}

static inline struct node *node_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->nodes, id);
}

static inline struct workload *workload_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->workloads, id);
}

static inline struct demand *demand_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->demands, id);
}

static inline struct local_queue *local_queue_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->local_queues, id);
}

static inline struct check_record *check_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->checks, id);
}

static inline struct text name_text(const struct engine *e, uint32_t name)
{
    return intern_view(&e->names, name);
}

/* Interns a text, with one more user; 0 if there is no memory. Negative on error. */
static inline int name_get(struct engine *e, struct text text, uint32_t *ret_name)
{
    if (intern_get(&e->names, text.at, text.len, ret_name) == 0)
        return 0;
    *ret_name = 0;
    return ENGINE_NO_MEMORY;
}

/* Whether the host carries out effects of this kind. */
static inline bool engine_asks(const struct engine *e, enum effect_kind kind)
{
    return kind < EFFECT_ALWAYS || kind >= EFFECT_FLEET || config_names_effect(&e->config, kind);
}

/* Whether room is made for one claim by another. */
static inline bool engine_preempts(const struct engine *e)
{
    return config_names_effect(&e->config, EFFECT_EVICT_POD) && !e->config.observe_only;
}

/* Whether workloads are admitted here. */
static inline bool engine_admits(const struct engine *e)
{
    return config_names_effect(&e->config, EFFECT_WRITE_WORKLOAD);
}

/* Grants are given: the listing is complete, this engine leads, and what a restart found granted is
 * settled. */
static inline bool engine_grants(const struct engine *e)
{
    return e->synced && e->leads && e->restoring == 0;
}

/* The trees that claims are in: by rank where they wait, by stamp where they hold. */
extern const struct tree_type claims_by_rank;
extern const struct tree_type claims_by_stamp;

#endif
