/* SPDX-License-Identifier: Apache-2.0 */
#include "command_effects.h"

#include "plugin/base/sentence.h"
#include "plugin/state.h"
#include "queue_effects.h"

void command_say_no_action(struct sentence *say, struct text action)
{
    sentence_named(say, "action ", action,
                   " is not known: use OpenQueue, CloseQueue, SuspendQueue or ResumeQueue");
}

void command_say_no_queue(struct sentence *say, struct text queue, bool built_in)
{
    sentence_named(say, "queue ", queue,
                   built_in ? " has no object that its state could be written to: create it, and "
                              "send the command again"
                            : " does not exist: create it, and send the command again");
}

static void say_unchanged(const struct engine *e, const struct command *command,
                          struct sentence *say)
{
    sentence_named(say, "queue ", name_text(e, command->target), " is ");
    if (command->refusal == COMMAND_PARENT_NOT_OPEN) {
        sentence_named(say, "below queue ", name_text(e, command->parent), ", which is ");
        sentence_str(say, queue_state_name((enum queue_state)command->parent_state));
        sentence_str(say, command->parent_state == QUEUE_SUSPENDED ? ": resume that first"
                                                                   : ": open that first");
        return;
    }
    sentence_str(say, queue_state_name((enum queue_state)command->state));
    sentence_str(say, command->state == QUEUE_CLOSED ? ": only OpenQueue changes that"
                                                     : ": there is nothing to change");
}

void command_say_refusal(const struct engine *e, const struct command *command,
                         struct sentence *say)
{
    switch (command->refusal) {
    case COMMAND_CHANGES_NOTHING:
    case COMMAND_PARENT_NOT_OPEN:
        say_unchanged(e, command, say);
        break;
    case COMMAND_ACTION_UNKNOWN:
        command_say_no_action(say, name_text(e, command->action_text));
        break;
    case COMMAND_QUEUE_ANOTHER:
        sentence_named(say, "queue ", name_text(e, command->target),
                       " is another one than that of uid ");
        sentence_named(say, "", name_text(e, command->target_uid),
                       ", for which it was meant: send the command again");
        break;
    default:
        command_say_no_queue(say, name_text(e, command->target),
                             command->refusal == COMMAND_QUEUE_BUILT_IN);
        break;
    }
}

static int64_t forgotten_at(const struct command *command)
{
    return command->deleted_at + COMMAND_FORGET_SECONDS * SECOND;
}

bool command_is_over(const struct engine *e, const struct command *command)
{
    return command->deleted_at != 0 && forgotten_at(command) <= e->now;
}

void command_set_timer(void *engine, uint32_t id)
{
    struct engine *e = engine;
    const struct command *command = command_at(e, id);
    int64_t at = outbox_due(&e->outbox, EFFECT_OF_COMMAND, id);

    if (command->deleted_at != 0)
        at = forgotten_at(command);
    heap_set(&e->queues.commands.timers, id, at);
}

void command_expire(struct engine *e, uint32_t id)
{
    if (command_at(e, id)->deleted_at != 0) {
        command_destroy(e, id);
        return;
    }
    outbox_expire(&e->outbox, EFFECT_OF_COMMAND, id);
    command_set_timer(e, id);
}

static uint8_t wanted(const void *owner, uint32_t id)
{
    const struct engine *e = owner;
    const struct command *command = command_at(e, id);

    if (command_waits(command) || command->deleted_at != 0)
        return 0;
    if (!command->told)
        return 1u << COMMAND_EVENT;
    return (command->queue == 0 || queue_is_written(queue_at(e, command->queue))) &&
                   engine_asks(e, EFFECT_DELETE_COMMAND)
               ? 1u << COMMAND_DELETE
               : 0;
}

static void describe(const void *owner, uint32_t id, uint32_t slot, struct effect *ret)
{
    const struct engine *e = owner;
    const struct command *command = command_at(e, id);
    uint32_t queue = queue_find(e, QUEUE_VOLCANO, name_text(e, command->target));
    struct sentence say = sentence_in(ret->message, sizeof(ret->message));

    ret->uid = name_text(e, command->uid);
    ret->space = name_text(e, command->space);
    ret->name = name_text(e, command->name);
    if (slot != COMMAND_EVENT)
        return;
    ret->about_queue = queue != 0 && queue_at(e, queue)->seen;
    if (ret->about_queue) {
        ret->queue_uid = name_text(e, queue_at(e, queue)->uid);
        ret->queue_name = name_text(e, queue_at(e, queue)->name);
    }
    ret->again = false;
    ret->reason = REASON_COMMAND_REFUSED;
    ret->key = hash_bytes64(ret->uid.at, ret->uid.len, REASON_COMMAND_REFUSED);
    command_say_refusal(e, command, &say);
}

static void done(void *owner, uint32_t id, uint32_t slot, int64_t version)
{
    struct engine *e = owner;
    (void)version;
    if (slot == COMMAND_EVENT)
        command_at(e, id)->told = true;
    else
        command_at(e, id)->deleted_at = e->now > 0 ? e->now : 1;
}

static void gone(void *owner, uint32_t id, uint32_t slot)
{
    struct engine *e = owner;
    done(e, id, slot, 0);
    outbox_sync(&e->outbox, EFFECT_OF_COMMAND, id);
    command_set_timer(e, id);
}

const struct outbox_type command_effects = {
    .records = offsetof(struct engine, queues.commands.records),
    .entry = offsetof(struct command, effects),
    .slots = COMMAND_EFFECTS,
    .kinds = {EFFECT_EVENT, EFFECT_DELETE_COMMAND},
    .wanted = wanted,
    .describe = describe,
    .done = done,
    .gone = gone,
    .set_timer = command_set_timer,
};
