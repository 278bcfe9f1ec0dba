/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "t/kit/fleet_kit.h"

#include "t/kit/tap.h"
#include "t/kit/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int see_cluster(struct fleet_kit *fleet, const struct words *words)
{
    struct cluster_facts facts = {.name = text_of(words->word[1]),
                                  .connected = !words_has(words, "off"),
                                  .since = words_number_of(words, "since", 0) * FLEET_SECOND};

    return fleet_see_cluster(fleet->fleet, &facts);
}

static int64_t next_version(struct fleet_kit *fleet, const struct words *words)
{
    int64_t version = words_number_of(words, "v", fleet->version + 1);

    if (version > fleet->version)
        fleet->version = version;
    return version;
}

static int see_workload(struct fleet_kit *fleet, const struct words *words)
{
    char none[] = "", *rest;
    char *memory = words_value_of(words, "memory", none);
    struct dispatch_facts facts = {
        .uid = text_of(words_value_of(words, "uid", words->word[1])),
        .space = text_of("ns"),
        .name = text_of(words->word[1]),
        .resource_version = next_version(fleet, words),
        .reserved = !words_has(words, "unreserved"),
        .ready = !words_has(words, "unready"),
        .over = words_has(words, "over"),
        .cluster = words_text(words_value_of(words, "bound", none)),
        .timeout = words_text(words_value_of(words, "timeout", none)),
    };

    for (char *at = memory; *at != '\0'; at++)
        *at = *at == '_' ? ' ' : *at;
    facts.memory = words_has(words, "remembers") ? text_of(fleet->written) : words_text(memory);
    for (char *name = strtok_r(words_value_of(words, "in", none), ",", &rest); name != NULL;
         name = strtok_r(NULL, ",", &rest))
        facts.nominated[facts.nominated_count++] = text_of(name);
    for (int i = 2; i < words->count; i++) {
        if (strcmp(words->word[i], "gate") == 0)
            facts.gates[facts.gate_count++] = text_of(words->value[i]);
    }
    return fleet_see_dispatch(fleet->fleet, &facts);
}

/* CLUSTER/NAME: the cluster; the name is behind it. */
static struct text cut_place(char *place, char **ret_name)
{
    char *slash = strchr(place, '/');

    if (slash == NULL)
        abort();
    *ret_name = slash + 1;
    return (struct text){place, (size_t)(slash - place)};
}

static int see_replica(struct fleet_kit *fleet, const struct words *words)
{
    char uid[64], none[] = "", *name;
    struct text worker = cut_place(words->word[1], &name);
    struct replica_facts facts = {
        .worker = worker,
        .space = text_of("ns"),
        .name = text_of(name),
        .origin = words_text(words_value_of(words, "origin", none)),
        .resource_version = next_version(fleet, words),
        .gated = !words_has(words, "ungated"),
        .open = words_has(words, "open"),
        .blocked = words_has(words, "blocked"),
        .signals = words_has(words, "signals"),
        .reserved = words_has(words, "reserved") || words_has(words, "admitted"),
        .admitted = words_has(words, "admitted"),
        .evicted = words_has(words, "evicted"),
        .finished = words_has(words, "finished"),
        .deleted = words_has(words, "deleted"),
    };

    snprintf(uid, sizeof(uid), "%.*s-%s", (int)worker.len, worker.at, name);
    facts.uid = text_of(words_value_of(words, "uid", uid));
    return fleet_see_replica(fleet->fleet, &facts);
}

static void name_effect(const struct effect *effect, char *out, size_t cap)
{
    static const char *const kinds[EFFECT_KINDS] = {
        [EFFECT_WRITE_MEMORY] = "write",    [EFFECT_SET_CLUSTER] = "bind",
        [EFFECT_RETRY_CHECK] = "retry",     [EFFECT_CREATE_REPLICA] = "create",
        [EFFECT_DELETE_REPLICA] = "delete", [EFFECT_OPEN_GATE] = "open",
    };
    bool of_replica = effect->object == EFFECT_OF_REPLICA;

    snprintf(out, cap, "%s %.*s%s%.*s%s%.*s", kinds[effect->kind],
             of_replica ? (int)effect->cluster.len : 0, of_replica ? effect->cluster.at : "",
             of_replica ? "/" : "", (int)effect->name.len, effect->name.at,
             effect->kind == EFFECT_SET_CLUSTER ? " " : "",
             effect->kind == EFFECT_SET_CLUSTER ? (int)effect->cluster.len : 0,
             effect->kind == EFFECT_SET_CLUSTER ? effect->cluster.at : "");
}

/* The live effect of that name. */
static bool find_effect(struct fleet_kit *fleet, const char *name, struct effect *ret)
{
    uint32_t cursor = 0;

    while (outbox_next_live(&fleet->outbox, &cursor, ret)) {
        char other[256];

        name_effect(ret, other, sizeof(other));
        if (strncmp(other, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

static void lease(struct fleet_kit *fleet, struct effect *effect)
{
    if (effect->kind == EFFECT_WRITE_MEMORY) {
        size_t len = fleet_memory_text(fleet->fleet, effect->dispatch, fleet->written,
                                       sizeof(fleet->written) - 1);

        fleet->written[len] = '\0';
    }
    outbox_next(&fleet->outbox, &(struct effect){0}); /* there is memory for it */
    outbox_lease(&fleet->outbox, effect, 0);
}

static void answer(struct fleet_kit *fleet, const struct words *words, bool acks,
                   enum effect_result result)
{
    struct effect effect;
    char name[256];

    snprintf(name, sizeof(name), "%s %s", words->word[1], words->word[2]);
    if (!find_effect(fleet, name, &effect)) {
        ok(false, "there is an effect %s", name);
        return;
    }
    if (!effect.leased)
        lease(fleet, &effect);
    if (acks && !outbox_ack(&fleet->outbox, effect.id, result, 0))
        ok(false, "%s is under way", name);
}

static int step(struct fleet_kit *fleet, const struct words *words)
{
    static const char *const results[] = {"done", "gone", "conflict", "retry"};
    struct fleet *f = fleet->fleet;
    const char *verb = words->word[0];
    char none[] = "", *name;

    if (strcmp(verb, "cluster") == 0)
        return see_cluster(fleet, words);
    if (strcmp(verb, "workload") == 0)
        return see_workload(fleet, words);
    if (strcmp(verb, "replica") == 0)
        return see_replica(fleet, words);
    if (strcmp(verb, "lose-cluster") == 0) {
        fleet_lose_cluster(f, text_of(words->word[1]));
    } else if (strcmp(verb, "lose-workload") == 0) {
        fleet_lose_dispatch(f, text_of("ns"), text_of(words->word[1]),
                            words_text(words_value_of(words, "uid", none)));
    } else if (strcmp(verb, "lose-replica") == 0) {
        struct text worker = cut_place(words->word[1], &name);

        fleet_lose_replica(f, worker, text_of("ns"), text_of(name),
                           words_text(words_value_of(words, "uid", none)));
    } else if (strcmp(verb, "time") == 0) {
        fleet_set_time(f, (1000 + strtoll(words->word[1], NULL, 10)) * FLEET_SECOND);
        fleet_tick(f);
    } else if (strcmp(verb, "synced") == 0) {
        fleet_set_synced(f);
    } else if (strcmp(verb, "lead") == 0 || strcmp(verb, "follow") == 0) {
        fleet_set_leader(f, *verb == 'l');
    } else if (strcmp(verb, "lease") == 0) {
        answer(fleet, words, false, EFFECT_DONE);
    } else {
        for (int i = 0; i < 4; i++) {
            if (strcmp(verb, results[i]) == 0) {
                answer(fleet, words, true, (enum effect_result)i);
                return 0;
            }
        }
        ok(false, "a step of this kit: %s", verb);
    }
    return 0;
}

static void check(struct fleet_kit *fleet, const char *words)
{
    const char *broken = fleet_check(fleet->fleet);

    if (broken != NULL)
        ok(false, "%s: %s", words, broken);
}

static void work_off(struct fleet_kit *fleet)
{
    for (int i = 0; fleet_more(fleet->fleet); i++) {
        if (i == 10000) {
            ok(false, "it comes to rest");
            return;
        }
        fleet_tick(fleet->fleet);
    }
}

void fleet_kit_do(struct fleet_kit *fleet, const char *steps)
{
    char text[4096], *rest;

    snprintf(text, sizeof(text), "%s", steps);
    for (char *one = strtok_r(text, ";", &rest); one != NULL; one = strtok_r(NULL, ";", &rest)) {
        struct words words;
        int error;

        words_cut(one, &words);
        error = step(fleet, &words);
        if (error != 0)
            ok(false, "%s: error %d", one, error);
        check(fleet, one);
        work_off(fleet);
        check(fleet, one);
    }
}

static void start(struct fleet_kit *fleet, const char *text)
{
    struct fleet_config config = {0};
    struct words words;
    char line[256];

    snprintf(line, sizeof(line), "open %s", text);
    words_cut(line, &words);
    config.orchestrated = !words_has(&words, "off");
    config.preemption_timeout = words_number_of(&words, "timeout", 0) * FLEET_SECOND;
    config.worker_lost_timeout = words_number_of(&words, "lost", 0) * FLEET_SECOND;
    config.prefer_no_preemption = words_number_of(&words, "prefer", 0) * FLEET_SECOND;
    config.max_dispatches = (uint32_t)words_number_of(&words, "maxWorkloads", 0);
    config.max_clusters = (uint32_t)words_number_of(&words, "maxClusters", 0);
    if (fleet_create(&config, &fleet->memory.mem, &fleet->outbox, &fleet->fleet) < 0)
        abort();
    fleet_set_time(fleet->fleet, 1000 * FLEET_SECOND);
    if (!words_has(&words, "standby")) {
        fleet_set_synced(fleet->fleet);
        fleet_set_leader(fleet->fleet, true);
    }
}

void fleet_kit_open(struct fleet_kit *fleet, const char *words)
{
    fleet->version = 0;
    fleet->written[0] = '\0';
    test_mem_init(&fleet->memory);
    outbox_init(&fleet->outbox, &fleet->memory.mem);
    start(fleet, words);
}

void fleet_kit_restart(struct fleet_kit *fleet, const char *words)
{
    int64_t now = fleet->fleet->now;

    fleet_destroy(fleet->fleet);
    outbox_finish(&fleet->outbox);
    outbox_init(&fleet->outbox, &fleet->memory.mem);
    start(fleet, words);
    fleet_set_time(fleet->fleet, now);
}

void fleet_kit_close(struct fleet_kit *fleet)
{
    fleet_destroy(fleet->fleet);
    outbox_finish(&fleet->outbox);
    ok(test_mem_clean(&fleet->memory), "all memory was given back");
}

long fleet_kit_starve(struct fleet_kit *fleet, const char *text)
{
    uint64_t before = fleet_digest(fleet->fleet, true);
    int64_t version = fleet->version;
    bool clean = true;
    long n = 0;

    for (;;) {
        struct words words;
        int error;

        words_cut(text, &words);
        fleet->version = version;
        fleet->memory.fail_at = fleet->memory.calls + ++n;
        fleet->memory.failed = false;
        error = step(fleet, &words);
        fleet->memory.fail_at = 0;
        check(fleet, text);
        if (!fleet->memory.failed)
            break;
        clean = clean && error == ENGINE_NO_MEMORY && fleet_digest(fleet->fleet, true) == before;
    }
    work_off(fleet);
    check(fleet, text);
    ok(clean, "without memory, nothing changed: %s", text);
    return n - 1;
}

static int by_alphabet(const void *a, const void *b)
{
    return strcmp(a, b);
}

const char *fleet_kit_effects(struct fleet_kit *fleet)
{
    char names[64][128];
    struct effect effect;
    uint32_t cursor = 0;
    size_t count = 0, len = 0;

    while (count < 64 && outbox_next_live(&fleet->outbox, &cursor, &effect)) {
        if (!effect.leased)
            name_effect(&effect, names[count++], sizeof(names[0]));
    }
    qsort(names, count, sizeof(names[0]), by_alphabet);
    fleet->text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        len += (size_t)snprintf(fleet->text + len, sizeof(fleet->text) - len, "%s%s",
                                i == 0 ? "" : "; ", names[i]);
    return fleet->text;
}

const struct dispatch *fleet_kit_workload(const struct fleet_kit *fleet, const char *name)
{
    uint32_t id = dispatch_find(fleet->fleet, text_of("ns"), text_of(name));

    return id == 0 ? NULL : dispatch_at(fleet->fleet, id);
}

const struct replica *fleet_kit_replica(const struct fleet_kit *fleet, const char *place)
{
    char copy[128], *name;
    struct text worker;
    uint32_t id;

    snprintf(copy, sizeof(copy), "%s", place);
    worker = cut_place(copy, &name);
    id = dispatch_find(fleet->fleet, text_of("ns"), text_of(name));
    id = id == 0 ? 0 : replica_find(fleet->fleet, id, worker);
    return id == 0 ? NULL : replica_at(fleet->fleet, id);
}

static void report(struct fleet_kit *fleet, const char *name, struct dispatch_report *ret)
{
    uint32_t id = fleet_find_dispatch(fleet->fleet, text_of("ns"), text_of(name));

    if (id == 0)
        abort();
    fleet_report_dispatch(fleet->fleet, id, fleet->fleet->now, ret);
}

const char *fleet_kit_state(struct fleet_kit *fleet, const char *name)
{
    struct dispatch_report one;

    report(fleet, name, &one);
    return one.state;
}

const char *fleet_kit_message(struct fleet_kit *fleet, const char *name)
{
    struct dispatch_report one;

    report(fleet, name, &one);
    snprintf(fleet->text, sizeof(fleet->text), "%s", one.message);
    return fleet->text;
}
