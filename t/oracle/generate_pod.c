/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/generate_queue.h"

static void any_requests(struct generator *g, struct step *step)
{
    for (int r = 0; r < RESOURCES - 1; r++)
        step->v[POD_REQUEST + r] =
            (r < g->resources || generate_one_in(g, 30)) && !generate_one_in(g, 4)
                ? generate_amount(g)
                : UNSAID;
}

static struct step any_pod(struct generator *g, const struct model *model, int uid)
{
    struct step step = step_of(STEP_SEE, uid);

    step.v[POD_CREATED] =
        generate_one_in(g, 2) ? model->now - generate_below(g, 4) * SECOND : model->now;
    step.v[POD_PRIORITY] = generate_one_in(g, 3) ? generate_below(g, 5) - 2 : 0;
    step.v[POD_GENERATION] = 1;
    step.v[POD_VERSION] = 1 + generate_below(g, 1000);
    step.v[POD_KIND] = generate_kind(g) != QUEUE_VOLCANO;
    step.v[POD_NOT_SELECTED] = generate_one_in(g, 8);
    step.v[POD_GATES] = generate_one_in(g, 8) ? generate_below(g, 4) : GATE_LONG;
    step.v[POD_FOREIGN] = generate_one_in(g, 8) ? 1 + generate_below(g, 2) : 0;
    step.v[POD_OPTED_IN] = !generate_one_in(g, 8);
    step.v[POD_QUEUE] = generate_one_in(g, 12) ? 0 : 1 + generate_queue_name(g);
    step.v[POD_NAMESPACE_QUEUE] = generate_one_in(g, 3) ? 1 + generate_queue_name(g) : 0;
    any_requests(g, &step);
    if (g->groups > 0 ? generate_one_in(g, 2) : generate_one_in(g, 60))
        step.v[POD_GROUP] = 1 + generate_below(g, GROUPS);
    step.v[POD_SYSTEM] = generate_one_in(g, 60);
    step.v[POD_FOREIGN_SCHEDULER] = generate_one_in(g, 60);
    step.v[POD_DAEMON] = generate_one_in(g, 60);
    step.v[POD_MIRROR] = generate_one_in(g, 60);
    if (generate_one_in(g, 20)) {
        step.v[POD_GATES] = step.v[POD_FOREIGN] = 0;
        step.v[POD_NODE] = 1 + generate_below(g, NODES);
    }
    return step;
}

static struct step same_pod(const struct model *model, int uid)
{
    struct step step = step_from(STEP_SEE, model->claims[uid].pod);

    step.v[POD_VERSION]++;
    return step;
}

static void drop_gates(const struct model_claim *claim, struct step *step)
{
    if (step->v[POD_GATES] == 0)
        return;
    step->v[POD_GATES] = 0;
    step->v[POD_GENERATION]++;
    if (claim->state != CLAIM_RESERVED)
        return;
    step->v[POD_STAMP] = claim->stamp;
    step->v[POD_STAMPED_IN] = model_queue_of(claim) + 1;
    for (int r = 0; r < RESOURCES; r++)
        step->v[POD_STAMPED + r] = claim->flavor[r] + 1;
}

/* What happens to a pod that was let through. */
static struct step after_grant(struct generator *g, const struct model *model, int uid)
{
    const struct model_claim *claim = &model->claims[uid];
    struct step step = same_pod(model, uid);

    switch (generate_below(g, 14)) {
    case 0:
        return step_of(STEP_PRE_FILTER, uid);
    case 1:
        return step_of(STEP_POST_FILTER, uid);
    case 2:
        return step_of(STEP_RESERVE, uid);
    case 3:
        return step_of(STEP_UNRESERVE, uid);
    case 4:
        if (claim->state == CLAIM_ALLOCATED)
            return step_of(STEP_POST_BIND, uid);
        break;
    case 5:
        step.v[POD_UNSCHEDULABLE] = !step.v[POD_UNSCHEDULABLE];
        return step;
    case 6:
        step.v[POD_NOMINATED] = !step.v[POD_NOMINATED];
        return step;
    case 7:
        if (step.v[POD_FOREIGN] > 0)
            break;
        drop_gates(claim, &step);
        step.v[POD_NODE] = 1 + generate_below(g, NODES);
        step.v[POD_UNSCHEDULABLE] = step.v[POD_NOMINATED] = 0;
        return step;
    case 8:
        step.v[POD_NOT_SELECTED] = !step.v[POD_NOT_SELECTED];
        return step;
    case 9:
        step.v[POD_QUEUE] = 1 + generate_queue_name(g);
        step.v[POD_KIND] = generate_kind(g) != QUEUE_VOLCANO;
        return step;
    case 10:
        if (step.v[POD_STAMP] != 0 || step.v[POD_NODE] > 0) /* an old stamp names no queue */
            step.v[POD_STAMPED_IN] = generate_one_in(g, 8) ? 0 : model_queue_of(claim) + 1;
        return step;
    case 11: /* its bind fails, while others of its group have come to wait */
        return step_of(claim->state == CLAIM_ALLOCATED ? STEP_UNRESERVE : STEP_RESERVE, uid);
    default:
        break;
    }
    drop_gates(claim, &step);
    return step;
}

/* Its owner takes it out of the queues. */
static void opt_out(struct step *step)
{
    step->v[POD_GENERATION] += step->v[POD_GATES] != 0;
    step->v[POD_OPTED_IN] = step->v[POD_GATES] = step->v[POD_STAMP] = step->v[POD_GROUP] = 0;
}

/* One that left, and that the scheduler was not told of: it comes back, or is heard of again. */
static struct step after_leaving(struct generator *g, const struct model *model, int uid)
{
    struct step step = same_pod(model, uid);

    if (generate_one_in(g, 3))
        step.kind = STEP_ENQUEUE;
    if (generate_one_in(g, 4))
        step.v[POD_VERSION] -= 2; /* an old message */
    if (generate_one_in(g, 3))
        step.v[POD_OPTED_IN] = 1;
    if (generate_one_in(g, 8))
        step.v[POD_UNSCHEDULABLE] = 1;
    if (generate_one_in(g, 8))
        step.v[POD_FOREIGN] = 1;
    if (generate_one_in(g, 8))
        step.v[POD_NODE] = 1 + generate_below(g, NODES);
    return step;
}

/* What its owner does to a pod, or becomes of it. */
static struct step after_creation(struct generator *g, const struct model *model, int uid)
{
    struct step step = same_pod(model, uid);

    switch (generate_below(g, 16)) {
    case 0:
        for (int r = 0; r < RESOURCES - 1; r++)
            if (step.v[POD_REQUEST + r] != UNSAID && generate_one_in(g, 2))
                step.v[POD_REQUEST + r] = generate_amount(g);
        break;
    case 1:
        step.v[POD_QUEUE] = 1 + generate_queue_name(g);
        break;
    case 2:
        step.v[POD_PRIORITY] = generate_below(g, 5) - 2;
        break;
    case 3:
        step.v[POD_UNSCHEDULABLE] = step.v[POD_NODE] == 0 && generate_one_in(g, 2);
        break;
    case 4:
    case 5:
        step.v[POD_FOREIGN] = 0;
        break;
    case 6:
        step.v[POD_DELETED] = 1;
        break;
    case 7:
        step.v[POD_FINISHED] = 1;
        break;
    case 8:
    case 11:
    case 12:
        step.kind = STEP_ENQUEUE;
        break;
    case 9:
    case 10:
        return generate_one_in(g, 2) ? step : step_of(STEP_LOSE, uid);
    case 13:
        step.v[POD_NOT_SELECTED] = !step.v[POD_NOT_SELECTED];
        break;
    case 14:
        opt_out(&step);
        break;
    default:
        step.v[POD_UNSCHEDULABLE] = 0;
        break;
    }
    return step;
}

struct step generate_pod_step(struct generator *g, const struct model *model)
{
    int uid = generate_below(g, g->pods);
    struct step step;

    if (model->claims[uid].live && model_holds(&model->claims[uid]) && !generate_one_in(g, 4))
        return after_grant(g, model, uid);
    if (model->claims[uid].live)
        return after_creation(g, model, uid);
    if (model->claims[uid].let_go && !generate_one_in(g, 4))
        return after_leaving(g, model, uid);
    step = any_pod(g, model, uid);
    if (generate_one_in(g, 3))
        step.kind = STEP_ENQUEUE;
    return step;
}
