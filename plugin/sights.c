/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/pods/assembly.h"
#include "plugin/pods/pod.h"
#include "plugin/pods/restore.h"
#include "plugin/queues/admission_check.h"
#include "plugin/queues/queue_edit.h"
#include "plugin/queues/queue_life.h"
#include "plugin/records/cluster_queue.h"
#include "plugin/workloads/workload_see.h"
#include "state.h"

/* The world as it is seen: each sight, and then one slice of what it leaves to do. What was known
 * already leaves nothing. */

static int go_on(struct engine *e, int seen)
{
    if (seen == SEEN_ANEW)
        engine_tick(e);
    return seen < 0 ? seen : 0;
}

int engine_see_pod(struct engine *e, const struct pod_facts *pod)
{
    bool outdated;
    uint32_t id;
    int error = pod_see(e, pod, &id, &outdated);

    if (error == 0 && id == 0)
        id = claim_find(e, pod->uid); /* of one that is let go */
    if (error == 0 && id != 0)
        pod_confirm(e, id);
    return go_on(e, error);
}

void engine_lose_pod(struct engine *e, struct text uid)
{
    pod_lose(e, uid);
    engine_tick(e);
}

int engine_see_queue(struct engine *e, const struct queue_facts *queue)
{
    return go_on(e, queue_see(e, queue));
}

int engine_lose_queue(struct engine *e, enum queue_kind kind, struct text name)
{
    return go_on(e, queue_lose(e, kind, name));
}

int engine_see_workload(struct engine *e, const struct workload_facts *workload)
{
    return go_on(e, workload_see(e, workload));
}

void engine_lose_workload(struct engine *e, struct text space, struct text name, struct text uid)
{
    workload_lose(e, space, name, uid);
    engine_tick(e);
}

int engine_see_local_queue(struct engine *e, const struct local_queue_facts *local)
{
    return go_on(e, local_queue_see(e, local));
}

void engine_lose_local_queue(struct engine *e, struct text space, struct text name)
{
    local_queue_lose(e, space, name);
    engine_tick(e);
}

int engine_see_check(struct engine *e, struct text name, bool active)
{
    return go_on(e, check_see(e, name, active));
}

void engine_lose_check(struct engine *e, struct text name)
{
    check_lose(e, name);
    engine_tick(e);
}

int engine_see_group(struct engine *e, const struct group_facts *group)
{
    return go_on(e, group_see(e, group));
}

int engine_lose_group(struct engine *e, enum group_kind kind, struct text space, struct text name,
                      struct text uid)
{
    const struct group_name is = {space, name, kind};

    return go_on(e, group_lose(e, &is, uid));
}

/* A flavor that more pods may use now, or fewer. */
static void flavors_changed(struct engine *e)
{
    restore_guess_flavors(e);
    cluster_queues_changed(e);
    queue_stops_changed(e); /* whether the gate goes first is another answer now */
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);) {
        if (queue_at(e, id)->parent == 0) {
            queue_settle_below(e, id);
            queue_todo(e, TODO_DIRTY, id);
        }
    }
}

int engine_see_flavor(struct engine *e, const struct flavor_facts *flavor)
{
    int error = flavor_see(e, flavor);

    if (error == 0)
        flavors_changed(e);
    return go_on(e, error);
}

int engine_lose_flavor(struct engine *e, struct text name)
{
    if (flavor_lose(e, name))
        flavors_changed(e);
    engine_tick(e);
    return 0;
}

/* A gang that backs off for the lack of nodes need not any more, and a pod that was bound before
 * its node was seen may tell its flavors now. */
int engine_see_node(struct engine *e, const struct node_facts *node, uint32_t *ret_id)
{
    int error = node_see(e, node, ret_id);

    if (error < 0)
        return error;
    assembly_new_nodes(e);
    if (e->synced)
        restore_guess_flavors(e);
    engine_tick(e);
    return 0;
}

int engine_lose_node(struct engine *e, struct text name)
{
    if (node_lose(e, name))
        engine_tick(e);
    return 0;
}

int engine_see_command(struct engine *e, const struct command_facts *command,
                       struct command_report *ret_report)
{
    uint32_t id;
    int error = command_see(e, command, &id);

    if (error < 0)
        return error;
    engine_tick(e);
    command_report(e, id, ret_report);
    return 0;
}

void engine_lose_command(struct engine *e, struct text uid)
{
    command_lose(e, uid);
    engine_tick(e);
}
