/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_model.h"

#include <string.h>

enum { LEASE_SECONDS = 60 };

void workload_model_init(struct workload_model *model, const struct workload_scenery *scenery,
                         bool gates)
{
    int64_t now = model->now;

    *model = (struct workload_model){.scenery = scenery, .gates = gates, .now = now};
    for (int n = 0; n < LOCALS; n++)
        model->local_queues[n] = -1;
    for (int n = 0; n < WORKLOADS; n++)
        model->workloads[n].write = "";
    workload_model_count(model);
}

bool workload_model_says_reserved(const struct workload_object *object)
{
    return object->conditions[CONDITION_RESERVED].is_true && object->has_admission;
}

bool workload_model_closed(const struct workload_model *model, const struct workload_object *object)
{
    for (int n = 0; n < object->gate_count && model->gates; n++)
        if (!object->gates[n].said || !object->gates[n].open)
            return true;
    return false;
}

/* What it is ranked by. */
int64_t workload_model_since(const struct workload_object *object)
{
    const struct workload_condition_of *evicted = &object->conditions[CONDITION_EVICTED];

    return evicted->is_true && strcmp(evicted->reason, "AdmissionCheck") == 0 && evicted->since > 0
               ? evicted->since
               : object->created;
}

static int queue_of_object(const struct workload_model *model, const struct workload_object *object)
{
    return workload_model_says_reserved(object) ? QUEUE_NAMES + object->granted_queue
                                                : model->local_queues[object->local];
}

int workload_model_queue_of(const struct workload_model *model, int number)
{
    return queue_of_object(model, &model->workloads[number].seen);
}

bool workload_model_waits_in(const struct workload_model *model, int number, int node)
{
    const struct model_workload *workload = &model->workloads[number];

    return workload->known && !workload->over && workload->state == CLAIM_WAITING &&
           workload_model_queue_of(model, number) == node;
}

bool workload_model_holds(const struct model_workload *workload)
{
    return !workload->over &&
           (workload->state == CLAIM_RESERVED || workload->state == CLAIM_ALLOCATED);
}

static bool is_leaving(const struct model_workload *workload)
{
    return workload_model_says_reserved(&workload->seen) &&
           workload->seen.conditions[CONDITION_EVICTED].is_true;
}

bool workload_model_holds_later(const struct model_workload *workload)
{
    return workload_model_holds(workload) ? !workload->victim && !is_leaving(workload)
                                          : workload->promised;
}

void workload_model_hold_nothing(struct model_workload *workload)
{
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        workload->held[s].count = 0;
        for (int r = 0; r < RESOURCES; r++)
            workload->held[s].flavors[r] = -1;
    }
}

/* Nobody wrote to it that it is to go. */
static bool can_stay(const struct model_workload *workload)
{
    return !is_leaving(workload) &&
           !((workload->leased || workload->awaits) && strcmp(workload->writing, "evict") == 0);
}

void workload_model_end_promise(struct workload_model *model, int number)
{
    struct model_workload *workload = &model->workloads[number];

    if (!workload->promised)
        return;
    workload->promised = workload->within = false;
    workload_model_hold_nothing(workload);
    for (int n = 0; n < WORKLOADS; n++) {
        struct model_workload *victim = &model->workloads[n];

        if (!victim->known || !victim->victim || victim->of != number)
            continue;
        victim->of = -1;
        victim->victim = !can_stay(victim);
    }
}

void workload_model_spare(struct workload_model *model, int number)
{
    struct model_workload *workload = &model->workloads[number];
    bool holds = workload_model_stop(model, workload_model_queue_of(model, number)) == LIFE_HOLDS;

    if (!workload->victim || !can_stay(workload) || (workload->of >= 0 && !holds))
        return;
    workload->victim = false;
    workload->of = -1;
}

void workload_model_give_up(struct workload_model *model, int number)
{
    struct model_workload *workload = &model->workloads[number];

    workload_model_end_promise(model, number);
    if (!workload->assumed)
        return;
    workload->assumed = workload->victim = false;
    workload->state = CLAIM_WAITING;
    workload_model_hold_nothing(workload);
}

/* Nothing of a resource is as good as no word of it. */
static struct workload_set plainly(struct workload_set set)
{
    for (int r = 0; r < RESOURCES; r++)
        if (set.asks[r] < 0)
            set.asks[r] = 0;
    return set;
}

bool workload_model_same_asks(const struct workload_object *a, const struct workload_object *b)
{
    bool same = a->yields == b->yields;

    for (int s = 0; s < WORKLOAD_SETS; s++) {
        struct workload_set x = plainly(a->sets[s]), y = plainly(b->sets[s]);

        same = same && x.count == y.count && x.minimum == y.minimum && x.selects == y.selects &&
               x.tolerates == y.tolerates && memcmp(x.asks, y.asks, sizeof(x.asks)) == 0;
    }
    return same;
}

static bool keeps_decision(const struct workload_model *model,
                           const struct model_workload *workload,
                           const struct workload_object *object)
{
    if (!workload->known || workload->over || workload->seen.object != object->object ||
        workload_model_says_reserved(object) ||
        !workload_model_same_asks(&workload->seen, object) ||
        queue_of_object(model, &workload->seen) != queue_of_object(model, object))
        return false;
    return workload->assumed || (workload->promised && !workload_model_closed(model, object));
}

/* LocalQueues that are neither there nor named by anybody are forgotten. */
static void forget_locals(struct workload_model *model)
{
    bool named[LOCALS] = {false};

    for (int n = 0; n < WORKLOADS; n++)
        if (model->workloads[n].known)
            named[model->workloads[n].seen.local] = true;
    for (int n = 0; n < LOCALS; n++)
        if (!named[n] && !model->scenery->locals[n].is)
            model->local_queues[n] = -1;
}

void workload_model_see(struct workload_model *model, const struct workload_object *object)
{
    struct model_workload *workload = &model->workloads[object->number];
    bool fresh = !workload->known || workload->seen.object != object->object, keeps;

    if (!fresh && (object->version < workload->seen.version || object->version < workload->wrote))
        return;
    keeps = keeps_decision(model, workload, object);
    if (workload->known && !keeps)
        workload_model_give_up(model, object->number);
    if (fresh) {
        *workload = (struct model_workload){.known = true, .of = -1, .write = ""};
        workload->blocked = object->conditions[CONDITION_SIGNAL].is_true;
    }
    workload->seen = *object;
    if (workload_model_says_reserved(object)) {
        workload->stamp = object->conditions[CONDITION_RESERVED].since;
        memcpy(workload->held, object->granted, sizeof(workload->held));
    } else if (!keeps) {
        workload_model_hold_nothing(workload);
    }
    if (object->version >= workload->wrote)
        workload->awaits = false;
    forget_locals(model);
}

void workload_model_lose(struct workload_model *model, int number)
{
    workload_model_give_up(model, number);
    model->workloads[number] = (struct model_workload){.write = ""};
    forget_locals(model);
}

/* Who does not hold quota elsewhere goes with it. */
void workload_model_local(struct workload_model *model, int local)
{
    const struct workload_shown *shown = &model->scenery->locals[local];
    int queue = shown->is ? QUEUE_NAMES + (int)shown->step.v[LOCAL_QUEUE] : -1;

    for (int n = 0; n < WORKLOADS; n++)
        if (shown->is && model->workloads[n].known && model->workloads[n].seen.local == local &&
            model->local_queues[local] != queue &&
            !workload_model_says_reserved(&model->workloads[n].seen))
            workload_model_give_up(model, n);
    if (shown->is)
        model->local_queues[local] = queue;
    forget_locals(model);
}

void workload_model_queue_edited(struct workload_model *model, int node)
{
    for (int n = 0; n < WORKLOADS; n++)
        if (model->workloads[n].known && workload_model_queue_of(model, n) == node)
            workload_model_end_promise(model, n);
}

/* What was decided and is not seen is another leader's to decide again. */
void workload_model_lead(struct workload_model *model, bool leads)
{
    if (model->leads && !leads) {
        for (int n = 0; n < WORKLOADS; n++) {
            struct model_workload *workload = &model->workloads[n];

            workload_model_end_promise(model, n);
            workload_model_give_up(model, n);
            workload->victim = workload->leased = workload->awaits = false;
        }
    }
    model->leads = leads;
}

void workload_model_lease(struct workload_model *model, int number)
{
    struct model_workload *workload = &model->workloads[number];

    workload->leased = true;
    workload->lease_ends = model->now + LEASE_SECONDS * SECOND;
    memset(workload->writing, 0, sizeof(workload->writing));
    memcpy(workload->writing, workload->write, strlen(workload->write));
}

void workload_model_answered(struct workload_model *model, int number, enum effect_result result,
                             int64_t version)
{
    struct model_workload *workload = &model->workloads[number];

    if (!workload->known || !workload->leased)
        return;
    workload->leased = false;
    if (result == EFFECT_GONE) {
        workload_model_lose(model, number);
    } else if (result == EFFECT_DONE) {
        workload->wrote = version;
        workload->awaits = workload->awaits || version > workload->seen.version;
    } else {
        workload->writing[0] = '\0';
        workload_model_spare(model, number);
    }
}
