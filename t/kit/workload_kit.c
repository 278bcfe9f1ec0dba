/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/workload_kit.h"

#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

#include <stdio.h>
#include <stdlib.h>

static void keep(char *to, size_t size, struct text text)
{
    snprintf(to, size, "%.*s", (int)text.len, text.at);
}

static struct workload_object *find(struct workload_kit *kit, const char *name)
{
    for (int i = 0; i < WORKLOAD_KIT_MAX; i++) {
        if (kit->objects[i].is && strcmp(kit->objects[i].name, name) == 0)
            return &kit->objects[i];
    }
    return NULL;
}

static void show_again(struct workload_kit *kit, const struct workload_object *object)
{
    ok(engine_see_workload(kit->kit.engine, &object->facts) == 0, "%s is seen", object->name);
}

static void show(struct workload_kit *kit, struct workload_object *object)
{
    object->facts.version = ++kit->version;
    show_again(kit, object);
}

static void set_gate(struct workload_object *object, struct text gate, bool open)
{
    for (uint32_t i = 0; i < object->facts.gate_count; i++) {
        if (text_same(object->facts.gates[i].name, gate)) {
            object->facts.gates[i].said = true;
            object->facts.gates[i].open = open;
        }
    }
}

/* Somebody else wrote first. */
static bool lost_race(struct workload_kit *kit, struct workload_object *object, const char *write)
{
    if (strcmp(kit->opening, object->name) != 0 || strcmp(write, "signal") != 0)
        return false;
    set_gate(object, text_of(kit->opening_gate), true);
    kit->opening[0] = '\0';
    return true;
}

static void log_write(struct workload_kit *kit, const char *name, const char *write)
{
    snprintf(kit->log + strlen(kit->log), sizeof(kit->log) - strlen(kit->log), "%s%s:%s",
             kit->log[0] == '\0' ? "" : " ", name, write);
}

/* A pod: it is told to go, and does when the test says so. */
static void tell_evicted(struct workload_kit *kit, struct effect *effect)
{
    char name[16];

    keep(name, sizeof(name), effect->name);
    log_write(kit, name, "evictPod");
    keep(kit->evicted, sizeof(kit->evicted), text_of(effect->message));
    outbox_lease(engine_outbox(kit->kit.engine), effect, 0);
    outbox_ack(engine_outbox(kit->kit.engine), effect->id,
               kit->budget_holds ? EFFECT_RETRY : EFFECT_DONE, 0);
}

static void work_off(struct workload_kit *kit)
{
    static struct workload_write_report write; /* large */
    struct effect effect;

    for (int steps = 0; outbox_next(engine_outbox(kit->kit.engine), &effect) > 0; steps++) {
        struct workload_object *object;
        char name[16];

        if (steps == 1000) {
            ok(false, "the writes come to an end: %s", kit->log);
            return;
        }
        keep(name, sizeof(name), effect.name);
        if (effect.kind == EFFECT_EVICT_POD) {
            tell_evicted(kit, &effect);
            continue;
        }
        object = find(kit, name);
        if (effect.kind != EFFECT_WRITE_WORKLOAD || object == NULL) {
            ok(false, "an effect of %s", name);
            return;
        }
        engine_workload_write(kit->kit.engine, effect.workload, &write);
        if (strcmp(write.write, "pending") == 0 || strcmp(write.write, "unreserve") == 0) {
            snprintf(kit->message, sizeof(kit->message), "%s", write.message);
            keep(kit->reason, sizeof(kit->reason), write.reason);
        } else if (strcmp(write.write, "evict") == 0) {
            snprintf(kit->evicted, sizeof(kit->evicted), "%s", write.message);
        }
        log_write(kit, name, write.write);
        if (effect.resource_version != object->facts.version)
            ok(false, "%s is written under the version that was seen", name);
        outbox_lease(engine_outbox(kit->kit.engine), &effect, 0);
        if (lost_race(kit, object, write.write)) {
            outbox_ack(engine_outbox(kit->kit.engine), effect.id, EFFECT_CONFLICT, 0);
        } else if (kit->seen_first) {
            workload_object_write(kit, object, &write);
            show(kit, object);
            outbox_ack(engine_outbox(kit->kit.engine), effect.id, EFFECT_DONE, kit->version);
        } else {
            workload_object_write(kit, object, &write);
            outbox_ack(engine_outbox(kit->kit.engine), effect.id, EFFECT_DONE, kit->version + 1);
        }
        if (!kit->seen_first)
            show(kit, object);
        kit_work_off(&kit->kit);
        is_str(engine_check(kit->kit.engine) == NULL ? "" : engine_check(kit->kit.engine), "",
               "all invariants hold");
    }
}

static void add(struct workload_kit *kit, const char *words)
{
    struct workload_object *object = kit->objects;
    struct word word;

    while (object->is)
        object++;
    memset(object, 0, sizeof(*object));
    words_next(&words, &word);
    object->is = true;
    keep(object->name, sizeof(object->name), word.key);
    object->facts = (struct workload_facts){.active = true,
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
        words_workload(object, &word);
    object->facts.queue = text_of(object->queue);
    show(kit, object);
}

static void see_local(struct workload_kit *kit, const char *words)
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

static void answer(struct workload_object *object, const struct word *check)
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

/* What is done to a workload that is there. */
static bool change(struct workload_kit *kit, struct text verb, const char *words)
{
    struct workload_object *object;
    struct word name, other = {0};
    char key[16];

    if (*words == '\0')
        return false;
    words_next(&words, &name);
    words_next(&words, &other);
    keep(key, sizeof(key), name.key);
    object = find(kit, key);
    if (object == NULL)
        return false;
    if (text_is(verb, "open") || text_is(verb, "close"))
        set_gate(object, other.key, text_is(verb, "open"));
    else if (text_is(verb, "finish"))
        workload_object_say(kit, object, CONDITION_FINISHED, true, text_of("Succeeded"));
    else if (text_is(verb, "halt"))
        object->facts.job_stopped = true;
    else if (text_is(verb, "answer"))
        answer(object, &other);
    else if (text_is(verb, "activate") || text_is(verb, "deactivate"))
        object->facts.active = text_is(verb, "activate");
    else if (!text_is(verb, "remove"))
        return false;
    if (text_is(verb, "remove")) {
        engine_lose_workload(kit->kit.engine, text_of("default"), name.key, text_of(""));
        object->is = false;
    } else if (text_is(verb, "halt")) {
        show_again(kit, object); /* its job is another object: the workload has no new version */
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

static void one(struct workload_kit *kit, const char *step)
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
    } else if (text_is(verb, "opensMeanwhile")) {
        words_next(&rest, &word);
        keep(kit->opening, sizeof(kit->opening), word.key);
        words_next(&rest, &word);
        keep(kit->opening_gate, sizeof(kit->opening_gate), word.key);
    } else if (text_is(verb, "lose-check"))
        engine_lose_check(kit->kit.engine, text_of(rest));
    else if (text_is(verb, "jobsStay") || text_is(verb, "jobsGo"))
        kit->jobs_stay = text_is(verb, "jobsStay");
    else if (text_is(verb, "seenFirst"))
        kit->seen_first = true;
    else if (text_is(verb, "budgetHolds"))
        kit->budget_holds = true;
    else if (!change(kit, verb, rest))
        kit_do(&kit->kit, step);
    kit_work_off(&kit->kit);
    work_off(kit);
}

/* The world is remembered for another engine. */
static void remember(struct workload_kit *kit, const char *step)
{
    char *at = kit->world;

    while (*at != '\0')
        at += strlen(at) + 1;
    snprintf(at, sizeof(kit->world) - (size_t)(at - kit->world) - 1, "%s", step);
}

/* Another engine is shown what there is; only then it leads. */
static void restart(struct workload_kit *kit)
{
    char words[sizeof(kit->words) + 8];

    snprintf(words, sizeof(words), "%s standby", kit->words);
    kit_close(&kit->kit);
    kit_open(&kit->kit, words);
    for (const char *at = kit->world; *at != '\0'; at += strlen(at) + 1)
        one(kit, at);
    for (int i = 0; i < WORKLOAD_KIT_MAX; i++) {
        if (kit->objects[i].is)
            show(kit, &kit->objects[i]);
    }
    kit_do(&kit->kit, "synced; lead");
    work_off(kit);
}

void workload_kit_do(struct workload_kit *kit, const char *steps)
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

void workload_kit_open(struct workload_kit *kit, const char *words)
{
    memset(kit, 0, sizeof(*kit));
    snprintf(kit->words, sizeof(kit->words), "admits %s", words);
    kit_open(&kit->kit, kit->words);
}

void workload_kit_close(struct workload_kit *kit)
{
    kit_close(&kit->kit);
}

void workload_kit_split(struct workload_kit *kit, const char *name, struct set_facts sets[2],
                        int64_t main, int64_t second)
{
    struct workload_object *object = find(kit, name);

    sets[0] = sets[1] = object->set;
    sets[1].name = text_of("second");
    sets[0].requests.item[0].amount = main;
    sets[1].requests.item[0].amount = second;
    object->facts.sets = sets;
    object->facts.set_count = 2;
    show(kit, object);
    workload_kit_do(kit, "time 1");
}

const char *workload_kit_state(struct workload_kit *kit, const char *name)
{
    const struct workload_object *object = find(kit, name);

    if (object == NULL)
        return "";
    snprintf(kit->text, sizeof(kit->text), "%s%s%s%s%s",
             workload_object_says(object, CONDITION_FINISHED)   ? "finished"
             : workload_object_says(object, CONDITION_ADMITTED) ? "admitted"
             : workload_object_says(object, CONDITION_RESERVED) ? "reserved"
                                                                : "pending",
             object->facts.has_admission ? " " : "",
             object->facts.has_admission ? object->flavors[0] : "",
             workload_object_says(object, CONDITION_SIGNAL) ? " signal" : "",
             workload_object_says(object, CONDITION_EVICTED) ? " evicted" : "");
    return kit->text;
}

const char *workload_kit_log(struct workload_kit *kit)
{
    static char log[4096];

    snprintf(log, sizeof(log), "%s", kit->log);
    kit->log[0] = '\0';
    return log;
}

const char *workload_kit_why(struct workload_kit *kit, const char *name)
{
    static struct workload_report report;

    engine_report_workload(kit->kit.engine,
                           engine_find_workload(kit->kit.engine, text_of("default"), text_of(name)),
                           false, &report);
    return report.reason;
}
