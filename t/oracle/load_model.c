/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/load_model.h"

#include <string.h>

enum { LEASE_SECONDS = 60 };

void load_model_init(struct load_model *model, const struct load_scenery *scenery, bool gates)
{
    int64_t now = model->now;

    *model = (struct load_model){.scenery = scenery, .gates = gates, .now = now};
    for (int n = 0; n < LOCALS; n++)
        model->local_queues[n] = -1;
    for (int n = 0; n < LOADS; n++)
        model->loads[n].write = "";
    load_model_count(model);
}

bool load_model_says_reserved(const struct load_object *object)
{
    return object->conditions[CONDITION_RESERVED].is_true && object->has_admission;
}

bool load_model_closed(const struct load_model *model, const struct load_object *object)
{
    for (int n = 0; n < object->gate_count && model->gates; n++)
        if (!object->gates[n].said || !object->gates[n].open)
            return true;
    return false;
}

/* What it is ranked by. */
int64_t load_model_since(const struct load_object *object)
{
    const struct load_condition_of *evicted = &object->conditions[CONDITION_EVICTED];

    return evicted->is_true && strcmp(evicted->reason, "AdmissionCheck") == 0 && evicted->since > 0
               ? evicted->since
               : object->created;
}

static int queue_of_object(const struct load_model *model, const struct load_object *object)
{
    return load_model_says_reserved(object) ? QUEUE_NAMES + object->granted_queue
                                            : model->local_queues[object->local];
}

int load_model_queue_of(const struct load_model *model, int number)
{
    return queue_of_object(model, &model->loads[number].seen);
}

bool load_model_holds(const struct model_load *load)
{
    return !load->over && (load->state == CLAIM_RESERVED || load->state == CLAIM_ALLOCATED);
}

static bool is_leaving(const struct model_load *load)
{
    return load_model_says_reserved(&load->seen) &&
           load->seen.conditions[CONDITION_EVICTED].is_true;
}

bool load_model_holds_later(const struct model_load *load)
{
    if (load->away)
        return false;
    return load_model_holds(load) ? !load->victim && !is_leaving(load) : load->promised;
}

wide load_model_amount(const struct model_load *load, int flavor, int resource)
{
    wide sum = 0;

    for (int s = 0; s < LOAD_SETS; s++)
        if (load->seen.sets[s].count > 0 && load->seen.sets[s].asks[resource] > 0 &&
            load->held[s].flavors[resource] == flavor)
            sum += (wide)load->seen.sets[s].asks[resource] * load->held[s].count;
    return sum;
}

wide load_model_least(const struct model_load *load, int flavor, int resource)
{
    wide sum = 0;

    for (int s = 0; s < LOAD_SETS; s++)
        if (load->seen.sets[s].count > 0 && load->seen.sets[s].asks[resource] > 0 &&
            load->held[s].flavors[resource] == flavor)
            sum += (wide)load->seen.sets[s].asks[resource] *
                   (load->held[s].count < load->seen.sets[s].minimum ? load->held[s].count
                                                                     : load->seen.sets[s].minimum);
    return sum;
}

static void hold_nothing(struct model_load *load)
{
    for (int s = 0; s < LOAD_SETS; s++) {
        load->held[s].count = 0;
        for (int r = 0; r < RESOURCES; r++)
            load->held[s].flavors[r] = -1;
    }
}

/* Nobody wrote to it that it is to go. */
static bool can_stay(const struct model_load *load)
{
    return !is_leaving(load) &&
           !((load->leased || load->awaits) && strcmp(load->writing, "evict") == 0);
}

void load_model_end_promise(struct load_model *model, int number)
{
    struct model_load *load = &model->loads[number];

    if (!load->promised)
        return;
    load->promised = false;
    hold_nothing(load);
    for (int n = 0; n < LOADS; n++) {
        struct model_load *victim = &model->loads[n];

        if (!victim->known || !victim->victim || victim->of != number)
            continue;
        victim->of = -1;
        victim->victim = !can_stay(victim);
    }
}

void load_model_spare(struct load_model *model, int number)
{
    struct model_load *load = &model->loads[number];
    bool holds = load_model_stop(model, load_model_queue_of(model, number)) == LIFE_HOLDS;

    if (!load->victim || !can_stay(load) || (load->of >= 0 && !holds))
        return;
    load->victim = false;
    load->of = -1;
}

void load_model_give_up(struct load_model *model, int number)
{
    struct model_load *load = &model->loads[number];

    load_model_end_promise(model, number);
    if (!load->assumed)
        return;
    load->assumed = load->victim = false;
    load->state = CLAIM_WAITING;
    hold_nothing(load);
}

/* Nothing of a resource is as good as no word of it. */
static struct load_set plainly(struct load_set set)
{
    for (int r = 0; r < RESOURCES; r++)
        if (set.asks[r] < 0)
            set.asks[r] = 0;
    return set;
}

bool load_model_same_asks(const struct load_object *a, const struct load_object *b)
{
    bool same = a->yields == b->yields;

    for (int s = 0; s < LOAD_SETS; s++) {
        struct load_set x = plainly(a->sets[s]), y = plainly(b->sets[s]);

        same = same && x.count == y.count && x.minimum == y.minimum && x.selects == y.selects &&
               x.tolerates == y.tolerates && memcmp(x.asks, y.asks, sizeof(x.asks)) == 0;
    }
    return same;
}

static bool keeps_decision(const struct load_model *model, const struct model_load *load,
                           const struct load_object *object)
{
    if (!load->known || load->over || load->seen.object != object->object ||
        load_model_says_reserved(object) || !load_model_same_asks(&load->seen, object) ||
        queue_of_object(model, &load->seen) != queue_of_object(model, object))
        return false;
    return load->assumed || (load->promised && !load_model_closed(model, object));
}

/* LocalQueues that are neither there nor named by anybody are forgotten. */
static void forget_locals(struct load_model *model)
{
    bool named[LOCALS] = {false};

    for (int n = 0; n < LOADS; n++)
        if (model->loads[n].known)
            named[model->loads[n].seen.local] = true;
    for (int n = 0; n < LOCALS; n++)
        if (!named[n] && !model->scenery->locals[n].is)
            model->local_queues[n] = -1;
}

void load_model_see(struct load_model *model, const struct load_object *object)
{
    struct model_load *load = &model->loads[object->number];
    bool fresh = !load->known || load->seen.object != object->object, keeps;

    if (!fresh && (object->version < load->seen.version || object->version < load->wrote))
        return;
    keeps = keeps_decision(model, load, object);
    if (load->known && !keeps)
        load_model_give_up(model, object->number);
    if (fresh) {
        *load = (struct model_load){.known = true, .of = -1, .write = ""};
        load->blocked = object->conditions[CONDITION_SIGNAL].is_true;
    }
    load->seen = *object;
    if (load_model_says_reserved(object)) {
        load->stamp = object->conditions[CONDITION_RESERVED].since;
        memcpy(load->held, object->granted, sizeof(load->held));
    } else if (!keeps) {
        hold_nothing(load);
    }
    if (object->version >= load->wrote)
        load->awaits = false;
    forget_locals(model);
}

void load_model_lose(struct load_model *model, int number)
{
    load_model_give_up(model, number);
    model->loads[number] = (struct model_load){.write = ""};
    forget_locals(model);
}

/* Who does not hold quota elsewhere goes with it. */
void load_model_local(struct load_model *model, int local)
{
    const struct load_shown *shown = &model->scenery->locals[local];
    int queue = shown->is ? QUEUE_NAMES + (int)shown->step.v[LOCAL_QUEUE] : -1;

    for (int n = 0; n < LOADS; n++)
        if (shown->is && model->loads[n].known && model->loads[n].seen.local == local &&
            model->local_queues[local] != queue && !load_model_says_reserved(&model->loads[n].seen))
            load_model_give_up(model, n);
    if (shown->is)
        model->local_queues[local] = queue;
    forget_locals(model);
}

void load_model_queue_edited(struct load_model *model, int node)
{
    for (int n = 0; n < LOADS; n++)
        if (model->loads[n].known && load_model_queue_of(model, n) == node)
            load_model_end_promise(model, n);
}

/* What was decided and is not seen is another leader's to decide again. */
void load_model_lead(struct load_model *model, bool leads)
{
    if (model->leads && !leads) {
        for (int n = 0; n < LOADS; n++) {
            struct model_load *load = &model->loads[n];

            load_model_end_promise(model, n);
            load_model_give_up(model, n);
            load->victim = load->leased = load->awaits = false;
        }
    }
    model->leads = leads;
}

void load_model_lease(struct load_model *model, int number)
{
    struct model_load *load = &model->loads[number];

    load->leased = true;
    load->lease_ends = model->now + LEASE_SECONDS * INT64_C(1000000000);
    memset(load->writing, 0, sizeof(load->writing));
    memcpy(load->writing, load->write, strlen(load->write));
}

void load_model_answered(struct load_model *model, int number, enum effect_result result,
                         int64_t version)
{
    struct model_load *load = &model->loads[number];

    if (!load->known || !load->leased)
        return;
    load->leased = false;
    if (result == EFFECT_GONE) {
        load_model_lose(model, number);
    } else if (result == EFFECT_DONE) {
        load->wrote = version;
        load->awaits = load->awaits || version > load->seen.version;
    } else {
        load->writing[0] = '\0';
        load_model_spare(model, number);
    }
}
