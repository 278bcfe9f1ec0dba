/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_life.h"

#include "plugin/order/contest.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "queue_effects.h"
#include "status_turn.h"

/* Its state, or what is known of its object, is another now: it may say what it should. */
static void note_state(struct engine *e, uint32_t id)
{
    queue_note_change(e, id);
    command_queue_written(e, id);
}

static void change(struct engine *e, uint32_t id, enum queue_state state)
{
    struct queue *queue = queue_at(e, id);

    queue->state = (uint8_t)state;
    if (queue->first_child != 0 && queue_rules(e))
        queue->settles_all = true; /* who keeps his state may be stopped for another reason */
    contest_refresh(e, id);
    queue_todo(e, TODO_DIRTY, queue_root(e, id));
    queue_stops_changed(e);
    note_state(e, id);
}

static enum queue_state due_state(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    bool empty = queue_is_empty(e, id);
    enum queue_state own = (enum queue_state)queue->own, parent = QUEUE_OPEN, state;

    if (queue->parent != 0)
        parent = (enum queue_state)queue_at(e, queue->parent)->state;
    state = queue_state_under(parent, own, (enum queue_state)queue->state, empty);
    return state == QUEUE_CLOSING && empty ? QUEUE_CLOSED : state;
}

/* Returns whether those below it have to settle, too. */
static bool settle(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);
    enum queue_state state;

    if (!queue_rules(e) || queue->kind != QUEUE_VOLCANO)
        return false;
    if (queue->own == QUEUE_CLOSING && queue_is_empty(e, id)) {
        queue->own = QUEUE_CLOSED;
        note_state(e, id);
    }
    state = due_state(e, id);
    if (state == queue->state)
        return false;
    change(e, id, state);
    return true;
}

/* Recursion is as deep as the tree of queues. */
void queue_settle_now(struct engine *e, uint32_t id)
{
    if (queue_at(e, id)->parent != 0)
        queue_settle_now(e, queue_at(e, id)->parent);
    if (settle(e, id))
        queue_settle_later(e, id);
}

void queue_set_own(struct engine *e, uint32_t id, enum queue_state own)
{
    queue_at(e, id)->own = (uint8_t)own;
    settle(e, id);
    note_state(e, id);
    queue_settle_later(e, id);
}

void queue_settle_below(struct engine *e, uint32_t id)
{
    queue_at(e, id)->settles_all = true;
    queue_note_change(e, id);
    queue_look_below(e, id);
}

static void settle_children(struct engine *e, uint32_t id, uint32_t *budget)
{
    struct queue *queue = queue_at(e, id);

    while (*budget > 0 && queue->next_child != 0) {
        uint32_t child = queue->next_child;

        queue->next_child = queue_at(e, child)->next_sibling;
        --*budget;
        if (queue->settles_all)
            queue_settle_below(e, child);
        else if (settle(e, child) && queue_at(e, child)->first_child != 0)
            queue_settle_later(e, child);
    }
}

void queue_settle_some(struct engine *e, uint32_t budget)
{
    while (budget > 0 && e->queues.todo[TODO_STATE].first != 0) {
        uint32_t id = e->queues.todo[TODO_STATE].first;

        budget--;
        queue_settle_now(e, id); /* what is above may be waiting to settle, too */
        if (queue_at(e, id)->settles_all)
            contest_refresh(e, id);
        settle_children(e, id, &budget);
        if (queue_at(e, id)->next_child == 0) {
            queue_at(e, id)->settles_all = false;
            queue_done(e, TODO_STATE, id);
        }
    }
}

static struct queue_written heard(const struct queue_facts *facts)
{
    return (struct queue_written){
        .state = (uint8_t)(facts->stop != QUEUE_OPEN ? facts->stop
                           : facts->state.len == 0   ? STATE_UNSAID
                                                     : queue_state_of(facts->state)),
        .closed_by = facts->closed_by,
        .suspended_by = facts->suspended_by,
    };
}

/* The object's word is ours. Where a mark says that the state is the parent's, the parent will say
 * so again. */
static void obey_object(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);
    enum queue_state state = (enum queue_state)queue->said.state;
    enum queue_state own = queue_read_own(queue->said);

    if (queue->said.state == STATE_UNSAID)
        state = own = queue->created_suspended ? QUEUE_SUSPENDED : QUEUE_OPEN;
    queue->own = (uint8_t)own;
    if (queue->state != state)
        change(e, id, state);
}

/* Somebody else's last word counts; what we wrote, or may have written, comes back as an echo. */
static bool is_new_word(const struct queue *queue, const struct queue_facts *facts,
                        struct queue_written now)
{
    bool newer = facts->version == 0 ? !queue_written_same(now, queue->said)
                                     : facts->version > queue->version;

    return newer && !queue_written_same(now, queue->wrote) &&
           !queue_written_same(now, queue->status.leased_state);
}

void queue_hear(struct engine *e, uint32_t id, const struct queue_facts *facts, bool fresh)
{
    struct queue *queue = queue_at(e, id);
    struct queue_written now = heard(facts);
    bool obeys =
        fresh || !queue_rules(e) || queue->kind != QUEUE_VOLCANO || is_new_word(queue, facts, now);

    if (obeys && (queue->effects.leased & 1u << QUEUE_STATUS) == 0)
        queue->status.leased_state = now;
    if (fresh || (facts->version == 0 ? !queue_written_same(now, queue->said)
                                      : facts->version >= queue->version))
        queue->wrote = now;
    if (fresh || facts->version > queue->version)
        queue->version = facts->version;
    if (fresh)
        outbox_forget(&e->outbox, EFFECT_OF_QUEUE, id);
    queue->said = now;
    queue->seen = true;
    queue->created_suspended = facts->create_suspended;
    if (fresh)
        queue_forget_status(queue);
    if (obeys)
        obey_object(e, id);
    note_state(e, id);
    queue_settle_later(e, id);
}

void queue_stand_by(struct engine *e, uint32_t id)
{
    struct queue *queue = queue_at(e, id);

    outbox_forget(&e->outbox, EFFECT_OF_QUEUE, id);
    heap_clear(&e->queues.timers, id);
    status_turn_drop(e, id);
    queue_forget_status(queue);
    if (engine_asks(e, EFFECT_QUEUE_STATUS) && queue->seen && queue->kind == QUEUE_VOLCANO) {
        queue->said = queue->wrote; /* the newest word that is known to be there */
        obey_object(e, id);
    }
}

const char *queue_life_check(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    uint32_t podgroups = 0;
    uint32_t counts[CLAIM_STATES] = {queue->counts[CLAIM_HELD]};

    counts[CLAIM_WAITING] = queue->waiting_count;
    counts[CLAIM_RESERVED] = tree_size(&claims_by_stamp, e, queue->reserved);
    counts[CLAIM_ALLOCATED] = tree_size(&claims_by_stamp, e, queue->allocated);
    for (uint32_t child = queue->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        for (int state = CLAIM_WAITING; state < CLAIM_STATES; state++)
            counts[state] += queue_at(e, child)->counts[state];
        podgroups += queue_at(e, child)->podgroups;
    }
    for (uint32_t group = 0; slab_step(&e->pods.groups, &group);)
        podgroups += group_at(e, group)->counts && group_at(e, group)->home == id;
    if (podgroups != queue->podgroups)
        return "a queue counts the groups that are left in its subtree";
    if (memcmp(counts, queue->counts, sizeof(counts)) != 0)
        return "a queue counts the claims of its subtree";
    if (queue_rules(e) && e->queues.todo[TODO_STATE].first == 0 && queue->kind == QUEUE_VOLCANO &&
        due_state(e, id) != queue->state)
        return "a queue's state follows from its own and its parent's";
    return NULL;
}
