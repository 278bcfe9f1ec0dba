/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/generate_queue.h"

static struct step any_command(struct generator *g, const struct model *model)
{
    struct step step = step_make(generate_one_in(g, 10) ? STEP_LOSE_COMMAND : STEP_COMMAND);
    int uid = generate_below(g, COMMANDS);

    step.v[COMMAND_UID] = uid;
    if (step.kind == STEP_LOSE_COMMAND)
        return step;
    step.v[COMMAND_CREATED] = model->now - generate_below(g, 3) * SECOND;
    step.v[COMMAND_ACTION] = generate_one_in(g, 20) ? ACTIONS - 1 : generate_below(g, ACTIONS - 1);
    step.v[COMMAND_TARGET] = generate_one_in(g, 6) ? NAME_ROOT : generate_queue_name(g);
    if (model->commands[uid].live)
        for (int n = 0; n <= COMMAND_TARGET; n++)
            step.v[n] = model->commands[uid].facts[n];
    return step;
}

static int64_t any_mark(struct generator *g)
{
    return generate_one_in(g, 3) ? generate_below(g, SAYS_NOTHING) : 0;
}

static struct step any_word(struct generator *g)
{
    struct step step = step_of(STEP_WORD, generate_queue_name(g));

    step.v[WORD_STATE] = generate_below(g, WORDS);
    step.v[WORD_CLOSED_BY] = any_mark(g);
    step.v[WORD_SUSPENDED_BY] = any_mark(g);
    return step;
}

static struct step any_ack(struct generator *g)
{
    struct step step = step_make(STEP_ACK);

    step.v[ACK_OBJECT] = generate_one_in(g, 3) ? EFFECT_OF_COMMAND : EFFECT_OF_QUEUE;
    if (step.v[ACK_OBJECT] == EFFECT_OF_QUEUE) {
        step.v[ACK_UID] = generate_one_in(g, 6) ? NAME_ROOT : generate_queue_name(g);
        step.v[ACK_KIND] = EFFECT_QUEUE_STATUS;
        step.v[ACK_RESULT] =
            generate_one_in(g, 4) ? EFFECT_CONFLICT + generate_below(g, 2) : EFFECT_DONE;
        return step;
    }
    step.v[ACK_UID] = generate_below(g, COMMANDS);
    step.v[ACK_KIND] = generate_one_in(g, 2) ? EFFECT_EVENT : EFFECT_DELETE_COMMAND;
    step.v[ACK_RESULT] = generate_one_in(g, 3) ? generate_below(g, 4) : EFFECT_DONE;
    return step;
}

bool generate_writes(struct generator *g, const struct model *model, struct step *ret)
{
    switch (generate_below(g, 12)) {
    case 0:
    case 1:
    case 2:
        *ret = any_command(g, model);
        return true;
    case 3:
        *ret = any_word(g);
        return g->edits_queues;
    case 4:
    case 5:
        *ret = step_of(STEP_SHOW, generate_queue_name(g));
        ret->v[SHOW_LATE] = generate_one_in(g, 4);
        return true;
    case 6:
    case 7:
    case 8:
        *ret = step_of(STEP_LEASE, 1 + generate_below(g, 12));
        return true;
    default:
        *ret = any_ack(g);
        return true;
    }
}

struct step generate_effect(struct generator *g, const struct model *model)
{
    struct step step = step_make(STEP_ACK);

    if (generate_one_in(g, 2))
        return step_of(STEP_LEASE, 1 + generate_below(g, 4));
    for (int tries = 0; tries < 8; tries++) {
        step.v[ACK_UID] = generate_below(g, g->pods);
        if (model->claims[step.v[ACK_UID]].live && model->claims[step.v[ACK_UID]].parked)
            break;
        if (!model->claims[step.v[ACK_UID]].victim.chosen)
            continue;
        step.v[ACK_KIND] = EFFECT_EVICT_POD;
        step.v[ACK_RESULT] = generate_one_in(g, 2) ? EFFECT_DONE : generate_below(g, 4);
        return step;
    }
    step.v[ACK_KIND] = generate_one_in(g, 2) ? generate_below(g, EFFECT_ALWAYS) : EFFECT_ACTIVATE;
    if (g->writes && generate_one_in(g, 4))
        step.v[ACK_KIND] = EFFECT_EVENT;
    step.v[ACK_RESULT] = generate_one_in(g, 3) ? generate_below(g, 4) : EFFECT_DONE;
    return step;
}
