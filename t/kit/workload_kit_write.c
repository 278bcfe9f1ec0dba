/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/workload_kit.h"

#include "t/kit/tap.h"

#include <stdio.h>

static void keep(char *to, size_t size, struct text text)
{
    snprintf(to, size, "%.*s", (int)text.len, text.at);
}

bool workload_object_says(const struct workload_object *object, enum workload_condition condition)
{
    return object->facts.conditions[condition].is_true;
}

void workload_object_say(struct workload_kit *kit, struct workload_object *object,
                         enum workload_condition condition, bool is, struct text reason)
{
    struct condition_facts *facts = &object->facts.conditions[condition];

    if (facts->is_true != is || facts->is_false == is)
        facts->since = kit->kit.engine->now;
    facts->is_true = is;
    facts->is_false = !is;
    keep(object->conditions[condition], sizeof(object->conditions[condition]), reason);
    facts->reason = text_of(object->conditions[condition]);
}

static void drop_admission(struct workload_kit *kit, struct workload_object *object,
                           struct text reason)
{
    object->facts.has_admission = false;
    workload_object_say(kit, object, CONDITION_RESERVED, false, reason);
    workload_object_say(kit, object, CONDITION_ADMITTED, false, reason);
}

static void take_checks(struct workload_object *object, const struct workload_write_report *write)
{
    char kept[FACTS_MAX_CHECKS][24];
    enum check_state states[FACTS_MAX_CHECKS];

    for (uint32_t i = 0; i < write->check_count; i++) {
        keep(kept[i], sizeof(kept[i]), write->checks[i]);
        states[i] = CHECK_PENDING;
        for (uint32_t k = 0; k < object->facts.check_count; k++) {
            if (text_is(write->checks[i], object->checks[k]))
                states[i] = object->facts.checks[k].state;
        }
    }
    object->facts.check_count = write->check_count;
    for (uint32_t i = 0; i < write->check_count; i++) {
        snprintf(object->checks[i], sizeof(object->checks[i]), "%.23s", kept[i]);
        object->facts.checks[i] =
            (struct workload_check_facts){.name = text_of(object->checks[i]), .state = states[i]};
    }
}

static struct text resource_name(struct text resource)
{
    static const char *const names[WORKLOAD_KIT_NEEDS] = {"cpu", "memory", "pods"};

    for (int i = 0; i < WORKLOAD_KIT_NEEDS; i++) {
        if (text_is(resource, names[i]))
            return text_of(names[i]);
    }
    return text_of("");
}

static void take_admission(struct workload_kit *kit, struct workload_object *object,
                           const struct workload_write_report *write)
{
    struct granted_facts *granted = &object->granted;

    keep(object->granted_queue, sizeof(object->granted_queue), write->queue);
    object->facts.granted_queue = text_of(object->granted_queue);
    object->facts.has_admission = true;
    granted->name = text_of("main");
    granted->count = write->sets[0].count;
    granted->flavor_count = 0;
    for (uint32_t i = 0; i < write->sets[0].need_count && i < WORKLOAD_KIT_NEEDS; i++) {
        keep(object->flavors[i], sizeof(object->flavors[i]), write->sets[0].needs[i].flavor);
        granted->flavors[i].flavor = text_of(object->flavors[i]);
        granted->flavors[i].resource = resource_name(write->sets[0].needs[i].resource);
        granted->flavor_count++;
    }
    workload_object_say(kit, object, CONDITION_RESERVED, true, write->reason);
    if (workload_object_says(object, CONDITION_EVICTED))
        workload_object_say(kit, object, CONDITION_EVICTED, false, write->reason);
}

static void take_gates(struct workload_object *object, const struct workload_write_report *write)
{
    for (uint32_t i = 0; i < write->gate_count; i++) {
        object->facts.gates[i].said = true;
        object->facts.gates[i].open = write->gates[i].open;
    }
    object->facts.stray_gates = false;
}

static void evict(struct workload_kit *kit, struct workload_object *object,
                  const struct workload_write_report *write)
{
    workload_object_say(kit, object, CONDITION_EVICTED, true, write->reason);
    object->facts.conditions[CONDITION_TARGET] = (struct condition_facts){0};
    take_gates(object, write);
    for (uint32_t i = 0; i < object->facts.check_count; i++)
        object->facts.checks[i].state = CHECK_PENDING;
    if (write->forget_requeue)
        object->facts.has_requeue = false;
    if (!kit->jobs_stay)
        object->facts.job_stopped = true;
}

static void admit(struct workload_kit *kit, struct workload_object *object)
{
    workload_object_say(kit, object, CONDITION_ADMITTED, true, text_of("Admitted"));
    object->facts.job_stopped = false;
}

void workload_object_write(struct workload_kit *kit, struct workload_object *object,
                           const struct workload_write_report *write)
{
    struct text word = text_of(write->write);

    if (text_is(word, "reserve")) {
        take_admission(kit, object, write);
        take_checks(object, write);
        if (write->admitted)
            admit(kit, object);
    } else if (text_is(word, "gates")) {
        take_gates(object, write);
    } else if (text_is(word, "admit")) {
        admit(kit, object);
    } else if (text_is(word, "checks")) {
        take_checks(object, write);
    } else if (text_is(word, "signal") || text_is(word, "clearSignal")) {
        workload_object_say(kit, object, CONDITION_SIGNAL, text_is(word, "signal"), write->reason);
    } else if (text_is(word, "evict")) {
        evict(kit, object, write);
    } else if (text_is(word, "endEviction")) {
        drop_admission(kit, object, text_of("Pending"));
        workload_object_say(kit, object, CONDITION_REQUEUED, write->requeued, write->reason);
    } else if (text_is(word, "unreserve")) {
        drop_admission(kit, object, write->reason);
    } else if (text_is(word, "pending")) {
        workload_object_say(kit, object, CONDITION_RESERVED, false, write->reason);
    } else if (text_is(word, "requeued")) {
        workload_object_say(kit, object, CONDITION_REQUEUED, true, write->reason);
        object->facts.requeue_at = 0;
        object->facts.has_requeue = false;
    } else if (text_is(word, "requeueAt")) {
        object->facts.requeue_at = write->at;
        object->facts.has_requeue = true;
    } else if (text_is(word, "clearBackoff")) {
        object->facts.requeue_at = 0;
        object->facts.has_requeue = false;
    } else if (text_is(word, "clearRequeue")) {
        object->facts.has_requeue = false;
        object->facts.requeue_at = 0;
        object->facts.conditions[CONDITION_TARGET] = (struct condition_facts){0};
    } else if (text_is(word, "target")) {
        workload_object_say(kit, object, CONDITION_TARGET, true, write->reason);
    } else if (text_is(word, "deactivate")) {
        object->facts.active = false;
    } else {
        ok(false, "a write: %s", write->write);
    }
    if (write->clear && (text_is(word, "reserve") || text_is(word, "evict")))
        workload_object_say(kit, object, CONDITION_SIGNAL, false, write->reason);
}
