/* SPDX-License-Identifier: Apache-2.0 */
#include "t/load_kit.h"

#include "t/engine_kit_words.h"
#include "t/tap.h"

#include <stdio.h>
#include <stdlib.h>

static void keep(char *to, size_t size, struct text text)
{
    snprintf(to, size, "%.*s", (int)text.len, text.at);
}

static struct load_object *find(struct load_kit *kit, const char *name)
{
    for (int i = 0; i < LOAD_KIT_MAX; i++) {
        if (kit->objects[i].is && strcmp(kit->objects[i].name, name) == 0)
            return &kit->objects[i];
    }
    return NULL;
}

static bool is_true(const struct load_object *object, enum load_condition condition)
{
    return object->facts.conditions[condition].is_true;
}

static void set_condition(struct load_kit *kit, struct load_object *object,
                          enum load_condition condition, bool is, struct text reason)
{
    struct condition_facts *facts = &object->facts.conditions[condition];

    if (facts->is_true != is || facts->is_false == is)
        facts->since = kit->kit.engine->now;
    facts->is_true = is;
    facts->is_false = !is;
    keep(object->conditions[condition], sizeof(object->conditions[condition]), reason);
    facts->reason = text_of(object->conditions[condition]);
}

static void show(struct load_kit *kit, struct load_object *object)
{
    object->facts.version = ++kit->version;
    ok(engine_see_load(kit->kit.engine, &object->facts) == 0, "%s is seen", object->name);
}

static void drop_admission(struct load_kit *kit, struct load_object *object, struct text reason)
{
    object->facts.has_admission = false;
    set_condition(kit, object, CONDITION_RESERVED, false, reason);
    set_condition(kit, object, CONDITION_ADMITTED, false, reason);
}

static void take_checks(struct load_object *object, const struct load_write_report *write)
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
            (struct load_check_facts){.name = text_of(object->checks[i]), .state = states[i]};
    }
}

static void take_admission(struct load_kit *kit, struct load_object *object,
                           const struct load_write_report *write)
{
    struct granted_facts *granted = &object->granted;

    keep(object->granted_queue, sizeof(object->granted_queue), write->queue);
    object->facts.granted_queue = text_of(object->granted_queue);
    object->facts.has_admission = true;
    granted->name = text_of("main");
    granted->count = write->sets[0].count;
    granted->flavor_count = 0;
    for (uint32_t i = 0; i < write->sets[0].need_count && i < 2; i++) {
        keep(object->flavors[i], sizeof(object->flavors[i]), write->sets[0].needs[i].flavor);
        granted->flavors[i].flavor = text_of(object->flavors[i]);
        granted->flavors[i].resource =
            text_is(write->sets[0].needs[i].resource, "pods") ? text_of("pods") : text_of("cpu");
        granted->flavor_count++;
    }
    set_condition(kit, object, CONDITION_RESERVED, true, write->reason);
    if (is_true(object, CONDITION_EVICTED))
        set_condition(kit, object, CONDITION_EVICTED, false, write->reason);
}

static void take_gates(struct load_object *object, const struct load_write_report *write)
{
    for (uint32_t i = 0; i < write->gate_count; i++) {
        object->facts.gates[i].said = true;
        object->facts.gates[i].open = write->gates[i].open;
    }
    object->facts.stray_gates = false;
}

static void evict(struct load_kit *kit, struct load_object *object,
                  const struct load_write_report *write)
{
    set_condition(kit, object, CONDITION_EVICTED, true, write->reason);
    object->facts.conditions[CONDITION_TARGET] = (struct condition_facts){0};
    take_gates(object, write);
    for (uint32_t i = 0; i < object->facts.check_count; i++)
        object->facts.checks[i].state = CHECK_PENDING;
    if (write->forget_requeue)
        object->facts.has_requeue = false;
    if (!kit->jobs_stay)
        object->facts.job_stopped = true;
}

static void admit(struct load_kit *kit, struct load_object *object)
{
    set_condition(kit, object, CONDITION_ADMITTED, true, text_of("Admitted"));
    object->facts.job_stopped = false;
}

static void carry_out(struct load_kit *kit, struct load_object *object,
                      const struct load_write_report *write)
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
        set_condition(kit, object, CONDITION_SIGNAL, text_is(word, "signal"), write->reason);
    } else if (text_is(word, "evict")) {
        evict(kit, object, write);
    } else if (text_is(word, "endEviction")) {
        drop_admission(kit, object, text_of("Pending"));
        set_condition(kit, object, CONDITION_REQUEUED, write->requeued, write->reason);
    } else if (text_is(word, "unreserve")) {
        drop_admission(kit, object, write->reason);
    } else if (text_is(word, "pending")) {
        set_condition(kit, object, CONDITION_RESERVED, false, write->reason);
    } else if (text_is(word, "requeued")) {
        set_condition(kit, object, CONDITION_REQUEUED, true, write->reason);
        object->facts.requeue_at = 0;
    } else if (text_is(word, "requeueAt")) {
        object->facts.requeue_at = write->at;
        object->facts.has_requeue = true;
    } else if (text_is(word, "clearBackoff")) {
        object->facts.requeue_at = 0;
    } else if (text_is(word, "clearRequeue")) {
        object->facts.has_requeue = false;
        object->facts.requeue_at = 0;
        object->facts.conditions[CONDITION_TARGET] = (struct condition_facts){0};
    } else if (text_is(word, "target")) {
        set_condition(kit, object, CONDITION_TARGET, true, write->reason);
    } else if (text_is(word, "deactivate")) {
        object->facts.active = false;
    } else {
        ok(false, "a write: %s", write->write);
    }
    if (write->clear && (text_is(word, "reserve") || text_is(word, "evict")))
        set_condition(kit, object, CONDITION_SIGNAL, false, write->reason);
}

static void work_off(struct load_kit *kit)
{
    static struct load_write_report write; /* large */
    struct effect effect;

    for (int steps = 0; engine_next_effect(kit->kit.engine, &effect); steps++) {
        struct load_object *object;
        char name[16];

        if (steps == 1000) {
            ok(false, "the writes come to an end: %s", kit->log);
            return;
        }
        keep(name, sizeof(name), effect.name);
        object = find(kit, name);
        if (effect.kind != EFFECT_WRITE_WORKLOAD || object == NULL) {
            ok(false, "an effect of %s", name);
            return;
        }
        engine_load_write(kit->kit.engine, effect.workload, &write);
        snprintf(kit->log + strlen(kit->log), sizeof(kit->log) - strlen(kit->log), "%s%s:%s",
                 kit->log[0] == '\0' ? "" : " ", name, write.write);
        if (effect.resource_version != object->facts.version)
            ok(false, "%s is written under the version that was seen", name);
        carry_out(kit, object, &write);
        engine_lease(kit->kit.engine, effect.id);
        engine_ack(kit->kit.engine, effect.id, EFFECT_DONE, kit->version + 1);
        show(kit, object);
        kit_work_off(&kit->kit);
        is_str(engine_check(kit->kit.engine) == NULL ? "" : engine_check(kit->kit.engine), "",
               "all invariants hold");
    }
}

static void add_word(struct load_object *object, const struct word *word)
{
    struct load_facts *facts = &object->facts;
    struct text resource;

    if (text_is(word->key, "queue")) {
        keep(object->queue, sizeof(object->queue), word->value);
    } else if (text_is(word->key, "count")) {
        object->set.count = object->set.minimum = word->number;
    } else if (text_is(word->key, "min")) {
        object->set.minimum = word->number;
    } else if (text_is(word->key, "priority")) {
        facts->priority = (int32_t)word->number;
    } else if (text_is(word->key, "created")) {
        facts->created = word->number * SECOND;
    } else if (text_is(word->key, "gate")) {
        keep(object->gates[facts->gate_count], sizeof(object->gates[0]), word->value);
        facts->gates[facts->gate_count].name = text_of(object->gates[facts->gate_count]);
        facts->gate_count++;
    } else if (text_is(word->key, "cannotPreempt")) {
        facts->yields = true;
    } else if (text_is(word->key, "unsupported")) {
        keep(object->unsupported, sizeof(object->unsupported), word->value);
        facts->unsupported = text_of(object->unsupported);
    } else if (text_is(word->key, "selects")) {
        const char *colon = memchr(word->value.at, ':', word->value.len);
        size_t len = colon == NULL ? 0 : (size_t)(colon - word->value.at);

        keep(object->key, sizeof(object->key), (struct text){word->value.at, len});
        keep(object->value, sizeof(object->value),
             (struct text){word->value.at + len + 1, word->value.len - len - 1});
        object->selector = (struct label){text_of(object->key), text_of(object->value)};
        object->set.placement.selector = &object->selector;
        object->set.placement.selector_count = 1;
    } else if (words_resource(word, "", &resource) && text_is(resource, "cpu")) {
        object->set.requests.count = 1;
        object->set.requests.item[0] = (struct named_amount){text_of("cpu"), word->number};
    } else {
        ok(false, "a word of a workload: %.*s", (int)word->key.len, word->key.at);
    }
}

static void add(struct load_kit *kit, const char *words)
{
    struct load_object *object = kit->objects;
    struct word word;

    while (object->is)
        object++;
    memset(object, 0, sizeof(*object));
    words_next(&words, &word);
    object->is = true;
    keep(object->name, sizeof(object->name), word.key);
    object->facts = (struct load_facts){.active = true,
                                        .job_stopped = true,
                                        .uid = text_of(object->name),
                                        .space = text_of("default"),
                                        .name = text_of(object->name),
                                        .created = ++kit->created * SECOND,
                                        .set_count = 1,
                                        .sets = &object->set,
                                        .granted_count = 1,
                                        .granted = &object->granted};
    object->set = (struct set_facts){.name = text_of("main"), .count = 1, .minimum = 1};
    while (words_next(&words, &word))
        add_word(object, &word);
    object->facts.queue = text_of(object->queue);
    show(kit, object);
}

static void see_local(struct load_kit *kit, const char *words)
{
    struct local_queue_facts facts = {.space = text_of("default"), .selected = true};
    struct word word;

    words_next(&words, &word);
    facts.name = word.key;
    while (words_next(&words, &word)) {
        if (text_is(word.key, "cluster"))
            facts.queue = word.value;
        else if (text_is(word.key, "hold"))
            facts.stop = QUEUE_HOLD;
        else if (text_is(word.key, "drain"))
            facts.stop = QUEUE_HOLD_AND_DRAIN;
        else if (text_is(word.key, "unselected"))
            facts.selected = false;
    }
    ok(engine_see_local_queue(kit->kit.engine, &facts) == 0, "a LocalQueue is seen");
}

static void answer(struct load_object *object, const struct word *check)
{
    static const char *const states[] = {"Pending", "Ready", "Retry", "Rejected"};

    for (uint32_t i = 0; i < object->facts.check_count; i++) {
        for (int state = 0; state < 4 && text_same(object->facts.checks[i].name, check->key);
             state++) {
            if (text_is(check->value, states[state]))
                object->facts.checks[i].state = (enum check_state)state;
        }
    }
}

static void set_gate(struct load_object *object, struct text gate, bool open)
{
    for (uint32_t i = 0; i < object->facts.gate_count; i++) {
        if (text_same(object->facts.gates[i].name, gate)) {
            object->facts.gates[i].said = true;
            object->facts.gates[i].open = open;
        }
    }
}

/* What is done to a workload that is there. */
static bool change(struct load_kit *kit, struct text verb, const char *words)
{
    struct load_object *object;
    struct word name, other = {0};
    char key[16];

    words_next(&words, &name);
    words_next(&words, &other);
    keep(key, sizeof(key), name.key);
    object = find(kit, key);
    if (object == NULL)
        return false;
    if (text_is(verb, "open") || text_is(verb, "close"))
        set_gate(object, other.key, text_is(verb, "open"));
    else if (text_is(verb, "finish"))
        set_condition(kit, object, CONDITION_FINISHED, true, text_of("Succeeded"));
    else if (text_is(verb, "halt"))
        object->facts.job_stopped = true;
    else if (text_is(verb, "answer"))
        answer(object, &other);
    else if (text_is(verb, "activate") || text_is(verb, "deactivate"))
        object->facts.active = text_is(verb, "activate");
    else if (!text_is(verb, "remove"))
        return false;
    if (text_is(verb, "remove")) {
        engine_lose_load(kit->kit.engine, text_of("default"), name.key, text_of(""));
        object->is = false;
    } else {
        show(kit, object);
    }
    return true;
}

static bool is_world(struct text verb)
{
    return text_is(verb, "flavor") || text_is(verb, "cluster") || text_is(verb, "cohort") ||
           text_is(verb, "local") || text_is(verb, "check");
}

static void one(struct load_kit *kit, const char *step)
{
    struct text verb = {step, strcspn(step, " ")};
    const char *rest = step + verb.len + strspn(step + verb.len, " ");
    struct word word;

    if (text_is(verb, "add"))
        add(kit, rest);
    else if (text_is(verb, "local"))
        see_local(kit, rest);
    else if (text_is(verb, "lose-local"))
        engine_lose_local_queue(kit->kit.engine, text_of("default"), text_of(rest));
    else if (text_is(verb, "check")) {
        words_next(&rest, &word);
        engine_see_check(kit->kit.engine, word.key, strstr(rest, "inactive") == NULL);
    } else if (text_is(verb, "lose-check"))
        engine_lose_check(kit->kit.engine, text_of(rest));
    else if (text_is(verb, "jobsStay") || text_is(verb, "jobsGo"))
        kit->jobs_stay = text_is(verb, "jobsStay");
    else if (!change(kit, verb, rest))
        kit_do(&kit->kit, step);
    kit_work_off(&kit->kit);
    work_off(kit);
}

/* The world is remembered for another engine. */
static void remember(struct load_kit *kit, const char *step)
{
    char *at = kit->world;

    while (*at != '\0')
        at += strlen(at) + 1;
    snprintf(at, sizeof(kit->world) - (size_t)(at - kit->world) - 1, "%s", step);
}

/* Another engine is shown what there is; only then it leads. */
static void restart(struct load_kit *kit)
{
    char words[sizeof(kit->words) + 8];

    snprintf(words, sizeof(words), "%s standby", kit->words);
    kit_close(&kit->kit);
    kit_open(&kit->kit, words);
    for (const char *at = kit->world; *at != '\0'; at += strlen(at) + 1)
        one(kit, at);
    for (int i = 0; i < LOAD_KIT_MAX; i++) {
        if (kit->objects[i].is)
            show(kit, &kit->objects[i]);
    }
    kit_do(&kit->kit, "synced; lead");
    work_off(kit);
}

void load_kit_do(struct load_kit *kit, const char *steps)
{
    while (*steps != '\0') {
        char step[300];
        size_t len;

        steps += strspn(steps, " ;");
        len = strcspn(steps, ";");
        if (len == 0)
            break;
        snprintf(step, sizeof(step), "%.*s", (int)len, steps);
        steps += len;
        if (strcmp(step, "restart") == 0) {
            restart(kit);
            continue;
        }
        if (is_world((struct text){step, strcspn(step, " ")}))
            remember(kit, step);
        one(kit, step);
    }
}

void load_kit_open(struct load_kit *kit, const char *words)
{
    memset(kit, 0, sizeof(*kit));
    snprintf(kit->words, sizeof(kit->words), "admits %s", words);
    kit_open(&kit->kit, kit->words);
}

void load_kit_close(struct load_kit *kit)
{
    kit_close(&kit->kit);
}

const char *load_kit_state(struct load_kit *kit, const char *name)
{
    const struct load_object *object = find(kit, name);

    if (object == NULL)
        return "";
    snprintf(kit->text, sizeof(kit->text), "%s%s%s%s%s",
             is_true(object, CONDITION_FINISHED)   ? "finished"
             : is_true(object, CONDITION_ADMITTED) ? "admitted"
             : is_true(object, CONDITION_RESERVED) ? "reserved"
                                                   : "pending",
             object->facts.has_admission ? " " : "",
             object->facts.has_admission ? object->flavors[0] : "",
             is_true(object, CONDITION_SIGNAL) ? " signal" : "",
             is_true(object, CONDITION_EVICTED) ? " evicted" : "");
    return kit->text;
}

const char *load_kit_log(struct load_kit *kit)
{
    static char log[4096];

    snprintf(log, sizeof(log), "%s", kit->log);
    kit->log[0] = '\0';
    return log;
}

const char *load_kit_why(struct load_kit *kit, const char *name)
{
    static struct load_report report;

    engine_report_load(kit->kit.engine,
                       engine_find_load(kit->kit.engine, text_of("default"), text_of(name)), false,
                       &report);
    return report.reason;
}
