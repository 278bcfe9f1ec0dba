/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/sights.h"

#include "t/oracle/drive.h"
#include "t/oracle/random.h"

/* Things that may exist, by one number: queues, flavors, nodes, pods. */
enum { SIGHTS = QUEUES + FLAVORS + NODES + COMMANDS + GROUPS + UIDS };

/* What the host would say of one of them. False: it does not exist. */
static bool sight_of(const struct model *model, int number, struct step *ret_step)
{
    if (number < QUEUES) {
        *ret_step = step_from(STEP_QUEUE, model->queues[number].spec);
        if (model->config[CONFIG_WRITES] && model_kind(number) == QUEUE_VOLCANO)
            model_fill_word(&model->queues[number].life.now, ret_step->v);
        return model->queues[number].seen;
    }
    number -= QUEUES;
    if (number < FLAVORS) {
        *ret_step = step_from(STEP_FLAVOR, model->flavors[number].facts);
        return model->flavors[number].seen;
    }
    number -= FLAVORS;
    if (number < NODES) {
        *ret_step = step_from(STEP_NODE, model->nodes[number].facts);
        return model->nodes[number].seen;
    }
    number -= NODES;
    if (number < COMMANDS) {
        *ret_step = step_from(STEP_COMMAND, model->commands[number].facts);
        return model->commands[number].live && !model->commands[number].deleted;
    }
    number -= COMMANDS;
    if (number < GROUPS) {
        *ret_step = step_from(STEP_GROUP, model->groups[number].facts);
        return model->groups[number].seen;
    }
    number -= GROUPS;
    if (model->finished[number].live) {
        *ret_step = step_from(STEP_SEE, model->finished[number].pod);
        return true;
    }
    *ret_step = step_from(STEP_SEE, model->claims[number].pod);
    return model->claims[number].live && model->claims[number].confirmed;
}

static bool see_one(struct engine *engine, const struct model *model, int number)
{
    struct answer answer;
    struct step step;

    return !sight_of(model, number, &step) || drive(engine, &step, &answer) == 0;
}

/* Shows a range of things, in some order. */
static bool see_range(struct engine *engine, const struct model *model, struct random *random,
                      int first, int count)
{
    int order[SIGHTS];

    for (int n = 0; n < count; n++) {
        int other = random_below(random, n + 1);

        order[n] = order[other];
        order[other] = first + n;
    }
    for (int n = 0; n < count; n++)
        if (!see_one(engine, model, order[n]))
            return false;
    return true;
}

bool sights_show(struct engine *engine, const struct model *model, uint64_t seed)
{
    struct random random = {seed};

    return see_range(engine, model, &random, 0, SIGHTS - UIDS) &&
           see_range(engine, model, &random, SIGHTS - UIDS, UIDS);
}
