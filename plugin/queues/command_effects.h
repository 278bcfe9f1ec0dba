/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_QUEUES_COMMAND_EFFECTS_H
#define SLUICE_PLUGIN_QUEUES_COMMAND_EFFECTS_H

#include "command.h"

/* What a command asks of the host: an event, where it was refused; then, when the state that it
 * changed is written, to be deleted. */
extern const struct outbox_type command_effects;

struct sentence;

/* Why it changed nothing, and what to do. [it was refused] */
void command_say_refusal(const struct engine *e, const struct command *command,
                         struct sentence *say);

/* The same for a command that nobody has carried out. */
void command_say_no_action(struct sentence *say, struct text action);
void command_say_no_queue(struct sentence *say, struct text queue, bool built_in);

/* Its deletion was acknowledged so long ago that it is forgotten. */
bool command_is_over(const struct engine *e, const struct command *command);

/* As an outbox_type has it. */
void command_set_timer(void *engine, uint32_t command);
void command_expire(struct engine *e, uint32_t command);

#endif
