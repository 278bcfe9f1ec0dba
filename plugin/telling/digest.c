/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/mix.h"
#include "plugin/pods/booking.h"
#include "plugin/pods/group_follow.h"
#include "plugin/state.h"

/* The sum of a hash for each object, so that no order matters; over names, never ids. */

static uint64_t mix_name(const struct engine *e, uint64_t hash, uint32_t name)
{
    return mix_text(hash, name_text(e, name));
}

static uint64_t mix_queue(const struct engine *e, uint64_t hash, uint32_t id)
{
    if (id == 0)
        return mix(hash, -1);
    return mix_name(e, mix(hash, queue_at(e, id)->kind), queue_at(e, id)->name);
}

static uint64_t mix_news(uint64_t hash, const struct claim *claim)
{
    hash = mix(mix(mix(hash, claim->news_stands), claim->news_said), claim->news_since);
    hash = mix(mix(hash, claim->news_ripe), claim->news_ever);
    return mix(mix(hash, claim->news_complained), claim->news_granted);
}

static uint64_t digest_claim(const struct engine *e, uint32_t id, bool timers)
{
    const struct claim *claim = claim_at(e, id);
    const struct line *line = line_at(e, claim->line);
    uint64_t needs = 0, hash = mix_text(mix_text(1, claim_uid(e, id)), claim_name(e, id));

    hash = mix_queue(e, mix_name(e, hash, claim->space), line_queue(e, line));
    hash = mix(mix(mix(hash, claim->state), claim->priority), claim->queued);
    hash = mix_name(e, mix_name(e, hash, claim->node), claim->obstacle);
    if (claim->misses_claim)
        hash = mix(hash, REASON_CLAIM_MISSING);
    hash = mix_name(e, hash,
                    claim_group(e, claim) == 0 ? 0 : group_at(e, claim_group(e, claim))->name);
    for (uint32_t i = 0; i < line_count(e, line); i++) {
        uint64_t need = mix(mix_name(e, 2, line_resource(e, line, i)), line_amount(e, line, i));

        if (claim_holds(claim))
            need = mix_text(need, flavor_name(e, claim_flavors(claim)[i]));
        needs += need;
    }
    hash = mix(hash, (wide)needs);
    if (!timers)
        return hash;
    hash = mix(mix(mix(hash, claim->stamp), claim->since), claim->flags);
    hash = mix(mix(mix(hash, claim->generation), claim->version), claim->reason);
    hash = mix(mix(mix(hash, claim->gates), claim->timeouts), line_bare(e, line));
    hash = mix(hash, claim->member == 0 ? 0 : member_at(e, claim->member)->named_at);
    if (e->config.pod_events)
        hash = mix_news(hash, claim);
    return outbox_hash(&e->outbox, &claim->effects, hash);
}

static uint64_t digest_cell(const struct engine *e, const struct cell *cell)
{
    uint64_t hash = mix_name(e, 3, cell->resource);

    hash = mix_text(hash, flavor_name(e, cell->flavor));
    hash = mix(mix(mix(hash, cell->share), cell->kept), cell->bounded);
    hash = mix(mix(hash, cell->bounded ? cell->ceiling : 0), cell->usage);
    return mix(mix(mix(hash, cell->reserved), cell->allocated), cell->named);
}

static uint64_t mix_run_times(uint64_t hash, const struct run_times *times)
{
    hash = mix(hash, times->noted);
    for (uint32_t i = 0; i < run_times_count(times); i++)
        hash =
            mix(mix(mix(hash, times->last[i].ticks), times->last[i].ended), times->last[i].count);
    return hash;
}

static uint64_t mix_written(uint64_t hash, struct queue_written written)
{
    return mix(mix(mix(hash, written.state), written.closed_by), written.suspended_by);
}

static uint64_t digest_queue(const struct engine *e, uint32_t id, bool timers)
{
    const struct queue *queue = queue_at(e, id);
    uint64_t cells = 0, hash = mix_queue(e, 4, id);

    hash = mix_queue(e, mix_queue(e, hash, queue->parent), queue->wanted);
    hash = mix(mix(mix(hash, queue->known), queue->strict), queue->state);
    hash = mix(mix(mix_name(e, hash, queue->state_text), queue->priority),
               queue->reclaimable | queue->deleted << 1);
    hash = mix(mix_written(mix_name(e, hash, queue->uid), queue->said), queue->own);
    hash = mix(mix(hash, queue->created_suspended), queue->podgroups);
    hash = mix(mix(hash, queue->preempts.within), queue->preempts.reclaim);
    hash = mix(mix(hash, queue->preempts.while_borrowing), queue->preempts.has_threshold);
    hash = mix(mix(hash, queue->preempts.threshold), queue->borrows_last);
    hash = mix(mix(hash, queue->cluster.preempts_last), queue->cluster.borrows_least);
    for (uint32_t i = 0; i < queue->cluster.check_count; i++) {
        hash = mix_name(e, hash, queue->cluster.checks[i].name);
        for (uint32_t k = 0; k < queue->cluster.checks[i].flavor_count; k++)
            hash = mix_text(hash, flavor_name(e, queue->cluster.checks[i].flavors[k]));
    }
    for (int state = 0; state < CLAIM_STATES; state++)
        hash = mix(hash, queue->counts[state]);
    for (uint32_t i = 0; i < queue->cell_count; i++)
        cells += queue->cells[i].named || queue->cells[i].carriers > 0
                     ? digest_cell(e, &queue->cells[i])
                     : 0; /* of what no node has any more */
    hash = mix(hash, (wide)cells);
    for (uint32_t i = 0; i < queue->group_count; i++) {
        const struct queue_group *group = &queue->groups[i];

        for (uint32_t k = 0; k < group->resource_count; k++)
            hash = mix_name(e, hash, group->resources[k]);
        for (uint32_t k = 0; k < group->flavor_count; k++)
            hash = mix_text(hash, flavor_name(e, group->flavors[k]));
    }
    if (!timers)
        return hash;
    hash =
        mix(mix(mix(hash, queue->is_todo[TODO_DIRTY]), queue->is_todo[TODO_OVER]), queue->guarding);
    hash = mix_queue(e, mix_queue(e, hash, queue->guard), queue->guard_at);
    hash = mix(mix(hash, heap_when(&e->order.guard_timers, id)), heap_when(&e->queues.timers, id));
    hash = mix(mix_written(hash, queue->wrote), queue->version);
    hash = mix(mix(hash, queue->is_todo[TODO_STATE]), queue->next_child != 0);
    hash = mix(mix(hash, queue->is_todo[TODO_PREEMPT]), queue->is_todo[TODO_WORKLOADS]);
    hash = mix(hash, queue->is_todo[TODO_STATUS]);
    hash = mix(mix(hash, queue->status.has_turn), queue->settles_all);
    hash = outbox_hash(&e->outbox, &queue->effects, hash);
    return mix_run_times(hash, &queue->run_times);
}

static uint64_t digest_node(const struct engine *e, const struct node *node)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < node->label_count; i++)
        sum += mix_name(e, mix_name(e, 5, node->labels[i].key), node->labels[i].value);
    for (uint32_t i = 0; i < node->amount_count; i++)
        sum += mix(mix_name(e, 6, node->amounts[i].resource), node->amounts[i].amount);
    return mix(mix_name(e, 7, node->name), (wide)sum);
}

static uint64_t digest_flavor(const struct engine *e, const struct flavor *flavor)
{
    uint64_t hash = mix(mix_name(e, 8, flavor->name), flavor->seen);

    for (uint32_t i = 0; i < flavor->label_count; i++)
        hash = mix_name(e, mix_name(e, hash, flavor->labels[i].key), flavor->labels[i].value);
    for (uint32_t i = 0; i < flavor->toleration_count; i++) {
        hash = mix_name(e, mix_name(e, hash, flavor->tolerations[i].key),
                        flavor->tolerations[i].value);
        hash = mix_name(e, mix_name(e, hash, flavor->tolerations[i].operator_),
                        flavor->tolerations[i].effect);
        hash = mix(mix(hash, flavor->tolerations[i].has_seconds), flavor->tolerations[i].seconds);
    }
    for (uint32_t i = 0; i < flavor->taint_count; i++)
        hash = mix_name(
            e, mix_name(e, mix_name(e, hash, flavor->taints[i].key), flavor->taints[i].value),
            flavor->taints[i].effect);
    return hash;
}

/* Who was deleted is only remembered for a while. */
static uint64_t digest_command(const struct engine *e, uint32_t id, bool timers)
{
    const struct command *command = command_at(e, id);
    uint64_t hash = mix_name(e, mix(13, command->created), command->uid);

    if (!timers && command->deleted_at != 0)
        return 0;
    hash = mix_name(e, mix_name(e, hash, command->space), command->name);
    hash = mix_name(e, mix_name(e, hash, command->target), command->action_text);
    if (!timers)
        return hash;
    hash = mix(mix_queue(e, mix(hash, command->deleted_at), command->queue), command->state);
    hash = mix(mix(mix(hash, command->refusal), !command_waits(command)), command->changed);
    hash = mix(mix_name(e, mix(hash, command->told), command->parent), command->parent_state);
    return outbox_hash(&e->outbox, &command->effects, hash);
}

static uint64_t mix_parts(const struct engine *e, uint64_t hash, const struct group *group)
{
    for (uint32_t i = 0; i < group->parts.count; i++) {
        const struct group_part *part = &group->parts.item[i];

        hash = mix_name(e, mix(mix(hash, part->depth), part->minimum), part->name);
        hash = mix(hash, part->composite);
    }
    return hash;
}

/* Of a group that nobody has seen, its members tell all that there is. */
static uint64_t digest_group(const struct engine *e, const struct group *group, bool timers)
{
    uint64_t least = 0, hash = mix_name(e, mix_name(e, 14, group->space), group->name);

    hash = mix(mix(mix(hash, group->known), group->succeeded), group->failed);
    if (group->known) {
        hash = mix_name(e, mix_name(e, hash, group->said.uid), group->said.queue);
        hash = mix_parts(e, mix(mix(hash, group->kind), group->goes_whole), group);
        hash = mix(mix(mix(hash, group->minimum), group->created), group->has_priority);
        hash = mix(mix_name(e, hash, group->said.priority_class), group->ours);
        hash = mix(mix(hash, group->has_priority ? group->priority : 0), group->completed);
        hash = mix(mix(hash, group->not_selected), booking_holds(e, group));
        for (uint32_t i = 0; i < group->said.least_count; i++)
            least +=
                mix(mix_name(e, 15, group->said.least[i].resource), group->said.least[i].amount);
    }
    hash = mix(hash, (wide)least);
    if (!timers)
        return hash;
    hash = mix(mix(mix(hash, group->version), group->mode), group->fault);
    hash = mix(mix(mix(hash, group->in_line), group->letting_go), group->passed);
    hash = mix(mix(mix(hash, group->no_nodes), group->tries), group->at_permit);
    hash = mix(mix(mix(hash, group->turn_until), group->retry_at), group->was_made);
    hash = mix(mix(mix(hash, group->owner_gone), (wide)group->written), (wide)group->sent);
    hash = mix_name(e, mix_name(e, hash, group->owner.uid), group->owner.name);
    hash = outbox_hash(&e->outbox, &group->effects, mix(hash, group->sent_over));
    hash = mix(mix(mix(hash, group->change_over), group->changed_over), group->to_come);
    if (e->config.pod_events)
        hash = mix(mix(hash, group->never), group->stirred);
    return mix(mix(mix(hash, group_follow_minimum(e, group)), group->ordered), group->replicas);
}

static uint64_t digest_workload(const struct engine *e, uint32_t id, bool timers)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    const uint16_t *flavors = workload_flavors(workload, demand->set_count);
    uint32_t of = pledge_at(e, id)->of;
    const struct claim *claim = claim_at(e, id);
    uint64_t hash = mix_name(e, mix_name(e, 16, claim->space), workload->name);

    hash = mix_queue(e, mix_name(e, mix_name(e, hash, workload->uid), demand->text), demand->queue);
    hash = mix_name(e, hash, local_queue_at(e, workload->local_queue)->name);
    hash = mix(mix(hash, workload->flags & WORKLOAD_OBJECT), claim->flags & CLAIM_NEVER_PREEMPTS);
    hash = mix(mix(hash, claim->priority), claim->queued);
    hash = mix(mix(mix(hash, workload->created), workload->requeue_at), workload->retry_at);
    hash = mix(mix(mix(hash, workload->evicted_why), workload->on_hold), workload->pending_why);
    hash = mix_name(e, mix_name(e, hash, workload->unsupported), workload->target_cause);
    hash = mix_name(e, hash, workload->job);
    for (uint32_t i = 0; i < workload->check_count; i++)
        hash = mix(mix_name(e, hash, workload->checks[i]), workload->check_states[i]);
    for (uint32_t i = 0; i < workload->gates.count; i++)
        hash = mix(mix_name(e, hash, workload->gates.names[i]), workload->gates.positions[i]);
    for (uint32_t s = 0; s < demand->set_count && workload_is(workload, WORKLOAD_RESERVED); s++)
        hash = mix(hash, workload->counts[s]);
    for (uint32_t i = 0; i < demand->need_count && workload_is(workload, WORKLOAD_RESERVED); i++)
        hash = mix_text(hash, flavor_name(e, flavors[i]));
    if (!timers)
        return hash;
    hash = mix(mix(mix(mix(hash, workload->flags), claim->flags), claim->state), claim->stamp);
    hash = mix(mix(mix(hash, claim->version), workload->wrote), workload->writes);
    hash = mix(mix(hash, workload->writing), workload->wake);
    if (workload->notice.stage != NOTICE_NONE)
        hash = mix(mix(hash, workload->notice.stage), workload->notice.since);
    for (uint32_t s = 0; s < demand->set_count; s++)
        hash = mix(hash, workload->counts[s]);
    for (uint32_t i = 0; i < demand->need_count; i++)
        hash = mix_text(hash, flavor_name(e, flavors[i]));
    if (of != 0)
        hash = mix_text(hash, claim_full_name(e, of).uid);
    return outbox_hash(&e->outbox, &claim->effects, hash);
}

static uint64_t digest_local_queue(const struct engine *e, const struct local_queue *local)
{
    uint64_t hash = mix_name(e, mix_name(e, 17, local->space), local->name);

    hash = mix_queue(e, mix_name(e, hash, local->uid), local->queue);
    return mix(mix(mix(hash, local->stop), local->known), local->selected);
}

static uint64_t digest_workloads(const struct engine *e, bool timers)
{
    uint64_t sum = 0;

    for (uint32_t id = workload_next(e, 0); id != 0; id = workload_next(e, id))
        sum += digest_workload(e, id, timers);
    for (uint32_t id = 0; slab_step(&e->workloads.local_queues, &id);)
        sum += digest_local_queue(e, local_queue_at(e, id));
    for (uint32_t id = 0; slab_step(&e->queues.checks, &id);)
        sum += mix(mix_name(e, 18, check_at(e, id)->name), check_at(e, id)->active);
    return sum;
}

uint64_t engine_digest(const struct engine *e, bool timers)
{
    uint64_t sum = mix(mix(9, e->synced), e->leads) + digest_workloads(e, timers);

    if (timers) {
        sum = mix(mix(mix(sum, e->now), stop_notice_is_due(e)), e->grant.demotion.count);
        sum = mix(sum, e->claims.recount.at);
    }
    if (timers && e->workloads.wait_notices.not_before != 0)
        sum = mix(sum, e->workloads.wait_notices.not_before);
    if (timers && e->queues.next_status != 0)
        sum = mix(sum, e->queues.next_status);
    if (timers && e->grant.demotion.top != 0)
        sum = mix_queue(e, sum, e->grant.demotion.top);
    if (timers && e->pods.assembling != 0)
        sum = mix_name(e, sum, group_at(e, e->pods.assembling)->name);
    for (uint32_t id = 1; id < slab_end(&e->claims.records); id++)
        sum += claim_is_pod(e, id) ? digest_claim(e, id, timers) : 0;
    for (uint32_t id = 0; slab_step(&e->pods.groups, &id);)
        sum += digest_group(e, group_at(e, id), timers);
    for (uint32_t id = 0; slab_step(&e->queues.records, &id);)
        sum += digest_queue(e, id, timers);
    for (uint32_t id = 0; slab_step(&e->capacity.nodes, &id);)
        sum += digest_node(e, node_at(e, id));
    for (uint32_t id = 0; slab_step(&e->capacity.flavors, &id);)
        sum += digest_flavor(e, slab_at(&e->capacity.flavors, id));
    for (uint32_t id = 0; slab_step(&e->queues.commands.records, &id);)
        sum += digest_command(e, id, timers);
    return sum;
}
