/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "examples/sim/workload_status.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "examples/sim/clock.h"
#include "examples/sim/tree_make.h"

const char *status_time(struct arena *arena, int64_t wall)
{
    time_t seconds = wall / SECOND;
    struct tm tm;
    char text[32];

    gmtime_r(&seconds, &tm);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    return arena_copy(arena, text);
}

int64_t status_time_read(const char *text)
{
    struct tm tm = {0};

    return strptime(text, "%Y-%m-%dT%H:%M:%SZ", &tm) ? timegm(&tm) * SECOND : 0;
}

static const struct tree *with_text(struct arena *arena, const struct tree *map, const char *key,
                                    const char *text)
{
    return tree_with(arena, map, key, tree_of_text(arena, text));
}

const struct tree *status_condition(struct arena *arena, const struct tree *status,
                                    const char *type, bool is, const char *reason,
                                    const char *message, int64_t wall)
{
    const char *word = is ? "True" : "False";
    const struct tree *list = tree_get(status, "conditions");
    const struct tree *was = tree_item(list, "type", type);
    const struct tree *next = with_text(arena, was, "type", type);

    if (strcmp(tree_word(was, "status"), word) != 0)
        next = with_text(arena, next, "lastTransitionTime", status_time(arena, wall));
    next = with_text(arena, next, "status", word);
    next = with_text(arena, next, "reason", reason);
    next = with_text(arena, next, "message", message);
    return tree_with(arena, status, "conditions", tree_with_item(arena, list, "type", type, next));
}

const struct tree *status_no_condition(struct arena *arena, const struct tree *status,
                                       const char *type)
{
    const struct tree *list = tree_get(status, "conditions");

    return tree_with(arena, status, "conditions", tree_with_item(arena, list, "type", type, NULL));
}

const char *status_of(const struct tree *status, const char *type, const char *key)
{
    return tree_word(tree_item(tree_get(status, "conditions"), "type", type), key);
}

bool status_is(const struct tree *status, const char *type)
{
    return strcmp(status_of(status, type, "status"), "True") == 0;
}

const struct tree *status_gate(struct arena *arena, const struct tree *status, const char *name,
                               const char *position, int64_t wall)
{
    const struct tree *list = tree_get(status, "preemptionGates");
    const struct tree *was = tree_item(list, "name", name);
    const struct tree *next = with_text(arena, was, "name", name);

    if (strcmp(tree_word(was, "position"), position) != 0)
        next = with_text(arena, next, "lastTransitionTime", status_time(arena, wall));
    next = with_text(arena, next, "position", position);
    return tree_with(arena, status, "preemptionGates",
                     tree_with_item(arena, list, "name", name, next));
}

const struct tree *status_check(struct arena *arena, const struct tree *status, const char *name,
                                const char *state, int64_t after, int64_t wall)
{
    const struct tree *list = tree_get(status, "admissionChecks");
    const struct tree *next = with_text(arena, NULL, "name", name);

    next = with_text(arena, next, "state", state);
    next = with_text(arena, next, "lastTransitionTime", status_time(arena, wall));
    if (after > 0)
        next = tree_with(arena, next, "requeueAfterSeconds", tree_of_int(arena, after));
    return tree_with(arena, status, "admissionChecks",
                     tree_with_item(arena, list, "name", name, next));
}
