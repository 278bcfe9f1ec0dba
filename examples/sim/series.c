/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"

enum {
    SAMPLES_MOST = 1 << 16,
};

static struct usage *usage_of(struct sim *sim, const char *queue, const char *resource,
                              const char *flavor)
{
    struct map *usages = *flavor ? &sim->story.flavor_usages : &sim->story.usages;
    char key[900];

    snprintf(key, sizeof(key), "%s %s%s%s", queue, resource, *flavor ? " " : "", flavor);
    struct usage *usage = map_get(usages, key);
    if (usage)
        return usage;
    usage = arena_get(&sim->arena, sizeof(*usage));
    usage->queue = arena_copy(&sim->arena, queue);
    usage->resource = arena_copy(&sim->arena, resource);
    usage->flavor = arena_copy(&sim->arena, flavor);
    map_put(usages, arena_copy(&sim->arena, key), usage);
    return usage;
}

static bool same(const struct sample *a, const struct sample *b)
{
    return a->waiting == b->waiting && a->held == b->held &&
           a->used.allocated == b->used.allocated && a->used.reserved == b->used.reserved &&
           a->used.ceiling == b->used.ceiling && a->used.share == b->used.share;
}

static void keep_every_second(struct story *story, struct map *usages)
{
    for (size_t i = 0; i < usages->count; i++) {
        struct usage *usage = usages->entries[i].value;
        size_t kept = 0;
        for (size_t s = 0; s < usage->count; s += 2)
            usage->samples[kept++] = usage->samples[s];
        usage->count = kept;
        story->n_samples += kept;
    }
}

/* Keeps every second sample of each usage, and takes half as many from now on. */
static void thin(struct story *story)
{
    story->n_samples = 0;
    keep_every_second(story, &story->usages);
    keep_every_second(story, &story->flavor_usages);
    story->apart = story->apart ? story->apart * 2 : MILLISECOND;
}

/* True: it is another than the one before. */
static bool add(struct story *story, struct usage *usage, struct sample sample)
{
    struct sample *last = usage->count ? &usage->samples[usage->count - 1] : NULL;

    if (last && same(last, &sample))
        return false;
    if (last && last->at == sample.at) {
        *last = sample;
        return true;
    }
    usage->samples = array_room(usage->samples, usage->count, &usage->cap, sizeof(*usage->samples));
    usage->samples[usage->count++] = sample;
    story->n_samples++;
    return true;
}

/* "cpu 1 of 1 (reserved 1), memory ..." */
static const char *part(struct sim *sim, const struct usage *usage, const struct sample *sample)
{
    char used[32];
    char reserved[32];
    char ceiling[32];
    const char *name = usage->resource;
    int64_t sum = sample->used.allocated + sample->used.reserved;

    return arena_format(
        &sim->arena, "%s %s%s%s%s%s%s", name, resources_show_amount(name, sum, used, sizeof(used)),
        sample->used.ceiling < 0 ? "" : " of ",
        sample->used.ceiling < 0
            ? ""
            : resources_show_amount(name, sample->used.ceiling, ceiling, sizeof(ceiling)),
        sample->used.reserved ? " (" : "",
        sample->used.reserved
            ? resources_show_amount(name, sample->used.reserved, reserved, sizeof(reserved))
            : "",
        sample->used.reserved ? " reserved)" : "");
}

/* Adds what a row of a queue's quota says. */
static void sum_up(struct resources_used *used, const msgpack_object *row)
{
    int64_t ceiling = value_int(row, "ceiling", -1);

    used->allocated += value_int(row, "allocated", 0);
    used->reserved += value_int(row, "reserved", 0);
    used->share += value_int(row, "share", 0);
    used->ceiling = ceiling < 0 || used->ceiling < 0 ? -1 : used->ceiling + ceiling;
}

static struct sample sample_of(struct sim *sim, const msgpack_object *queue)
{
    return (struct sample){
        .at = sim->clock.now,
        .waiting = value_int(queue, "waiting", 0),
        .held = value_int(queue, "held", 0),
    };
}

/* Each flavor of a resource by itself, where there are several. */
static void take_flavors(struct sim *sim, const msgpack_object *queue, const char *ref,
                         const char *resource)
{
    const msgpack_object *quota = value_array(queue, "quota");
    uint32_t flavors = 0;

    for (uint32_t i = 0; i < value_count(quota); i++)
        flavors += strcmp(value_str(value_item(quota, i), "resource", ""), resource) == 0;
    for (uint32_t i = 0; i < value_count(quota) && flavors > 1; i++) {
        const msgpack_object *row = value_item(quota, i);
        struct sample sample = sample_of(sim, queue);

        if (strcmp(value_str(row, "resource", ""), resource) != 0)
            continue;
        sum_up(&sample.used, row);
        add(&sim->story, usage_of(sim, ref, resource, value_str(row, "flavor", "")), sample);
    }
}

static void write_ref(const msgpack_object *queue, char *ref, size_t size)
{
    const char *kind = value_str(queue, "kind", "");

    snprintf(ref, size, "%s/%s",
             strcmp(kind, "Queue") == 0          ? "queue"
             : strcmp(kind, "ClusterQueue") == 0 ? "clusterqueue"
                                                 : "cohort",
             value_str(queue, "name", ""));
}

static void take_queue(struct sim *sim, const msgpack_object *queue)
{
    const msgpack_object *quota = value_array(queue, "quota");
    char ref[400];
    const char *text = "";
    bool changed = false;
    bool limited = false;

    write_ref(queue, ref, sizeof(ref));
    struct resources done = {0};
    struct arena scratch = {0};
    for (uint32_t i = 0; i < value_count(quota); i++) {
        const char *resource = value_str(value_item(quota, i), "resource", "");
        if (resources_get(&done, resource))
            continue;
        resources_set(&scratch, &done, resource, 1);
        struct sample sample = sample_of(sim, queue);
        for (uint32_t k = i; k < value_count(quota); k++) {
            const msgpack_object *row = value_item(quota, k);
            if (strcmp(value_str(row, "resource", ""), resource) == 0)
                sum_up(&sample.used, row);
        }
        limited |= sample.used.ceiling >= 0;
        struct usage *usage = usage_of(sim, ref, resource, "");
        bool is_first = usage->count == 0;
        bool idle =
            sample.used.allocated + sample.used.reserved + sample.waiting + sample.held == 0;
        changed |= add(&sim->story, usage, sample) && !(is_first && idle);
        take_flavors(sim, queue, ref, resource);
        text =
            arena_format(&sim->arena, "%s%s%s", text, *text ? ", " : "", part(sim, usage, &sample));
    }
    arena_finish(&scratch);
    /* A root without a ceiling has nothing to say that its queues do not say. */
    if (changed && (limited || strcmp(ref, "queue/root") != 0))
        story(sim, arena_copy(&sim->arena, ref), "usage",
              "%s; %" PRId64 " waiting, %" PRId64 " held", text, value_int(queue, "waiting", 0),
              value_int(queue, "held", 0));
}

void series_sample(struct sim *sim)
{
    struct story *story = &sim->story;
    int64_t from = 0;

    if (story->apart && sim->clock.now - story->sampled_at < story->apart)
        return;
    story->sampled_at = sim->clock.now;
    do {
        struct request *r = library_begin(&sim->library, sim_wall(sim));
        r_key_str(r, "what", "queues");
        r_key_int(r, "from", from);
        const msgpack_object *answer = host_call(sim, LOADER_INSPECT);
        const msgpack_object *queues = value_array(answer, "queues");
        from = value_int(answer, "from", 0);
        for (uint32_t i = 0; i < value_count(queues); i++)
            take_queue(sim, value_item(queues, i));
    } while (from > 0);
    if (story->n_samples > SAMPLES_MOST)
        thin(story);
}

void series_finish(struct map *usages)
{
    for (size_t i = 0; i < usages->count; i++)
        free(((struct usage *)usages->entries[i].value)->samples);
    map_finish(usages);
}

void series_json(FILE *out, const struct usage *usage, bool first)
{
    fprintf(out, "%s\n  {\"queue\": ", first ? "" : ",");
    text_json(out, usage->queue);
    fputs(", \"resource\": ", out);
    text_json(out, usage->resource);
    fputs(", \"samples\": [", out);
    for (size_t i = 0; i < usage->count; i++) {
        const struct sample *sample = &usage->samples[i];
        fprintf(out,
                "%s\n    {\"at\": %" PRId64 ", \"allocated\": %" PRId64 ", \"reserved\": %" PRId64
                ", \"ceiling\": ",
                i ? "," : "", sample->at, sample->used.allocated, sample->used.reserved);
        if (sample->used.ceiling < 0)
            fputs("null", out);
        else
            fprintf(out, "%" PRId64, sample->used.ceiling);
        fprintf(out, ", \"waiting\": %" PRId64 ", \"held\": %" PRId64 "}", sample->waiting,
                sample->held);
    }
    fputs("]}", out);
}
