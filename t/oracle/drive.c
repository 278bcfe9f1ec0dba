/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/drive.h"

#include "plugin/base/outbox.h"
#include "t/oracle/workload_world.h"

static int lease(struct engine *engine, int64_t count)
{
    struct effect effect;
    int error = outbox_next(engine_outbox(engine), &effect);

    for (; error > 0 && count > 0; count--) {
        outbox_lease(engine_outbox(engine), &effect, 0);
        error = outbox_next(engine_outbox(engine), &effect);
    }
    return error < 0 ? error : 0;
}

static int number_of(const struct effect *effect)
{
    switch (effect->object) {
    case EFFECT_OF_QUEUE:
        return world_find_queue(effect->name);
    case EFFECT_OF_COMMAND:
        return world_find_command(effect->uid);
    default:
        return world_find_uid(effect->uid);
    }
}

/* Effects are known by their object and kind: ids would tie a step to the steps before it. */
static bool acknowledge(struct engine *engine, const struct step *step)
{
    struct effect effect;
    uint32_t cursor = 0;

    while (outbox_next_live(engine_outbox(engine), &cursor, &effect))
        if (effect.object == step->v[ACK_OBJECT] && number_of(&effect) == step->v[ACK_UID] &&
            effect.kind == step->v[ACK_KIND])
            return outbox_ack(engine_outbox(engine), effect.id,
                              (enum effect_result)step->v[ACK_RESULT], step->v[ACK_VERSION]) &&
                   effect.leased;
    return false;
}

/* A pod that the engine knows is named to it, or shown again: it must be the same. */
static int pre_enqueue(struct engine *engine, const struct pod_facts *pod, struct verdict *ret)
{
    if (pod->resource_version % 2 == 0 &&
        engine_pre_enqueue_known(engine, pod->uid, pod->resource_version, true, ret))
        return 0;
    return engine_pre_enqueue(engine, pod, true, ret);
}

static int drive_pod(struct engine *engine, const struct step *step, struct answer *answer)
{
    struct text uid = text_of(world_uids[step->v[0]]);
    struct pod_view pod;
    bool nodes_matter, unschedulable;

    switch (step->kind) {
    case STEP_SEE:
        world_pod_facts(step->v, &pod);
        return engine_see_pod(engine, &pod.facts);
    case STEP_ENQUEUE:
        world_pod_facts(step->v, &pod);
        return pre_enqueue(engine, &pod.facts, &answer->verdict);
    case STEP_LOSE:
        engine_lose_pod(engine, uid);
        break;
    case STEP_PRE_FILTER:
        engine_pre_filter(engine, uid, &answer->verdict, &nodes_matter, &unschedulable);
        break;
    case STEP_POST_FILTER:
        engine_post_filter(engine, uid);
        break;
    case STEP_RESERVE:
        engine_reserve(engine, uid, false, &answer->verdict);
        break;
    case STEP_UNRESERVE:
        engine_unreserve(engine, uid);
        break;
    case STEP_POST_BIND:
        engine_post_bind(engine, uid);
        break;
    default:
        break;
    }
    return 0;
}

/* What is around pods; else a pod. */
static int drive_world(struct engine *engine, const struct step *step, struct answer *answer)
{
    struct queue_view queue;
    struct flavor_facts flavor;
    struct node_view node;
    struct group_facts group;
    struct local_queue_facts local;
    uint32_t id;

    switch (step->kind) {
    case STEP_QUEUE:
        world_queue_facts(step->v, &queue);
        return engine_see_queue(engine, &queue.facts);
    case STEP_LOSE_QUEUE:
        return engine_lose_queue(engine, (enum queue_kind)step->v[QUEUE_KIND],
                                 text_of(world_queues[step->v[QUEUE_NAME]]));
    case STEP_FLAVOR:
        world_flavor_facts(step->v, &flavor);
        return engine_see_flavor(engine, &flavor);
    case STEP_LOSE_FLAVOR:
        return engine_lose_flavor(engine, text_of(world_flavors[step->v[FLAVOR_NUMBER]]));
    case STEP_NODE:
        world_node_facts(step->v, &node);
        return engine_see_node(engine, &node.facts, &id);
    case STEP_LOSE_NODE:
        return engine_lose_node(engine, text_of(world_nodes[step->v[NODE_NUMBER]]));
    case STEP_GROUP:
        world_group_facts(step->v, &group);
        return engine_see_group(engine, &group);
    case STEP_LOSE_GROUP:
        return engine_lose_group(engine, world_group_kind((int)step->v[0]), text_of("space"),
                                 text_of(world_groups[step->v[0]]), text_of(""));
    case STEP_LOCAL:
        workload_world_local_facts(step->v, &local);
        return engine_see_local_queue(engine, &local);
    case STEP_LOSE_LOCAL:
        engine_lose_local_queue(engine, text_of("space"),
                                text_of(workload_world_locals[step->v[0]]));
        return 0;
    case STEP_CHECK:
        return engine_see_check(engine, text_of(world_checks[step->v[CHECK_NUMBER]]),
                                !step->v[CHECK_INACTIVE]);
    case STEP_LOSE_CHECK:
        engine_lose_check(engine, text_of(world_checks[step->v[CHECK_NUMBER]]));
        return 0;
    default:
        return drive_pod(engine, step, answer);
    }
}

int drive(struct engine *engine, const struct step *step, struct answer *ret_answer)
{
    struct command_facts command;

    *ret_answer = (struct answer){0};
    switch (step->kind) {
    case STEP_COMMAND:
        world_command_facts(step->v, &command);
        return engine_see_command(engine, &command, &ret_answer->report);
    case STEP_LOSE_COMMAND:
        world_command_facts(step->v, &command);
        engine_lose_command(engine, command.uid);
        return 0;
    case STEP_SYNCED:
        engine_set_synced(engine);
        return 0;
    case STEP_LEADER:
        engine_set_leader(engine, step->v[0] != 0);
        return 0;
    case STEP_LEASE:
        return lease(engine, step->v[0]);
    case STEP_ACK:
        ret_answer->acknowledged = acknowledge(engine, step);
        return 0;
    default:
        return drive_world(engine, step, ret_answer);
    }
}
