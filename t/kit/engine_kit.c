/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/engine_kit.h"

#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEP_MAX = 512 };

static bool sound(const struct kit *kit, const char *step)
{
    const char *broken = engine_check(kit->engine);

    return broken == NULL || ok(false, "after \"%s\": %s", step, broken);
}

void kit_work_off(struct kit *kit)
{
    for (int slices = 0; engine_more(kit->engine); slices++) {
        if (slices == 100000) {
            ok(false, "the work that is left ends");
            return;
        }
        engine_tick(kit->engine);
    }
}

void kit_open(struct kit *kit, const char *words)
{
    struct engine_config config = {0};
    bool standby = false;

    *kit = (struct kit){0};
    test_mem_init(&kit->memory);
    if (!words_to_config(words, &config, &standby))
        ok(false, "a configuration: %s", words);
    if (engine_create(&config, &kit->memory.mem, &kit->engine) < 0) {
        ok(false, "an engine opens: %s", words);
        abort();
    }
    engine_set_time(kit->engine, SECOND);
    if (!standby)
        kit_do(kit, "synced; lead");
}

void kit_close(struct kit *kit)
{
    engine_destroy(kit->engine);
    ok(test_mem_clean(&kit->memory), "all memory was given back");
}

static int see_pod(struct kit *kit, const char *words, bool *ret_known)
{
    struct pod_facts pod;

    *ret_known = words_to_pod(words, &pod);
    if (!*ret_known)
        return 0;

    uint32_t id = claim_find(kit->engine, pod.uid);

    if (pod.created == 0)
        pod.created = id == 0 ? ++kit->created : claim_at(kit->engine, id)->queued;
    return engine_see_pod(kit->engine, &pod);
}

static int see_queue(struct kit *kit, enum queue_kind kind, const char *words, bool *ret_known)
{
    static struct words_queue facts; /* large, and of one call */

    *ret_known = words_to_queue(words, kind, &facts);
    return *ret_known ? engine_see_queue(kit->engine, &facts.queue) : 0;
}

static int see_node(struct kit *kit, const char *words, bool *ret_known)
{
    struct label labels[FACTS_MAX_LABELS];
    struct node_facts node;
    uint32_t id;

    *ret_known = words_to_node(words, labels, &node);
    return *ret_known ? engine_see_node(kit->engine, &node, &id) : 0;
}

static int see_flavor(struct kit *kit, const char *words, bool *ret_known)
{
    struct flavor_facts flavor;

    *ret_known = words_to_flavor(words, &flavor);
    return *ret_known ? engine_see_flavor(kit->engine, &flavor) : 0;
}

/* UID QUEUE[/UID OF THE QUEUE] ACTION, of the next second. */
static int see_command(struct kit *kit, const char *words, bool *ret_known)
{
    size_t uid = strcspn(words, " "), queue = strcspn(words + uid + (words[uid] != '\0'), " ");
    const char *target = words + uid + 1, *action = target + queue + 1;

    *ret_known = uid > 0 && words[uid] != '\0' && queue > 0 && target[queue] != '\0';
    if (!*ret_known)
        return 0;

    size_t name = strcspn(target, "/ ");
    struct command_facts facts = {
        .uid = {words, uid},
        .space = text_of("default"),
        .name = {words, uid},
        .created = ++kit->created,
        .action = text_of(action),
        .target = {target, name},
        .target_uid = {target + name + 1, name < queue ? queue - name - 1 : 0}};

    return engine_see_command(kit->engine, &facts, &kit->report);
}

static int see(struct kit *kit, struct text verb, const char *rest, bool *ret_known)
{
    struct engine *e = kit->engine;
    struct text name = text_of(rest);
    enum group_kind kind;

    if (text_is(verb, "queue"))
        return see_queue(kit, QUEUE_VOLCANO, rest, ret_known);
    if (text_is(verb, "cluster"))
        return see_queue(kit, QUEUE_CLUSTER, rest, ret_known);
    if (text_is(verb, "cohort"))
        return see_queue(kit, QUEUE_COHORT, rest, ret_known);
    if (text_is(verb, "command"))
        return see_command(kit, rest, ret_known);
    if (text_is(verb, "pod"))
        return see_pod(kit, rest, ret_known);
    if (text_is(verb, "node"))
        return see_node(kit, rest, ret_known);
    if (text_is(verb, "flavor"))
        return see_flavor(kit, rest, ret_known);
    if (text_is(verb, "group"))
        return kit_see_group(kit, rest, ret_known);
    if (words_lost_group(verb, &kind))
        return engine_lose_group(e, kind, text_of("default"), name, text_of(""));
    if (text_is(verb, "lose-queue"))
        return engine_lose_queue(e, QUEUE_VOLCANO, name);
    if (text_is(verb, "lose-cluster"))
        return engine_lose_queue(e, QUEUE_CLUSTER, name);
    if (text_is(verb, "lose-cohort"))
        return engine_lose_queue(e, QUEUE_COHORT, name);
    if (text_is(verb, "lose-node"))
        return engine_lose_node(e, name);
    if (text_is(verb, "lose-flavor"))
        return engine_lose_flavor(e, name);
    *ret_known = false;
    return 0;
}

/* Steps that cannot fail. */
static bool act(struct engine *e, struct text verb, const char *rest)
{
    struct text uid = text_of(rest);
    struct verdict verdict;

    if (text_is(verb, "lose-command")) {
        engine_lose_command(e, uid);
    } else if (text_is(verb, "lose-pod")) {
        engine_lose_pod(e, uid);
    } else if (text_is(verb, "reserve") || text_is(verb, "tries")) {
        engine_reserve(e, uid, text_is(verb, "tries"), &verdict);
    } else if (text_is(verb, "unreserve")) {
        engine_unreserve(e, uid);
    } else if (text_is(verb, "bind")) {
        engine_post_bind(e, uid);
    } else if (text_is(verb, "time") || text_is(verb, "ms")) {
        engine_set_time(e,
                        strtoll(rest, NULL, 10) * (text_is(verb, "ms") ? SECOND / 1000 : SECOND));
        engine_tick(e);
    } else if (text_is(verb, "synced")) {
        engine_set_synced(e);
    } else if (text_is(verb, "lead") || text_is(verb, "follow")) {
        engine_set_leader(e, text_is(verb, "lead"));
    } else {
        return false;
    }
    return true;
}

static int run(struct kit *kit, const char *step)
{
    size_t verb = strcspn(step, " ");
    const char *rest = step + verb + strspn(step + verb, " ");
    bool known = true;
    int error = 0;

    if (!act(kit->engine, (struct text){step, verb}, rest))
        error = see(kit, (struct text){step, verb}, rest, &known);
    if (!known)
        ok(false, "a step: \"%s\"", step);
    return error;
}

int kit_try(struct kit *kit, const char *step)
{
    int error = run(kit, step);

    sound(kit, step);
    return error;
}

void kit_quick(struct kit *kit, const char *step)
{
    if (run(kit, step) < 0)
        ok(false, "\"%s\" fails", step);
}

static void one(struct kit *kit, const char *step)
{
    int error = kit_try(kit, step);

    if (error < 0)
        ok(false, "\"%s\" fails with %d", step, error);
    kit_work_off(kit);
    sound(kit, step);
}

void kit_do(struct kit *kit, const char *steps)
{
    char step[STEP_MAX];

    while (*steps != '\0') {
        size_t len;

        steps += strspn(steps, " ;");
        len = strcspn(steps, ";");
        if (len == 0)
            break;
        snprintf(step, sizeof(step), "%.*s", (int)len, steps);
        one(kit, step);
        steps += len;
    }
}

void kit_dof(struct kit *kit, const char *format, ...)
{
    char step[STEP_MAX];
    va_list args;

    va_start(args, format);
    vsnprintf(step, sizeof(step), format, args);
    va_end(args);
    one(kit, step);
}

long kit_starve(struct kit *kit, const char *step)
{
    uint64_t before = engine_digest(kit->engine, true);
    bool clean = true;
    long n;

    for (n = 1; n < 1000; n++) {
        int error;

        kit->memory.calls = 0;
        kit->memory.fail_at = n;
        kit->memory.failed = false;
        error = kit_try(kit, step);
        kit->memory.fail_at = 0;
        if (!kit->memory.failed || error != ENGINE_NO_MEMORY)
            break;
        clean = clean && engine_digest(kit->engine, true) == before;
    }
    /* An allocation that is not needed for success may fail at the last try. */
    clean = clean && n < 1000 && sound(kit, step);
    kit_work_off(kit);
    sound(kit, step);
    ok(clean, "without memory \"%s\" changes nothing", step);
    return n - 1;
}

uint32_t kit_queue(const struct kit *kit, const char *queue)
{
    const char *slash = strchr(queue, '/');

    if (slash == NULL)
        return queue_find(kit->engine, QUEUE_VOLCANO, text_of(queue));
    return queue_find(kit->engine, queue[1] == 'l' ? QUEUE_CLUSTER : QUEUE_COHORT,
                      text_of(slash + 1));
}

uint32_t kit_claim(const struct kit *kit, const char *uid)
{
    return claim_find(kit->engine, text_of(uid));
}

uint32_t kit_resource(const struct kit *kit, const char *resource)
{
    const char *slash = strrchr(resource, '/');

    resource = slash == NULL ? resource : slash + 1;
    return intern_find(&kit->engine->names, text_of(resource));
}

uint16_t kit_flavor(const struct kit *kit, const char *resource)
{
    size_t len = strcspn(resource, "/");

    for (uint32_t n = 1; resource[len] != '\0' && n < slab_end(&kit->engine->capacity.flavors);
         n++) {
        if (slab_live(&kit->engine->capacity.flavors, n) &&
            text_same(flavor_name(kit->engine, (uint16_t)n), (struct text){resource, len}))
            return (uint16_t)n;
    }
    return 0;
}

const struct cell *kit_cell(const struct kit *kit, const char *queue, const char *resource)
{
    uint32_t id = kit_queue(kit, queue), of = kit_resource(kit, resource);

    if (id == 0 || of == 0)
        return NULL;
    return quota_cell(queue_at(kit->engine, id), kit_flavor(kit, resource), of);
}

int64_t kit_usage(const struct kit *kit, const char *queue, const char *resource)
{
    const struct cell *cell = kit_cell(kit, queue, resource);

    return cell == NULL ? -1 : amount_clamp(cell->usage);
}

int64_t kit_room(const struct kit *kit, const char *queue, const char *resource)
{
    return amount_clamp(headroom_now(kit->engine, kit_queue(kit, queue), kit_flavor(kit, resource),
                                     kit_resource(kit, resource)));
}

static void add_name(struct kit *kit, struct text name)
{
    size_t len = strlen(kit->text);

    snprintf(kit->text + len, sizeof(kit->text) - len, "%s%.*s", len == 0 ? "" : " ", (int)name.len,
             name.at);
}

static int compare_texts(const void *a, const void *b)
{
    const struct text *x = a, *y = b;
    int order = memcmp(x->at, y->at, x->len < y->len ? x->len : y->len);

    return order != 0 ? order : (x->len > y->len) - (x->len < y->len);
}

const char *kit_granted(struct kit *kit)
{
    const struct engine *e = kit->engine;
    struct text names[1024];
    size_t count = 0;

    kit->text[0] = '\0';
    for (uint32_t id = 1; id < slab_end(&e->claims.records) && count < 1024; id++) {
        if (slab_live(&e->claims.records, id) && !claim_is_workload(e, id) &&
            claim_at(e, id)->state >= CLAIM_RESERVED)
            names[count++] = claim_name(e, id);
    }
    qsort(names, count, sizeof(names[0]), compare_texts);
    for (size_t i = 0; i < count; i++)
        add_name(kit, names[i]);
    return kit->text;
}

const char *kit_waiting(struct kit *kit, const char *queue)
{
    struct waiting_walk walk = {.queue = kit_queue(kit, queue)};
    uint32_t cursor = 0, claim;

    kit->text[0] = '\0';
    while (engine_next_waiting(kit->engine, &walk, &cursor, &claim))
        add_name(kit, claim_name(kit->engine, claim));
    return kit->text;
}

const char *kit_state(const struct kit *kit, const char *uid)
{
    static const char *const names[] = {"held", "waiting", "reserved", "allocated"};
    uint32_t id = kit_claim(kit, uid);

    return id == 0 ? "" : names[claim_at(kit->engine, id)->state];
}

const char *kit_why(const struct kit *kit, const char *uid)
{
    struct pod_report report;
    uint32_t id = kit_claim(kit, uid);

    if (id == 0)
        return "";
    engine_report_pod(kit->engine, id, &report);
    return reason_name(report.why.reason);
}
