/* SPDX-License-Identifier: Apache-2.0 */
#include "t/bench/pod.h"

#include "abi/msg/writer.h"

uint64_t mix(uint64_t n)
{
    n = (n + UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);
    n = (n ^ n >> 31) * UINT64_C(0x94D049BB133111EB);
    return n ^ n >> 29;
}

static void digits(char *at, size_t count, uint64_t number, unsigned base)
{
    while (count > 0) {
        at[--count] = "0123456789abcdefghijklmnopqrstuvwxyz"[number % base];
        number /= base;
    }
}

void pod_name(struct pod *pod, uint32_t serial)
{
    memcpy(pod->uid, "00000000-0000-4000-8000-000000000000", UID_BYTES);
    digits(pod->uid, 8, mix(serial), 16);
    digits(pod->uid + 9, 4, mix(serial) >> 32, 16);
    digits(pod->uid + 24, 12, (uint64_t)serial << 16 | (mix(serial) >> 48), 16);
    memcpy(pod->space, "team-0000000", SPACE_BYTES);
    digits(pod->space + 5, SPACE_BYTES - 5, serial % 100, 10);
    memcpy(pod->name, "trainer-6f7c9d8b5d-00000000000", NAME_BYTES);
    digits(pod->name + 19, 4, mix(serial), 36);
    digits(pod->name + 23, 7, serial, 36);
    pod->created = BENCH_EPOCH + (int64_t)serial * 1000000;
}

void pod_tell(const struct pod *pod, struct pod_facts *facts)
{
    facts->uid = (struct text){pod->uid, UID_BYTES};
    facts->space = (struct text){pod->space, SPACE_BYTES};
    facts->name = (struct text){pod->name, NAME_BYTES};
    facts->queue = text_of(pod->queue);
    facts->scheduler = text_of("default-scheduler");
    facts->created = pod->created;
    facts->generation = 1;
    facts->resource_version = POD_VERSION;
    facts->opted_in = true;
    facts->gates.ours = pod->bound ? 0 : GATE_LONG;
    facts->stamp = pod->bound ? pod->created : 0;
    facts->node = pod->bound ? text_of("node-1") : (struct text){NULL, 0};
    facts->requests.count = 2;
    facts->requests.item[0] = (struct named_amount){text_of("cpu"), pod->cpu};
    facts->requests.item[1] = (struct named_amount){text_of("memory"), pod->memory};
}

static void put_pair(struct msg_writer *w, const char *key, const char *value)
{
    msg_put_key(w, key);
    msg_put_str(w, value);
}

static void put_named(struct msg_writer *w, const char *key, const char *value, size_t len)
{
    msg_put_key(w, key);
    msg_put_text(w, value, len);
}

static void put_number(struct msg_writer *w, const char *key, int64_t value)
{
    msg_put_key(w, key);
    msg_put_int(w, value);
}

static void put_pod(struct msg_writer *w, const struct pod *pod)
{
    msg_put_map(w, pod->bound ? 10 : 11);
    put_named(w, "uid", pod->uid, UID_BYTES);
    put_named(w, "namespace", pod->space, SPACE_BYTES);
    put_named(w, "name", pod->name, NAME_BYTES);
    put_number(w, "created", pod->created);
    put_number(w, "generation", 1);
    put_number(w, "resourceVersion", POD_VERSION);
    put_pair(w, "scheduler", "default-scheduler");
    if (pod->bound) {
        put_pair(w, "node", "node-1");
    } else {
        msg_put_key(w, "gates");
        msg_put_array(w, 1);
        msg_put_str(w, gate_name(GATE_LONG));
        put_pair(w, "phase", "Pending");
    }
    msg_put_key(w, "annotations");
    msg_put_map(w, 2);
    put_pair(w, gate_name(GATE_LONG), "true");
    put_pair(w, "scheduling.volcano.sh/queue-name", pod->queue);
    msg_put_key(w, "requests");
    msg_put_map(w, 2);
    put_number(w, "cpu", pod->cpu);
    put_number(w, "memory", pod->memory);
}

size_t pod_ask_request(const struct pod *pod, int64_t now, uint8_t *out, size_t cap)
{
    struct msg_writer w;

    msg_writer_init(&w, out, cap);
    msg_put_map(&w, 2);
    put_number(&w, "now", now);
    msg_put_key(&w, "pod");
    put_pod(&w, pod);
    return msg_writer_fits(&w) ? msg_writer_length(&w) : 0;
}

size_t pod_name_request(const struct pod *pod, int64_t now, uint8_t *out, size_t cap)
{
    struct msg_writer w;

    msg_writer_init(&w, out, cap);
    msg_put_map(&w, 3);
    put_number(&w, "now", now);
    put_named(&w, "uid", pod->uid, UID_BYTES);
    put_number(&w, "resourceVersion", POD_VERSION);
    return msg_writer_fits(&w) ? msg_writer_length(&w) : 0;
}

size_t pod_see_request(const struct pod *pod, bool gone, int64_t now, uint8_t *out, size_t cap)
{
    struct msg_writer w;

    msg_writer_init(&w, out, cap);
    msg_put_map(&w, 4);
    put_number(&w, "now", now);
    put_pair(&w, "kind", "pod");
    msg_put_key(&w, "gone");
    msg_put_bool(&w, gone);
    msg_put_key(&w, "object");
    if (gone) {
        msg_put_map(&w, 1);
        put_named(&w, "uid", pod->uid, UID_BYTES);
    } else {
        put_pod(&w, pod);
    }
    return msg_writer_fits(&w) ? msg_writer_length(&w) : 0;
}
