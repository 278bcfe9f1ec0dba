/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/expect.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"
#include "plugin/base/quantity.h"

static bool starts(const char *ref, const char *kind)
{
    size_t len = strlen(kind);

    return strncmp(ref, kind, len) == 0 && ref[len] == '/' && ref[len + 1];
}

void expect_failed(struct sim *sim, const struct tree *where, const char *key, const char *wanted,
                   const char *seen)
{
    struct expectations *expectations = &sim->expectations;
    char time[32];

    fflush(stdout);
    if (expectations->failures++ == 0)
        fprintf(stderr, "%-28s %10s  %-30s %-32s %s\n", "where", "at", "what", "wanted", "seen");
    char place[300];
    snprintf(place, sizeof(place), "%s:%d", where->file, where->line);
    text_say(stderr, "%-28s %10s  %-30s %-32s %s\n", place,
             clock_show(sim->clock.now, time, sizeof(time)), key, *wanted ? wanted : "\"\"",
             *seen ? seen : "\"\"");
}

/* One look at an expectation: counts what differs, and says it if it shall. */
struct look {
    struct sim *sim;
    bool says;
    int differ;
};

static void differs(struct look *look, const struct tree *where, const char *ref, const char *key,
                    const char *wanted, const char *seen)
{
    char what[300];

    look->differ++;
    snprintf(what, sizeof(what), "%s%s%s", ref, *key ? " " : "", key);
    if (look->says)
        expect_failed(look->sim, where, what, wanted, seen);
}

static bool is_like(const char *wanted, const char *seen)
{
    if (strcmp(wanted, "*") == 0)
        return true;
    if (wanted[0] == '!')
        return strcmp(wanted + 1, seen) != 0;
    return strcmp(wanted, seen) == 0;
}

/* Amounts compare as quantities: 1, "1" and 1000m are the same cpu. */
static bool is_like_amount(const char *wanted, const char *resource, const char *seen)
{
    const char *name = strchr(resource, ':') ? strchr(resource, ':') + 1 : resource;
    bool other = wanted[0] == '!';
    char text[32];
    int64_t amount;

    if (strcmp(wanted, "*") == 0)
        return true;
    if (!quantity_parse(wanted + other, strlen(wanted + other), strcmp(name, "cpu") == 0, &amount))
        return false;
    snprintf(text, sizeof(text), "%" PRId64, amount);
    return (strcmp(text, seen) == 0) != other;
}

static const char *list_text(struct sim *sim, const struct tree *list)
{
    const char *text = "";

    for (size_t i = 0; i < list->count; i++)
        text = arena_format(&sim->arena, "%s%s%s", text, i ? ", " : "", list->pairs[i].value->text);
    return text;
}

static void compare_pod(struct look *look, const char *ref, const struct tree_pair *field)
{
    const struct tree *want = field->value;
    struct sim *sim = look->sim;

    if (want->type == TREE_MAP) {
        for (size_t i = 0; i < want->count; i++) {
            const struct tree_pair *inner = &want->pairs[i];
            const char *seen = seen_of_pod(sim, ref, field->key, inner->key);
            if (!is_like(inner->value->text, seen))
                differs(look, inner->value, ref, inner->key, inner->value->text, seen);
        }
        return;
    }
    const char *seen = seen_of_pod(sim, ref, field->key, "");
    const char *wanted = want->type == TREE_LIST ? list_text(sim, want) : want->text;
    bool same = want->type == TREE_LIST ? strcmp(wanted, seen) == 0 : is_like(wanted, seen);
    if (!same)
        differs(look, want, ref, field->key, wanted, seen);
}

static void compare_queue(struct look *look, const char *ref, const struct tree_pair *field)
{
    const struct tree *want = field->value;
    char shown[32];
    bool is_amount;

    if (want->type != TREE_MAP) {
        const char *seen = seen_of_queue(look->sim, ref, field->key, NULL, &is_amount);
        if (!is_like(want->text, seen))
            differs(look, want, ref, field->key, want->text, seen);
        return;
    }
    for (size_t i = 0; i < want->count; i++) {
        const struct tree_pair *inner = &want->pairs[i];
        const char *seen = seen_of_queue(look->sim, ref, field->key, inner->key, &is_amount);
        if (is_amount ? is_like_amount(inner->value->text, inner->key, seen)
                      : is_like(inner->value->text, seen))
            continue;
        const char *name = strchr(inner->key, ':') ? strchr(inner->key, ':') + 1 : inner->key;
        int64_t amount;
        if (is_amount && quantity_parse(seen, strlen(seen), false, &amount))
            seen = resources_show_amount(name, amount, shown, sizeof(shown));
        differs(look, inner->value, ref,
                arena_format(&look->sim->arena, "%s %s", field->key, inner->key),
                inner->value->text, seen);
    }
}

static bool pod_like(const struct sim *sim, const char *ref)
{
    return starts(ref, "pod") && world_pod(sim, ref) != NULL;
}

static void compare_one(struct look *look, const char *ref, const struct tree *want)
{
    struct sim *sim = look->sim;
    bool is_pod = starts(ref, "pod");

    if (want->type == TREE_TEXT) {
        if (is_pod ? pod_like(sim, ref) : seen_is_there(sim, ref))
            differs(look, want, ref, "", "gone", "there");
        return;
    }
    if (is_pod && !pod_like(sim, ref)) {
        differs(look, want, ref, "", "there", "gone");
        return;
    }
    for (size_t i = 0; i < want->count; i++)
        if (is_pod)
            compare_pod(look, ref, &want->pairs[i]);
        else
            compare_queue(look, ref, &want->pairs[i]);
}

/* pod/STAR stands for every pod there is. */
static void compare_entry(struct look *look, const struct tree_pair *entry)
{
    const struct map *pods = &look->sim->world.pods;

    if (expect_is_world(entry->key)) {
        const char *seen = seen_of_world(look->sim, entry->key);
        if (!is_like(entry->value->text, seen))
            differs(look, entry->value, entry->key, "", entry->value->text, seen);
    } else if (strcmp(entry->key, "pod/*") != 0) {
        compare_one(look, entry->key, entry->value);
    } else {
        for (size_t i = 0; i < pods->count; i++)
            if (world_pod(look->sim, pods->entries[i].key))
                compare_one(look, pods->entries[i].key, entry->value);
    }
}

static int differences(struct sim *sim, const struct tree *expect, bool says)
{
    struct look look = {.sim = sim, .says = says};

    for (size_t i = 0; i < expect->count; i++)
        if (strcmp(expect->pairs[i].key, "never") != 0)
            compare_entry(&look, &expect->pairs[i]);
    return look.differ;
}

static const char *never_now(struct sim *sim, const struct tree *never)
{
    for (size_t i = 0; i < never->count; i++) {
        const struct tree_pair *entry = &never->pairs[i];
        struct look look = {.sim = sim};
        if (strcmp(entry->key, "pod/*") != 0) {
            compare_entry(&look, entry);
            if (look.differ == 0)
                return entry->key;
            continue;
        }
        /* Only what this moment touched can have become true in it. */
        for (size_t p = 0; p < sim->story.n_touched; p++) {
            const char *ref = sim->story.touched[p]->ref;
            struct look one = {.sim = sim};
            compare_one(&one, ref, entry->value);
            if (one.differ == 0)
                return ref;
        }
    }
    return NULL;
}

static void look_at_nevers(struct sim *sim)
{
    struct expectations *expectations = &sim->expectations;
    char time[32];

    for (size_t n = 0; n < expectations->n_nevers; n++) {
        size_t i = expectations->nevers[n];
        const struct tree *never = tree_find(sim->scenario->steps[i].tree, "expect/never");
        const char *which = expectations->never_what[i] ? NULL : never_now(sim, never);
        if (which)
            expectations->never_what[i] =
                arena_format(&sim->arena, "%s was, at %s", which,
                             clock_show(sim->clock.now, time, sizeof(time)));
    }
}

void expect_start(struct sim *sim)
{
    struct expectations *expectations = &sim->expectations;
    const struct scenario *scenario = sim->scenario;

    expectations->never_what =
        arena_get(&sim->arena, scenario->n_steps * sizeof(*expectations->never_what));
    expectations->nevers =
        arena_get(&sim->arena, scenario->n_steps * sizeof(*expectations->nevers));
    for (size_t i = 0; i < scenario->n_steps; i++)
        if (tree_find(scenario->steps[i].tree, "expect/never"))
            expectations->nevers[expectations->n_nevers++] = i;
}

void expect_begin(struct sim *sim, const struct step *step)
{
    struct expectations *expectations = &sim->expectations;

    expectations->step = tree_get(step->tree, "expect") ? step : NULL;
    expectations->true_since = -1;
    expectations->failed = false;
    expectations->changes = UINT64_MAX;
}

void expect_moment(struct sim *sim)
{
    struct expectations *expectations = &sim->expectations;
    const struct step *step = expectations->step;

    if (expectations->changes == sim->world.changes)
        return;
    expectations->changes = sim->world.changes;
    look_at_nevers(sim);
    if (!step || expectations->failed)
        return;
    const struct tree *expect = tree_get(step->tree, "expect");
    if (differences(sim, expect, false) == 0) {
        if (expectations->true_since < 0)
            expectations->true_since = sim->clock.now;
        return;
    }
    if (expectations->true_since < 0)
        return;
    expectations->failed = true;
    differences(sim, expect, true);
    char since[32];
    fprintf(stderr, "    (this was as wanted from %s on)\n",
            clock_show(expectations->true_since, since, sizeof(since)));
}

void expect_end(struct sim *sim)
{
    struct expectations *expectations = &sim->expectations;
    const struct step *step = expectations->step;

    if (!step)
        return;
    expectations->changes = UINT64_MAX;
    expect_moment(sim);
    const struct tree *expect = tree_get(step->tree, "expect");
    size_t place = (size_t)(step - sim->scenario->steps);
    if (!expectations->failed && expectations->true_since < 0) {
        expectations->failed = true;
        differences(sim, expect, true);
    }
    if (expectations->never_what[place]) {
        expectations->failed = true;
        expect_failed(sim, tree_get(expect, "never"), "never", "no moment like this",
                      expectations->never_what[place]);
    }
    expectations->held += !expectations->failed;
    expectations->step = NULL;
}
