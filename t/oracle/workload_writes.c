/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_world.h"

#include "plugin/base/outbox.h"
#include "plugin/engine.h"

#include <stdio.h>
#include <string.h>

void workload_world_say(const struct workload_world *world, struct workload_object *object,
                        enum workload_condition condition, bool is, const char *reason)
{
    struct workload_condition_of *to = &object->conditions[condition];

    if (to->is_true != is || to->is_false == is)
        to->since = world->now;
    to->is_true = is;
    to->is_false = !is;
    snprintf(to->reason, sizeof(to->reason), "%s", reason);
}

static void copy_text(char to[WORKLOAD_WORD], struct text text)
{
    snprintf(to, WORKLOAD_WORD, "%.*s", (int)text.len, text.at == NULL ? "" : text.at);
}

static void read_write(const struct workload_write_report *report, struct workload_write_of *ret)
{
    *ret = (struct workload_write_of){.queue = world_find_queue(report->queue),
                                      .admitted = report->admitted,
                                      .clear = report->clear,
                                      .forget_requeue = report->forget_requeue,
                                      .requeued = report->requeued,
                                      .at = report->at,
                                      .gate_count = (int)report->gate_count};
    copy_text(ret->write, text_of(report->write));
    copy_text(ret->reason, report->reason);
    copy_text(ret->cause, report->cause);
    for (int s = 0; s < WORKLOAD_SETS; s++)
        for (int r = 0; r < RESOURCES; r++)
            ret->granted[s].flavors[r] = -1;
    for (uint32_t at = 0; at < report->set_count; at++) {
        const struct workload_set_report *set = &report->sets[at];
        struct workload_grant *to = &ret->granted[workload_world_find_set(set->name)];

        to->count = (int)set->count;
        for (uint32_t i = 0; i < set->need_count; i++)
            to->flavors[world_find_resource(set->needs[i].resource)] =
                world_find_flavor(set->needs[i].flavor);
    }
    for (uint32_t n = 0; n < report->check_count; n++)
        for (int check = 0; check < CHECKS; check++)
            if (text_is(report->checks[n], world_checks[check]))
                ret->checks[ret->check_count++] = check;
    for (int n = 0; n < ret->gate_count; n++)
        ret->open[workload_world_find_gate(report->gates[n].name)] = report->gates[n].open;
}

static void drop_admission(const struct workload_world *world, struct workload_object *object,
                           const char *reason)
{
    object->has_admission = false;
    workload_world_say(world, object, CONDITION_RESERVED, false, reason);
    if (object->conditions[CONDITION_ADMITTED].is_true)
        workload_world_say(world, object, CONDITION_ADMITTED, false, reason);
}

static void list_checks(struct workload_object *object, const struct workload_write_of *write)
{
    const struct workload_object was = *object;

    object->check_count = write->check_count;
    for (int n = 0; n < write->check_count; n++) {
        object->checks[n].check = write->checks[n];
        object->checks[n].state = CHECK_PENDING;
        object->checks[n].retry_at = 0;
        for (int k = 0; k < was.check_count; k++)
            if (was.checks[k].check == write->checks[n])
                object->checks[n] = was.checks[k];
    }
}

static void forget_requeue(struct workload_object *object)
{
    object->has_requeue = false;
    object->requeue_at = 0;
}

static void set_gates(struct workload_object *object, const struct workload_write_of *write)
{
    for (int n = 0; n < object->gate_count; n++) {
        object->gates[n].said = true;
        object->gates[n].open = write->open[n];
    }
    object->strays = false;
}

static void admit(const struct workload_world *world, struct workload_object *object)
{
    workload_world_say(world, object, CONDITION_ADMITTED, true, "Admitted");
    object->job_stopped = false;
}

static void reserve(const struct workload_world *world, struct workload_object *object,
                    const struct workload_write_of *write)
{
    object->has_admission = true;
    object->granted_queue = write->queue;
    memcpy(object->granted, write->granted, sizeof(object->granted));
    workload_world_say(world, object, CONDITION_RESERVED, true, "QuotaReserved");
    if (object->conditions[CONDITION_EVICTED].is_true)
        workload_world_say(world, object, CONDITION_EVICTED, false, "QuotaReserved");
    list_checks(object, write);
    if (write->admitted)
        admit(world, object);
}

static void evict(const struct workload_world *world, struct workload_object *object,
                  const struct workload_write_of *write)
{
    workload_world_say(world, object, CONDITION_EVICTED, true, write->reason);
    object->conditions[CONDITION_TARGET] = (struct workload_condition_of){0};
    set_gates(object, write);
    for (int n = 0; n < object->check_count; n++)
        for (int k = 0; k < write->check_count; k++)
            if (object->checks[n].check == write->checks[k])
                object->checks[n].state = CHECK_PENDING;
    if (write->forget_requeue)
        forget_requeue(object);
}

/* Carries out a write into what is there. */
static void write_into(struct workload_world *world, int number,
                       const struct workload_write_of *write)
{
    struct workload_object *object = workload_world_change(world, number);
    const char *word = write->write;

    if (strcmp(word, "reserve") == 0) {
        reserve(world, object, write);
    } else if (strcmp(word, "gates") == 0) {
        set_gates(object, write);
    } else if (strcmp(word, "admit") == 0) {
        admit(world, object);
    } else if (strcmp(word, "checks") == 0) {
        list_checks(object, write);
    } else if (strcmp(word, "signal") == 0) {
        workload_world_say(world, object, CONDITION_SIGNAL, true, write->reason);
        workload_world_say(world, object, CONDITION_RESERVED, false, "Pending");
    } else if (strcmp(word, "clearSignal") == 0) {
        workload_world_say(world, object, CONDITION_SIGNAL, false, write->reason);
    } else if (strcmp(word, "evict") == 0) {
        evict(world, object, write);
    } else if (strcmp(word, "endEviction") == 0) {
        drop_admission(world, object, "Pending");
        workload_world_say(world, object, CONDITION_REQUEUED, write->requeued, write->reason);
    } else if (strcmp(word, "unreserve") == 0) {
        drop_admission(world, object, write->reason);
    } else if (strcmp(word, "pending") == 0) {
        workload_world_say(world, object, CONDITION_RESERVED, false, write->reason);
    } else if (strcmp(word, "requeued") == 0) {
        workload_world_say(world, object, CONDITION_REQUEUED, true, write->reason);
        forget_requeue(object);
    } else if (strcmp(word, "requeueAt") == 0) {
        object->requeue_at = write->at;
        object->has_requeue = true;
    } else if (strcmp(word, "clearBackoff") == 0) {
        forget_requeue(object);
    } else if (strcmp(word, "clearRequeue") == 0) {
        forget_requeue(object);
        object->conditions[CONDITION_TARGET] = (struct workload_condition_of){0};
    } else if (strcmp(word, "target") == 0) {
        workload_world_say(world, object, CONDITION_TARGET, true, write->reason);
    } else if (strcmp(word, "deactivate") == 0) {
        object->active = false;
    }
    if (write->clear && (strcmp(word, "reserve") == 0 || strcmp(word, "evict") == 0))
        workload_world_say(world, object, CONDITION_SIGNAL, false, write->reason);
}

void workload_world_lease(struct engine *engine, struct effect *effect,
                          struct workload_request *ret)
{
    static struct workload_write_report report; /* large */
    int number = workload_world_find(effect->name);

    engine_workload_write(engine, effect->workload, &report);
    *ret =
        (struct workload_request){.is = true,
                                  .id = effect->id,
                                  .version = effect->resource_version,
                                  .object = !text_is(effect->uid, workload_world_uid(number, 0))};
    read_write(&report, &ret->write);
    outbox_lease(engine_outbox(engine), effect, 0);
}

enum effect_result workload_world_carry(struct workload_world *world, int number,
                                        const struct workload_request *request, enum carry how)
{
    const struct workload_object *object = &world->objects[number];

    if (how == CARRY_NEVER || how == CARRY_RETRY)
        return EFFECT_RETRY;
    if (how == CARRY_REFUSED)
        return EFFECT_CONFLICT;
    if (!object->is || object->object != request->object)
        return EFFECT_GONE;
    if (object->version != request->version)
        return EFFECT_CONFLICT;
    write_into(world, number, &request->write);
    return EFFECT_DONE;
}
