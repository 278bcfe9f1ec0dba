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
#include "plugin/capacity/room.h"
#include "plugin/claims/journal.h"
#include "plugin/claims/pledge.h"
#include "plugin/claims/recount.h"
#include "plugin/claims/room.h"
#include "plugin/grant/demote.h"
#include "plugin/grant/room.h"
#include "plugin/order/backlog.h"
#include "plugin/order/demand.h"
#include "plugin/order/line.h"
#include "plugin/order/room.h"
#include "plugin/order/size_class.h"
#include "plugin/pods/finished.h"
#include "plugin/pods/group.h"
#include "plugin/pods/room.h"
#include "plugin/pods/stop_notice.h"
#include "plugin/queues/command.h"
#include "plugin/queues/limit.h"
#include "plugin/queues/room.h"
#include "plugin/records/claim.h"
#include "plugin/records/claim_need.h"
#include "plugin/records/queue.h"
#include "plugin/records/workload.h"
#include "plugin/telling/report.h"
#include "plugin/workloads/local_queue.h"
#include "plugin/workloads/room.h"

/* What an engine is made of: what all rooms use, and what each keeps. */
struct engine {
    struct mem mem;
    struct engine_config config; /* its texts are interned */
    struct outbox outbox;        /* a fleet of the same handle may share it */
    struct intern names;
    uint32_t name_pods; /* of the resource that each pod asks one of */
    int64_t now;
    bool synced, leads;

    struct capacity_room capacity;
    struct queues_room queues;
    struct claims_room claims;
    struct order_room order;
    struct grant_room grant;
    struct pods_room pods;
    struct workloads_room workloads;
    struct journal journal;
};

static inline struct queue *queue_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->queues.records, id);
}

static inline struct line *line_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->order.lines, id);
}

static inline struct crowd *crowd_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->order.crowds, id);
}

static inline struct size_class *size_class_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->order.size_classes, id);
}

static inline struct backlog *backlog_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->order.backlogs, id);
}

/* What a line asks for, and for whom: as its kind does, but for the amounts. */
static inline uint32_t line_queue(const struct engine *e, const struct line *line)
{
    return size_class_at(e, line->size_class)->queue;
}

static inline bool line_bare(const struct engine *e, const struct line *line)
{
    return size_class_at(e, line->size_class)->bare;
}

static inline uint8_t line_count(const struct engine *e, const struct line *line)
{
    return size_class_at(e, line->size_class)->count;
}

static inline uint32_t line_resource(const struct engine *e, const struct line *line, uint32_t need)
{
    return size_class_at(e, line->size_class)->needs[need].resource;
}

static inline int64_t line_amount(const struct engine *e, const struct line *line, uint32_t need)
{
    return needs_amount(&line->needs, size_class_at(e, line->size_class), need);
}

/* Of the line and those of the heads below its own in the kind's tree. */
static inline int64_t line_least(const struct engine *e, const struct line *line, uint32_t need)
{
    return needs_least(&line->needs, size_class_at(e, line->size_class), need);
}

static inline struct claim *claim_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->claims.records, id);
}

/* Whether there is such a claim, and it is a workload. */
static inline bool claim_is_workload(const struct engine *e, uint32_t id)
{
    return id != 0 && claim_at(e, id)->workload != 0;
}

/* Whether this record is in use, by a pod or by the minimum of a gang. */
static inline bool claim_is_of_pods(const struct engine *e, uint32_t id)
{
    return slab_live(&e->claims.records, id) && claim_at(e, id)->workload == 0;
}

/* Whether this record is in use, by a pod. */
static inline bool claim_is_pod(const struct engine *e, uint32_t id)
{
    return claim_is_of_pods(e, id) && (claim_at(e, id)->flags & CLAIM_GANG) == 0;
}

/* The line of a claim; NULL for 0. */
static inline struct line *claim_line(const struct engine *e, uint32_t claim)
{
    return claim == 0 ? NULL : line_at(e, claim_at(e, claim)->line);
}

static inline struct command *command_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->queues.commands.records, id);
}

static inline struct pledge *pledge_at(const struct engine *e, uint32_t claim)
{
    return slab_at(&e->claims.promises.pledges, claim);
}

static inline struct group *group_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->pods.groups, id);
}

static inline struct member *member_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->pods.members, id);
}

/* 0: none. */
static inline uint32_t claim_group(const struct engine *e, const struct claim *claim)
{
    return claim->member == 0 ? 0 : member_at(e, claim->member)->group;
}

/* Whether the claim, when it waits, does so with its gang; else it waits alone. */
static inline bool claim_is_in_gang(const struct engine *e, uint32_t id)
{
    uint32_t group = claim_group(e, claim_at(e, id));

    return group != 0 && group_at(e, group)->mode == GROUP_WAITS;
}

/* A claim's place in its group. [it has one] */
static inline struct member *claim_member(const struct engine *e, uint32_t claim)
{
    return member_at(e, claim_at(e, claim)->member);
}

/* The claim that comes after this one in its group. */
static inline uint32_t member_after(const struct engine *e, uint32_t claim)
{
    return claim_member(e, claim)->by_rank.next;
}

static inline struct finished *finished_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->pods.finished, id);
}

static inline struct node *node_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->capacity.nodes, id);
}

/* What a claim that is a workload has beside its record. */
static inline struct workload *workload_at(const struct engine *e, uint32_t claim)
{
    return slab_at(&e->claims.workloads, claim_at(e, claim)->workload);
}

static inline struct demand *demand_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->order.demands, id);
}

static inline struct local_queue *local_queue_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->workloads.local_queues, id);
}

static inline struct check_record *check_at(const struct engine *e, uint32_t id)
{
    return slab_at(&e->queues.checks, id);
}

static inline struct text name_text(const struct engine *e, uint32_t name)
{
    return intern_view(&e->names, name);
}

/* Interns a text, with one more user; 0 if there is no memory. Negative on error. */
static inline int name_get(struct engine *e, struct text text, uint32_t *ret_name)
{
    if (intern_get(&e->names, text, ret_name) == 0)
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
    return e->synced && e->leads && e->claims.restoring == 0;
}

#endif
