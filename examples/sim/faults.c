/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/faults.h"

#include <stddef.h>
#include <string.h>

#include "examples/sim/sim.h"

static const struct {
    const char *key;
    const char *want;
    size_t offset;
    const char *values[5];
} kinds[] = {
    {"acks",
     "never, twice or wrong",
     offsetof(struct faults, acks),
     {"", "never", "twice", "wrong"}},
    {"observe",
     "duplicate, reorder, drop-deletes or late",
     offsetof(struct faults, observe),
     {"", "duplicate", "reorder", "drop-deletes", "late"}},
    {"patches",
     "conflict, fail or lost",
     offsetof(struct faults, patches),
     {"", "conflict", "fail", "lost"}},
    {"binds", "fail", offsetof(struct faults, binds), {"", "fail"}},
    {"evictions", "refused", offsetof(struct faults, evictions), {"", "refused"}},
    {"webhook", "\"off\" or pods", offsetof(struct faults, webhook), {"", "off", "pods"}},
};

enum {
    KINDS = sizeof(kinds) / sizeof(*kinds),
    VALUES = sizeof(kinds[0].values) / sizeof(kinds[0].values[0]),
};

static int *slot(struct faults *faults, size_t kind)
{
    return (int *)(void *)((char *)faults + kinds[kind].offset);
}

static int value_of(size_t kind, const char *text)
{
    for (int i = 1; i < VALUES; i++)
        if (kinds[kind].values[i] && strcmp(kinds[kind].values[i], text) == 0)
            return i;
    return 0;
}

static void check_pair(struct fault *fault, const struct tree_pair *pair)
{
    if (strcmp(pair->key, "for") == 0 || strcmp(pair->key, "watch") == 0 ||
        strcmp(pair->key, "requests") == 0) {
        if (tree_as_duration(fault, pair->value) < 0)
            fault_at(fault, pair->value, "a duration that is not negative");
        return;
    }
    for (size_t i = 0; i < KINDS; i++) {
        if (strcmp(pair->key, kinds[i].key) != 0)
            continue;
        if (!value_of(i, tree_as_text(fault, pair->value)))
            fault_at(fault, pair->value, "%s", kinds[i].want);
        return;
    }
    fault_say(fault, pair->value,
              "%s is no fault, want acks, observe, patches, binds, evictions, webhook, watch, "
              "requests or for",
              pair->key);
}

void faults_check(struct fault *fault, const struct tree *spec)
{
    if (spec->type != TREE_MAP || spec->count == 0)
        fault_at(fault, spec, "a map such as {acks: never, for: 60s}");
    for (size_t i = 0; spec->type == TREE_MAP && i < spec->count; i++)
        check_pair(fault, &spec->pairs[i]);
}

struct ending {
    int epoch;
};

static void end(struct sim *sim, void *what)
{
    const struct ending *ending = what;

    if (ending->epoch != sim->faults.epoch)
        return;
    for (size_t i = 0; i < KINDS; i++)
        *slot(&sim->faults, i) = 0;
    sim->faults.watch = 0;
    sim->faults.requests = 0;
    story(sim, "host", "fault", "all goes well again");
}

void faults_start(struct sim *sim, const struct tree *spec)
{
    struct faults *faults = &sim->faults;
    const struct tree *length = tree_get(spec, "for");
    const struct tree *watch = tree_get(spec, "watch");
    const struct tree *requests = tree_get(spec, "requests");

    for (size_t i = 0; i < KINDS; i++) {
        const struct tree *value = tree_get(spec, kinds[i].key);
        if (value)
            *slot(faults, i) = value_of(i, value->text);
        if (value)
            story(sim, "host", "fault", "%s: %s", kinds[i].key, value->text);
    }
    if (watch) {
        faults->watch = tree_as_duration(&sim->fault, watch);
        story(sim, "host", "fault", "changes are seen %s later", watch->text);
    }
    if (requests) {
        faults->requests = tree_as_duration(&sim->fault, requests);
        story(sim, "host", "fault", "what managers write arrives %s later", requests->text);
    }
    faults->epoch++;
    if (length) {
        struct ending *ending = arena_get(&sim->arena, sizeof(*ending));
        *ending = (struct ending){faults->epoch};
        clock_at(&sim->clock, sim->clock.now + tree_as_duration(&sim->fault, length), end, ending);
    }
}
