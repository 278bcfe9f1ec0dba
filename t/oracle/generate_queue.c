/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/generate_queue.h"

int generate_below(struct generator *g, int n)
{
    return random_below(&g->random, n);
}

bool generate_one_in(struct generator *g, int n)
{
    return random_one_in(&g->random, n);
}

int64_t generate_amount(struct generator *g)
{
    int64_t huge;

    if (generate_one_in(g, 12))
        return 0;
    if (g->largest < 100)
        return 1 + generate_below(g, (int)g->largest);
    huge = (int64_t)(random_next(&g->random) >> 2);
    return huge >> generate_below(g, 8);
}

static int64_t amount_or_unsaid(struct generator *g, int odds)
{
    return generate_one_in(g, odds) ? generate_amount(g) : UNSAID;
}

enum queue_kind generate_kind(struct generator *g)
{
    bool volcano =
        g->dialect == DIALECT_VOLCANO || (g->dialect == DIALECT_BOTH && generate_one_in(g, 2));

    if (volcano)
        return QUEUE_VOLCANO;
    return generate_one_in(g, 3) ? QUEUE_COHORT : QUEUE_CLUSTER;
}

int generate_queue_name(struct generator *g)
{
    return generate_one_in(g, 40) ? generate_below(g, NAME_FIRST)
                                  : NAME_FIRST + generate_below(g, g->queues);
}

static void any_volcano_quota(struct generator *g, struct step *step)
{
    for (int r = 0; r < RESOURCES; r++) {
        if (r >= g->resources && r != RESOURCES - 1)
            continue;
        step->v[QUEUE_CAPABILITY + r] = amount_or_unsaid(g, 2);
        step->v[QUEUE_DESERVED + r] = amount_or_unsaid(g, 3);
        step->v[QUEUE_GUARANTEE + r] = amount_or_unsaid(g, 4);
        if (step->v[QUEUE_CAPABILITY + r] != UNSAID && g->largest < 100)
            step->v[QUEUE_CAPABILITY + r] *= 1 + generate_below(g, 4);
    }
}

static void any_kueue_quota(struct generator *g, struct step *step)
{
    int split = generate_below(g, 2);

    step->v[QUEUE_BORROWS_LAST] = generate_one_in(g, 2);
    step->v[QUEUE_PREEMPTS_LAST] = generate_one_in(g, 2);
    step->v[QUEUE_BORROWS_LEAST] = generate_one_in(g, 3);
    for (int r = 0; r < RESOURCES; r++)
        if (r < g->resources || (r == RESOURCES - 1 && generate_one_in(g, 2)))
            step->v[QUEUE_GROUP + r] =
                generate_one_in(g, 12) ? 0 : 1 + (split && generate_below(g, 2));
    for (int group = 0; group < 2; group++) {
        int order[FLAVORS] = {1, 2, 3}, count = 1 + generate_below(g, g->flavors);

        for (int n = FLAVORS - 1; n > 0; n--) {
            int other = generate_below(g, n + 1), was = order[n];

            order[n] = order[other];
            order[other] = was;
        }
        for (int n = 0; n < count; n++)
            step->v[QUEUE_ORDER + group] = step->v[QUEUE_ORDER + group] * 10 + order[n];
    }
    for (int cell = 0; cell < FLAVORS * RESOURCES; cell++) {
        step->v[QUEUE_NOMINAL + cell] = generate_amount(g);
        step->v[QUEUE_BORROWING + cell] = amount_or_unsaid(g, 3);
        step->v[QUEUE_LENDING + cell] = amount_or_unsaid(g, 3);
        if (g->largest < 100)
            step->v[QUEUE_NOMINAL + cell] *= 1 + generate_below(g, 3);
    }
}

struct step generate_queue(struct generator *g, int name)
{
    struct step step = step_make(STEP_QUEUE);
    enum queue_kind kind = generate_kind(g);

    step.v[QUEUE_KIND] = kind;
    step.v[QUEUE_NAME] = name;
    if (!generate_one_in(g, 3))
        step.v[QUEUE_PARENT] = 1 + generate_queue_name(g);
    if (kind == QUEUE_VOLCANO && generate_one_in(g, 2))
        step.v[QUEUE_PARENT] = 1 + NAME_ROOT;
    step.v[QUEUE_PRIORITY] = generate_one_in(g, 3) ? generate_below(g, 3) : 0;
    step.v[QUEUE_STRICT] = generate_one_in(g, 3);
    step.v[QUEUE_COMMAND] = generate_one_in(g, 10) ? generate_below(g, 3) : 0;
    if (g->writes && kind == QUEUE_VOLCANO) {
        step.v[QUEUE_COMMAND] = generate_one_in(g, 4) ? generate_below(g, WORDS) : SAYS_NOTHING;
        step.v[QUEUE_CREATED_SUSPENDED] = generate_one_in(g, 6);
        step.v[QUEUE_OBJECT] = generate_one_in(g, 20) ? generate_below(g, 4) : 0;
    }
    if (kind == QUEUE_VOLCANO)
        any_volcano_quota(g, &step);
    else
        any_kueue_quota(g, &step);
    if (g->evicts) {
        step.v[QUEUE_WITHIN] = generate_below(g, PREEMPT_ANY);
        step.v[QUEUE_RECLAIM] = generate_one_in(g, 3) ? PREEMPT_ANY : generate_below(g, 2);
        step.v[QUEUE_BORROWS] = generate_below(g, 3);
        step.v[QUEUE_UNRECLAIMABLE] = generate_one_in(g, 4);
    }
    return step;
}

/* An edit of one thing: most edits are. */
struct step generate_queue_edit(struct generator *g, const struct model *model)
{
    enum queue_kind kind = generate_kind(g);
    int queue = model_queue_id((int)kind, generate_queue_name(g));
    struct step step = step_from(STEP_QUEUE, model->queues[queue].spec), fresh;

    if (!model->queues[queue].known || generate_one_in(g, 3))
        return generate_queue(g, queue % QUEUE_NAMES);
    do
        fresh = generate_queue(g, queue % QUEUE_NAMES);
    while (fresh.v[QUEUE_KIND] != step.v[QUEUE_KIND]);
    if (generate_one_in(g, 3)) {
        step.v[QUEUE_COMMAND] = generate_below(g, 3);
    } else if (generate_one_in(g, 4)) {
        step.v[QUEUE_PARENT] = fresh.v[QUEUE_PARENT];
    } else if (generate_one_in(g, 4)) {
        step.v[QUEUE_STRICT] = !step.v[QUEUE_STRICT];
        step.v[QUEUE_PRIORITY] = fresh.v[QUEUE_PRIORITY];
    } else {
        for (int n = QUEUE_CAPABILITY; n < QUEUE_FIELDS; n++)
            if (generate_one_in(g, 3) && (n < QUEUE_GROUP || n >= QUEUE_NOMINAL))
                step.v[n] = fresh.v[n];
    }
    return step;
}
