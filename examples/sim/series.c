/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/series.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"

enum {
    SAMPLES_MOST = 1 << 16,
};

static struct usage *usage_of(struct sim *sim, const char *queue, const char *resource)
{
    char key[600];

    snprintf(key, sizeof(key), "%s %s", queue, resource);
    struct usage *usage = map_get(&sim->story.usages, key);
    if (usage)
        return usage;
    usage = arena_get(&sim->arena, sizeof(*usage));
    usage->queue = arena_copy(&sim->arena, queue);
    usage->resource = arena_copy(&sim->arena, resource);
    map_put(&sim->story.usages, arena_copy(&sim->arena, key), usage);
    return usage;
}

static bool same(const struct sample *a, const struct sample *b)
{
    return a->waiting == b->waiting && a->held == b->held &&
           a->used.allocated == b->used.allocated && a->used.reserved == b->used.reserved &&
           a->used.ceiling == b->used.ceiling && a->used.share == b->used.share;
}

/* Keeps every second sample of each usage, and takes half as many from now on. */
static void thin(struct story *story)
{
    story->n_samples = 0;
    for (size_t i = 0; i < story->usages.count; i++) {
        struct usage *usage = story->usages.entries[i].value;
        size_t kept = 0;
        for (size_t s = 0; s < usage->count; s += 2)
            usage->samples[kept++] = usage->samples[s];
        usage->count = kept;
        story->n_samples += kept;
    }
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

static void take_queue(struct sim *sim, const msgpack_object *queue)
{
    const msgpack_object *quota = value_array(queue, "quota");
    const char *kind = value_str(queue, "kind", "");
    char ref[400];
    const char *text = "";
    bool changed = false;
    bool limited = false;

    snprintf(ref, sizeof(ref), "%s/%s",
             strcmp(kind, "Queue") == 0          ? "queue"
             : strcmp(kind, "ClusterQueue") == 0 ? "clusterqueue"
                                                 : "cohort",
             value_str(queue, "name", ""));
    struct resources done = {0};
    struct arena scratch = {0};
    for (uint32_t i = 0; i < value_count(quota); i++) {
        const char *resource = value_str(value_item(quota, i), "resource", "");
        if (resources_get(&done, resource))
            continue;
        resources_set(&scratch, &done, resource, 1);
        struct sample sample = {
            .at = sim->clock.now,
            .waiting = value_int(queue, "waiting", 0),
            .held = value_int(queue, "held", 0),
        };
        for (uint32_t k = i; k < value_count(quota); k++) {
            const msgpack_object *row = value_item(quota, k);
            if (strcmp(value_str(row, "resource", ""), resource) != 0)
                continue;
            int64_t ceiling = value_int(row, "ceiling", -1);
            sample.used.allocated += value_int(row, "allocated", 0);
            sample.used.reserved += value_int(row, "reserved", 0);
            sample.used.share += value_int(row, "share", 0);
            sample.used.ceiling =
                ceiling < 0 || sample.used.ceiling < 0 ? -1 : sample.used.ceiling + ceiling;
        }
        limited |= sample.used.ceiling >= 0;
        struct usage *usage = usage_of(sim, ref, resource);
        bool is_first = usage->count == 0;
        bool idle =
            sample.used.allocated + sample.used.reserved + sample.waiting + sample.held == 0;
        changed |= add(&sim->story, usage, sample) && !(is_first && idle);
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
