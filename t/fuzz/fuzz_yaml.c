/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a scenario: they are read or refused, and a refusal names the file. What is read has
 * its steps in order, within the limits.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void refuse(const char *what)
{
    fprintf(stderr, "fuzz_yaml: %s\n", what);
    abort();
}

static size_t depth_of(const struct tree *tree)
{
    size_t deepest = 0;

    /* Aliases make the walk longer than the file, but no longer than its weight. */
    for (size_t i = 0; i < tree->count; i++) {
        size_t depth = depth_of(tree->pairs[i].value);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct arena arena = {0};
    struct fault fault = {0};
    struct scenario scenario = {0};
    const struct tree *all = tree_parse(&arena, "fuzz.yaml", (const char *)bytes, len, &fault);

    if (!all != fault.is)
        refuse("a fault and a tree, or neither");
    if (all && all->count > TREE_WEIGHT)
        refuse("heavier than allowed");
    if (all && depth_of(all) > TREE_DEPTH * TREE_DEPTH)
        refuse("deeper than allowed");
    bool good = all && scenario_read(&arena, &fault, all, &scenario);
    if (good == fault.is)
        refuse("a fault and a scenario, or neither");
    if (fault.is && strncmp(fault.text, "fuzz.yaml:", 10) != 0)
        refuse(fault.text);
    for (size_t i = 1; good && i < scenario.n_steps; i++)
        if (scenario.steps[i].at < scenario.steps[i - 1].at)
            refuse("steps out of order");
    scenario_finish(&scenario);
    arena_finish(&arena);
    return 0;
}
