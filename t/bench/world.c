/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "t/bench/world.h"

#include "abi/msg/writer.h"
#include "plugin/base/outbox.h"
#include "t/bench/table.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#define UNIT_CPU INT64_C(1000)
#define GIB (INT64_C(1) << 30)

enum { RUNNING = RUNNING_SMALL + RUNNING_LARGE };

/* Serials of running pods come after all others', so that waiting ones keep their order. */
#define RUNNING_SERIAL UINT32_C(3000000000)

static void *counted(struct heap_use *use, void *p, size_t size)
{
    if (p != NULL) {
        use->bytes += size;
        use->usable += malloc_usable_size(p);
        use->peak = use->bytes > use->peak ? use->bytes : use->peak;
    }
    return p;
}

static void *count_alloc(void *ctx, size_t size)
{
    return counted(ctx, malloc(size), size);
}

static void *count_zalloc(void *ctx, size_t size)
{
    return counted(ctx, calloc(1, size), size);
}

static void count_release(void *ctx, void *p, size_t size)
{
    struct heap_use *use = ctx;

    use->bytes -= size;
    use->usable -= malloc_usable_size(p);
    free(p);
}

void heap_use_init(struct heap_use *use)
{
    *use = (struct heap_use){
        .mem = {.alloc = count_alloc, .release = count_release, .zalloc = count_zalloc, .ctx = use},
    };
}

static void leaf_name(const struct world *world, uint32_t leaf, char *out)
{
    if (world->tree)
        snprintf(out, QUEUE_BYTES, "leaf-%03u", leaf % LEAVES);
    else
        snprintf(out, QUEUE_BYTES, "flat");
}

void world_pod(const struct world *world, uint32_t serial, struct pod *pod)
{
    pod_name(pod, serial);
    leaf_name(world, serial, pod->queue);
    pod->cpu = UNIT_CPU;
    pod->memory = GIB;
    pod->bound = serial >= RUNNING_SERIAL;
    if (pod->bound) {
        uint32_t n = serial - RUNNING_SERIAL;

        pod->cpu *= n < RUNNING_SMALL ? 1 : LARGE;
        pod->memory *= n < RUNNING_SMALL ? 1 : LARGE;
    } else if (world->shapes == SHAPES_MANY) {
        pod->memory = GIB - (int64_t)(serial * UINT32_C(0x9E3779B1) % (1u << 28));
    } else if (world->shapes == SHAPES_AWRY) {
        bool much_cpu = mix(serial) % 2 == 0;

        pod->cpu = much_cpu ? 1000 * UNIT_CPU + serial : 1;
        pod->memory = much_cpu ? 1 : 1000 * GIB + serial;
    }
}

void world_prepare(const struct world *world, enum errand errand, struct delivery *delivery)
{
    if (world->door == NULL)
        return;
    if (errand == ERRAND_ASK)
        delivery->len = pod_ask_request(&delivery->pod, world->now, delivery->request,
                                        sizeof(delivery->request));
    else if (errand == ERRAND_NAME)
        delivery->len = pod_name_request(&delivery->pod, world->now, delivery->request,
                                         sizeof(delivery->request));
    else
        delivery->len = pod_see_request(&delivery->pod, errand == ERRAND_LOSE, world->now,
                                        delivery->request, sizeof(delivery->request));
    if (delivery->len == 0)
        fail("a request has no room");
}

/* An answer ends with the key `more`, a truth; pre_enqueue's begins with `pass` and `reason`. */
static int64_t call(const struct world *world, enum hook_id hook, const uint8_t *req, size_t len,
                    uint8_t *out, size_t cap)
{
    int64_t r = world->door->hooks[hook](world->handle, req, len, out, cap);

    if (r <= 0)
        fail("sluice.so answers %lld: %.*s", (long long)r, r < 0 ? (int)(-r >> 8) : 0, (char *)out);
    return r;
}

static bool says_more(const uint8_t *answer, int64_t len)
{
    return answer[len - 1] == 0xc3;
}

static bool says_pass(const uint8_t *answer)
{
    return memcmp(answer + 1, "\xa4pass", 5) == 0 && answer[6] == 0xc3;
}

static bool says_why(const uint8_t *answer)
{
    return memcmp(answer + 7, "\xa6reason", 7) == 0 && answer[14] != 0xa0;
}

static bool deliver_to_engine(struct world *world, enum errand errand, const struct pod *pod)
{
    struct verdict verdict;

    if (errand == ERRAND_LOSE) {
        engine_lose_pod(world->engine, (struct text){pod->uid, UID_BYTES});
        return engine_more(world->engine);
    }
    if (errand == ERRAND_NAME) {
        if (!engine_pre_enqueue_known(world->engine, (struct text){pod->uid, UID_BYTES},
                                      POD_VERSION, false, &verdict))
            fail("a pod that was seen is not known");
        return verdict.pass;
    }
    pod_tell(pod, &world->facts);
    if (errand == ERRAND_SEE) {
        if (engine_see_pod(world->engine, &world->facts) < 0)
            fail("no memory for a pod");
        return engine_more(world->engine);
    }
    if (engine_pre_enqueue(world->engine, &world->facts, false, &verdict) < 0)
        fail("no memory for a pod");
    return verdict.pass;
}

bool world_deliver(struct world *world, enum errand errand, const struct delivery *delivery)
{
    bool asks = errand == ERRAND_ASK || errand == ERRAND_NAME;
    uint8_t answer[2048];
    int64_t r;

    if (world->door == NULL)
        return deliver_to_engine(world, errand, &delivery->pod);
    r = call(world, asks ? HOOK_PRE_ENQUEUE : HOOK_OBSERVE, delivery->request, delivery->len,
             answer, sizeof(answer));
    if (!asks)
        return says_more(answer, r);
    if (!says_pass(answer) && !says_why(answer))
        fail("a pod that was seen is not known");
    return says_pass(answer);
}

static size_t tick_request(const struct world *world, uint8_t *out, size_t cap)
{
    struct msg_writer w;

    msg_writer_init(&w, out, cap);
    msg_put_map(&w, 1);
    msg_put_key(&w, "now");
    msg_put_int(&w, world->now);
    return msg_writer_length(&w);
}

uint32_t world_settle(struct world *world)
{
    uint8_t request[32], answer[2048];
    size_t len = tick_request(world, request, sizeof(request));
    bool more = true;
    uint32_t ticks = 0;

    if (world->door == NULL) {
        for (; engine_more(world->engine); ticks++)
            engine_tick(world->engine);
        return ticks;
    }
    for (; more; ticks++)
        more = says_more(answer, call(world, HOOK_TICK, request, len, answer, sizeof(answer)));
    return ticks;
}

uint32_t world_pending(struct world *world)
{
    uint8_t request[32], answer[2048];
    size_t len = tick_request(world, request, sizeof(request));
    int64_t r;

    if (world->door == NULL)
        return outbox_pending(engine_outbox(world->engine));
    r = call(world, HOOK_TICK, request, len, answer, sizeof(answer));

    const uint8_t *at = memmem(answer, (size_t)r, "\xa7pending", 8);

    if (at == NULL)
        fail("an answer without `pending`");
    at += 8;
    if (*at < 0x80)
        return *at;
    return *at == 0xcc   ? at[1]
           : *at == 0xcd ? (uint32_t)at[1] << 8 | at[2]
                         : (uint32_t)at[3] << 8 | at[4];
}

void world_prepare_release(struct world *world, bool large, struct delivery *delivery)
{
    uint32_t n = world->released[large]++;

    if (n >= (large ? (uint32_t)RUNNING_LARGE : (uint32_t)RUNNING_SMALL))
        fail("no running pod is left to release");
    world_pod(world, RUNNING_SERIAL + (large ? RUNNING_SMALL : 0u) + n, &delivery->pod);
    world_prepare(world, ERRAND_LOSE, delivery);
}

static void see_queue(struct world *world, const char *name, const char *parent)
{
    static const struct queue_facts plain = {.kind = QUEUE_VOLCANO, .reclaimable = true};
    struct queue_facts facts = plain;
    uint8_t request[256], answer[2048];
    struct msg_writer w;

    facts.name = text_of(name);
    facts.parent = text_of(parent);
    facts.deserved.count = 1;
    facts.deserved.item[0] = (struct named_amount){text_of("cpu"), 8 * UNIT_CPU};
    if (world->door == NULL) {
        if (engine_see_queue(world->engine, &facts) < 0)
            fail("no memory for a queue");
        return;
    }
    msg_writer_init(&w, request, sizeof(request));
    msg_put_map(&w, 3);
    msg_put_key(&w, "now");
    msg_put_int(&w, world->now);
    msg_put_key(&w, "kind");
    msg_put_str(&w, "queue");
    msg_put_key(&w, "object");
    msg_put_map(&w, 4);
    msg_put_key(&w, "kind");
    msg_put_str(&w, "Queue");
    msg_put_key(&w, "name");
    msg_put_str(&w, name);
    msg_put_key(&w, "parent");
    msg_put_str(&w, parent);
    msg_put_key(&w, "deserved");
    msg_put_map(&w, 1);
    msg_put_key(&w, "cpu");
    msg_put_int(&w, 8 * UNIT_CPU);
    call(world, HOOK_OBSERVE, request, msg_writer_length(&w), answer, sizeof(answer));
}

static void see_queues(struct world *world)
{
    char name[QUEUE_BYTES], parent[QUEUE_BYTES];

    if (!world->tree) {
        see_queue(world, "flat", "root");
        return;
    }
    for (unsigned i = 0; i < 10; i++) {
        snprintf(name, sizeof(name), "top-%u", i);
        see_queue(world, name, "root");
    }
    for (unsigned i = 0; i < 90; i++) {
        snprintf(name, sizeof(name), "mid-%02u", i);
        snprintf(parent, sizeof(parent), "top-%u", i % 10);
        see_queue(world, name, parent);
    }
    for (unsigned i = 0; i < LEAVES; i++) {
        snprintf(name, sizeof(name), "leaf-%03u", i);
        snprintf(parent, sizeof(parent), "mid-%02u", i % 90);
        see_queue(world, name, parent);
    }
}

static void see_mark(struct world *world, const char *kind)
{
    uint8_t request[64], answer[2048];
    struct msg_writer w;

    msg_writer_init(&w, request, sizeof(request));
    msg_put_map(&w, 2);
    msg_put_key(&w, "now");
    msg_put_int(&w, world->now);
    msg_put_key(&w, "kind");
    msg_put_str(&w, kind);
    call(world, HOOK_OBSERVE, request, msg_writer_length(&w), answer, sizeof(answer));
}

static void open_engine(struct world *world, int64_t cpu, int64_t memory)
{
    struct engine_config config = {.root_ceiling = ROOT_AMOUNTS};

    config.root_amounts.count = 2;
    config.root_amounts.item[0] = (struct named_amount){text_of("cpu"), cpu};
    config.root_amounts.item[1] = (struct named_amount){text_of("memory"), memory};
    heap_use_init(&world->use);
    if (engine_create(&config, &world->use.mem, &world->engine) < 0)
        fail("no memory for an engine");
    engine_set_time(world->engine, world->now);
    engine_set_synced(world->engine);
    engine_set_leader(world->engine, true);
}

static void open_library(struct world *world, int64_t cpu, int64_t memory)
{
    uint8_t config[128], answer[4096];
    struct msg_writer w;
    int64_t r;

    msg_writer_init(&w, config, sizeof(config));
    msg_put_map(&w, 1);
    msg_put_key(&w, "rootCeiling");
    msg_put_map(&w, 2);
    msg_put_key(&w, "cpu");
    msg_put_int(&w, cpu);
    msg_put_key(&w, "memory");
    msg_put_int(&w, memory);
    r = world->door->open(config, msg_writer_length(&w), answer, sizeof(answer));
    if (r <= 0)
        fail("sluice_open answers %lld", (long long)r);
    world->handle = (uint64_t)r;
    see_mark(world, "synced");
    see_mark(world, "leader");
}

struct world *world_build(const struct world_plan *plan,
                          void (*each)(void *ctx, const struct world *world), void *ctx)
{
    struct world *world = calloc(1, sizeof(*world));
    int64_t units = RUNNING_SMALL + RUNNING_LARGE * LARGE;
    struct delivery delivery;

    if (world == NULL)
        fail("no memory");
    world->door = plan->door;
    world->tree = plan->tree;
    world->shapes = plan->shapes;
    world->count = world->next_serial = plan->waiting;
    world->serials = calloc(plan->waiting, sizeof(*world->serials));
    world->now = BENCH_EPOCH + INT64_C(10000000) * 1000000;
    if (world->serials == NULL)
        fail("no memory");
    if (plan->door == NULL)
        open_engine(world, units * UNIT_CPU, units * GIB);
    else
        open_library(world, units * UNIT_CPU, units * GIB);
    see_queues(world);
    for (uint32_t i = 0; i < RUNNING; i++) {
        world_pod(world, RUNNING_SERIAL + i, &delivery.pod);
        world_prepare(world, ERRAND_SEE, &delivery);
        world_deliver(world, ERRAND_SEE, &delivery);
    }
    for (uint32_t i = 0; i < plan->waiting; i++) {
        world->serials[i] = i;
        world_pod(world, i, &delivery.pod);
        world_prepare(world, ERRAND_SEE, &delivery);
        world_deliver(world, ERRAND_SEE, &delivery);
        world_prepare(world, ERRAND_ASK, &delivery);
        if (world_deliver(world, ERRAND_ASK, &delivery))
            fail("pod %u passes: the queues are not full", i);
        if (each != NULL)
            each(ctx, world);
    }
    return world;
}

void world_free(struct world *world)
{
    if (world == NULL)
        return;
    if (world->door == NULL)
        engine_destroy(world->engine);
    else
        world->door->close(world->handle);
    free(world->serials);
    free(world);
}
