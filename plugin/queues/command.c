/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include "command_effects.h"
#include "plugin/base/sentence.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"
#include "queue_effects.h"
#include "queue_life.h"

static struct tree_link *command_link(const void *ctx, uint32_t id)
{
    return &command_at(ctx, id)->link;
}

static int compare(const void *ctx, uint32_t a, uint32_t b)
{
    const struct command *x = command_at(ctx, a), *y = command_at(ctx, b);

    if (x->created != y->created)
        return x->created < y->created ? -1 : 1;
    return text_compare(name_text(ctx, x->uid), name_text(ctx, y->uid));
}

static const struct tree_type by_creation = {command_link, compare, NULL};

void command_init(struct engine *e)
{
    slab_init(&e->queues.commands.records, &e->mem, sizeof(struct command));
    directory_init(&e->queues.commands.by_uid, &e->queues.commands.records, &e->names,
                   DIRECTORY_NO_SPACE, offsetof(struct command, uid));
    heap_init(&e->queues.commands.timers, &e->mem, compare, e);
}

void command_finish(struct engine *e)
{
    heap_finish(&e->queues.commands.timers);
    index_finish(&e->queues.commands.by_uid.index);
    slab_finish(&e->queues.commands.records);
}

static uint32_t find(const struct engine *e, struct text uid)
{
    return directory_find(&e->queues.commands.by_uid, text_of(""), uid);
}

static struct list_link *peers_of(const void *ctx, uint32_t id)
{
    return &command_at(ctx, id)->peers;
}

static void unlink_queue(struct engine *e, uint32_t id)
{
    struct command *command = command_at(e, id);

    if (command->queue != 0)
        list_remove(peers_of, e, &queue_at(e, command->queue)->commands, id);
    command->queue = 0;
}

static void release_texts(struct engine *e, const struct command *command)
{
    const uint32_t texts[] = {command->uid,    command->space,      command->name,
                              command->target, command->target_uid, command->action_text,
                              command->parent};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        intern_unref(&e->names, texts[i]);
}

void command_destroy(struct engine *e, uint32_t id)
{
    struct command *command = command_at(e, id);

    unlink_queue(e, id);
    if (command_waits(command))
        tree_remove(&by_creation, e, &e->queues.commands.waiting, id);
    outbox_forget(&e->outbox, EFFECT_OF_COMMAND, id);
    heap_clear(&e->queues.commands.timers, id);
    directory_drop(&e->queues.commands.by_uid, id);
    release_texts(e, command);
    slab_give(&e->queues.commands.records, id);
}

static int create(struct engine *e, const struct command_facts *facts, uint32_t *ret_id)
{
    struct command command = {.created = facts->created, .state = STATE_UNSAID};
    uint32_t id;

    if (slab_count(&e->queues.commands.records) >= e->config.max_queues)
        return ENGINE_FULL_QUEUES;
    if (slab_reserve(&e->queues.commands.records, 1) < 0 ||
        index_reserve(&e->queues.commands.by_uid.index) < 0 ||
        heap_reserve(&e->queues.commands.timers, slab_end(&e->queues.commands.records) + 1) < 0 ||
        name_get(e, facts->uid, &command.uid) < 0 ||
        name_get(e, facts->space, &command.space) < 0 ||
        name_get(e, facts->name, &command.name) < 0 ||
        name_get(e, facts->target, &command.target) < 0 ||
        name_get(e, facts->action, &command.action_text) < 0 ||
        name_get(e, facts->target_uid, &command.target_uid) < 0) {
        release_texts(e, &command);
        return ENGINE_NO_MEMORY;
    }
    id = slab_take(&e->queues.commands.records);
    *command_at(e, id) = command;
    directory_put(&e->queues.commands.by_uid, id);
    tree_insert(&by_creation, e, &e->queues.commands.waiting, id);
    *ret_id = id;
    return 0;
}

/* Whether the parent stands in the way; its name is kept for the event. */
static bool parent_refuses(struct engine *e, struct command *command, uint32_t queue,
                           enum queue_action action)
{
    uint32_t parent = queue_at(e, queue)->parent;

    if ((action != ACTION_OPEN && action != ACTION_RESUME) || parent == 0 ||
        queue_at(e, parent)->state == QUEUE_OPEN)
        return false;
    command->parent = queue_at(e, parent)->name;
    command->parent_state = queue_at(e, parent)->state;
    intern_ref(&e->names, command->parent);
    return true;
}

/* A command of one's own takes over what the parent's command had made of the queue. */
static bool takes_over(const struct queue *queue, enum queue_action action)
{
    return queue->own != queue->state &&
           ((action == ACTION_CLOSE && queue_state_refuses((enum queue_state)queue->state)) ||
            (action == ACTION_SUSPEND && queue->state == QUEUE_SUSPENDED));
}

static void obey(struct engine *e, uint32_t id, uint32_t queue, enum queue_action action)
{
    struct command *command = command_at(e, id);
    const struct queue *at = queue_at(e, queue);
    struct queue_written before = queue_due_state(at);
    enum queue_state now = (enum queue_state)at->state;
    enum queue_state next = queue_state_after(now, action, queue_is_empty(e, queue));

    if (next != now || takes_over(at, action))
        queue_set_own(e, queue, next);
    command->state = at->state;
    command->changed = !queue_written_same(before, queue_due_state(at));
    if (!command->changed)
        command->refusal = COMMAND_CHANGES_NOTHING;
    if (!queue_is_written(at)) {
        command->queue = queue;
        list_insert(peers_of, e, &queue_at(e, queue)->commands, 0, id);
    }
}

/* Whether the command is meant for a queue that was there before this one of its name. */
static bool is_another(const struct command *command, const struct queue *queue)
{
    return command->target_uid != 0 && queue->uid != 0 && command->target_uid != queue->uid;
}

static void carry_out(struct engine *e, uint32_t id)
{
    struct command *command = command_at(e, id);
    uint32_t queue = queue_find(e, QUEUE_VOLCANO, name_text(e, command->target));
    enum queue_action action = queue_action_of(name_text(e, command->action_text));

    if (queue != 0)
        queue_settle_now(e, queue);
    tree_remove(&by_creation, e, &e->queues.commands.waiting, id);
    command->refusal = COMMAND_OBEYED;
    if (action == QUEUE_ACTIONS)
        command->refusal = COMMAND_ACTION_UNKNOWN;
    else if (queue == 0 || !queue_at(e, queue)->known)
        command->refusal = COMMAND_QUEUE_UNKNOWN;
    else if (!queue_at(e, queue)->seen)
        command->refusal = COMMAND_QUEUE_BUILT_IN;
    else if (is_another(command, queue_at(e, queue)))
        command->refusal = COMMAND_QUEUE_ANOTHER;
    else if (parent_refuses(e, command, queue, action))
        command->refusal = COMMAND_PARENT_NOT_OPEN;
    else
        obey(e, id, queue, action);
    if (queue != 0 && command->state == STATE_UNSAID && queue_at(e, queue)->known)
        command->state = queue_at(e, queue)->state;
    command->told = command->refusal <= COMMAND_CHANGES_NOTHING || !engine_asks(e, EFFECT_EVENT);
    outbox_sync(&e->outbox, EFFECT_OF_COMMAND, id);
    command_set_timer(e, id);
}

void command_some(struct engine *e, uint32_t budget)
{
    while (budget > 0 && queue_rules(e) && e->queues.commands.waiting != 0) {
        carry_out(e, tree_first(&by_creation, e, e->queues.commands.waiting));
        budget--;
    }
}

void command_report(const struct engine *e, uint32_t id, struct command_report *ret)
{
    const struct command *command = command_at(e, id);
    struct sentence say = sentence_in(ret->reason, sizeof(ret->reason));

    *ret = (struct command_report){.waits = command_waits(command),
                                   .changed = command->changed,
                                   .refusal = (enum command_refusal)command->refusal};
    if (command->state != STATE_UNSAID)
        ret->state = queue_state_name((enum queue_state)command->state);
    if (!command_waits(command) && command->refusal != COMMAND_OBEYED)
        command_say_refusal(e, command, &say);
}

/* What was asked of the host is forgotten; and unless it was deleted it waits, as if it had not
 * been carried out. */
static void begin_anew(struct engine *e, uint32_t id)
{
    struct command *command = command_at(e, id);

    outbox_forget(&e->outbox, EFFECT_OF_COMMAND, id);
    unlink_queue(e, id);
    if (!command_waits(command) && command->deleted_at == 0) {
        intern_unref(&e->names, command->parent);
        command->parent = 0;
        command->changed = false;
        command->state = STATE_UNSAID;
        tree_insert(&by_creation, e, &e->queues.commands.waiting, id);
    }
    command_set_timer(e, id);
}

int command_see(struct engine *e, const struct command_facts *facts, uint32_t *ret_command)
{
    uint32_t id = find(e, facts->uid);
    int error = id == 0 ? create(e, facts, &id) : 0;

    if (error < 0)
        return error;
    /* It was deleted, and has just been forgotten; yet it is shown: so it is there, and is carried
     * out as one that was not seen before. */
    if (command_is_over(e, command_at(e, id))) {
        command_at(e, id)->deleted_at = 0;
        begin_anew(e, id);
    }
    *ret_command = id;
    return 0;
}

void command_lose(struct engine *e, struct text uid)
{
    uint32_t id = find(e, uid);

    if (id != 0)
        command_destroy(e, id);
}

void command_queue_gone(struct engine *e, uint32_t queue)
{
    while (queue_at(e, queue)->commands.first != 0) {
        uint32_t id = queue_at(e, queue)->commands.first;

        unlink_queue(e, id);
        outbox_sync(&e->outbox, EFFECT_OF_COMMAND, id);
    }
}

void command_queue_written(struct engine *e, uint32_t queue)
{
    if (queue_is_written(queue_at(e, queue)))
        command_queue_gone(e, queue);
}

void command_stand_by(struct engine *e)
{
    for (uint32_t id = 0; slab_step(&e->queues.commands.records, &id);)
        begin_anew(e, id);
}

const char *command_check(const struct engine *e)
{
    return tree_check(&by_creation, e, e->queues.commands.waiting)
               ? NULL
               : "commands wait in the order of their creation";
}
