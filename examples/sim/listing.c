/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/text.h"
#include "examples/sim/tree_make.h"
#include "examples/sim/workload_seen.h"

/* Listings as `kubectl get` would print them. */

struct table {
    const char *cells[64][5];
    size_t rows;
    size_t columns;
};

enum {
    ROWS = sizeof(((struct table *)0)->cells) / sizeof(((struct table *)0)->cells[0]),
};

static void print_table(struct sim *sim, struct table *table, size_t left_out)
{
    FILE *out = sim->story.out;
    size_t width[5] = {0};

    for (size_t r = 0; r < table->rows; r++)
        for (size_t c = 0; c < table->columns; c++) {
            table->cells[r][c] = text_name(&sim->arena, table->cells[r][c]);
            if (strlen(table->cells[r][c]) > width[c])
                width[c] = strlen(table->cells[r][c]);
        }
    for (size_t r = 0; r < table->rows; r++) {
        size_t columns = table->columns;
        fputs("   ", out);
        while (columns > 1 && table->cells[r][columns - 1][0] == '\0')
            columns--;
        for (size_t c = 0; c < columns; c++)
            fprintf(out, " %-*s%s", c + 1 < columns ? (int)width[c] : 0, table->cells[r][c],
                    c + 1 < columns ? "  " : "");
        fputc('\n', out);
    }
    if (left_out > 0)
        fprintf(out, "    and %zu more\n", left_out);
    fputc('\n', out);
}

static const char *joined(struct sim *sim, const struct names *names)
{
    const char *text = "";

    for (size_t i = 0; i < names->count; i++)
        text = arena_format(&sim->arena, "%s%s%s", text, i ? "," : "", names->items[i]);
    return text;
}

static void show_pods(struct sim *sim)
{
    const struct map *pods = &sim->world.pods;
    struct table table = {
        .cells = {{"NAME", "PHASE", "CONDITION", "NODE", "GATES"}}, .rows = 1, .columns = 5};
    size_t left_out = 0;

    for (size_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->entries[i].value;
        const struct pod_state *state = pod->state;
        if (state->gone)
            continue;
        if (table.rows == ROWS) {
            left_out++;
            continue;
        }
        const char **row = table.cells[table.rows++];
        row[0] = pod->ref + strlen("pod/");
        row[1] = state->phase;
        row[2] = state->reason;
        row[3] = state->node;
        row[4] = joined(sim, &state->gates);
    }
    print_table(sim, &table, left_out);
}

/* As `kubectl get workloads` would, and why those wait that wait. */
static void show_workloads(struct sim *sim)
{
    const struct map *workloads = &sim->workloads.by_ref;
    struct table table = {
        .cells = {{"NAME", "QUEUE", "STATE", "REASON", "FLAVOR"}}, .rows = 1, .columns = 5};
    size_t left_out = 0;

    for (size_t i = 0; i < workloads->count; i++) {
        const struct workload *workload = workloads->entries[i].value;
        if (!workload->object->is)
            continue;
        if (table.rows == ROWS) {
            left_out++;
            continue;
        }
        const char **row = table.cells[table.rows++];
        row[0] = workload->object->ref + strlen("workload/");
        row[1] = tree_word(workload->object->doc, "spec/queueName");
        row[2] = workload_seen(sim, workload->object->ref, "state", NULL);
        row[3] = workload_seen(sim, workload->object->ref, "hold", NULL);
        row[4] = workload_seen(sim, workload->object->ref, "flavor", NULL);
    }
    print_table(sim, &table, left_out);
}

static void show_nodes(struct sim *sim)
{
    const struct map *machines = &sim->world.machines;
    struct table table = {.cells = {{"NAME", "ALLOCATABLE", "USED"}}, .rows = 1, .columns = 3};
    size_t left_out = 0;
    char amounts[256];

    for (size_t i = 0; i < machines->count; i++) {
        const struct machine *machine = machines->entries[i].value;
        if (!machine->is)
            continue;
        if (table.rows == ROWS) {
            left_out++;
            continue;
        }
        const char **row = table.cells[table.rows++];
        row[0] = machine->name;
        resources_show(&machine->allocatable, amounts, sizeof(amounts));
        row[1] = arena_copy(&sim->arena, amounts);
        resources_show(&machine->used, amounts, sizeof(amounts));
        row[2] = arena_copy(&sim->arena, amounts);
    }
    print_table(sim, &table, left_out);
}

static void show_queues(struct sim *sim)
{
    const struct map *usages = &sim->story.usages;
    struct table table = {.cells = {{"QUEUE", "RESOURCE", "ALLOCATED", "RESERVED", "CEILING"}},
                          .rows = 1,
                          .columns = 5};
    size_t left_out = 0;

    for (size_t i = 0; i < usages->count; i++) {
        const struct usage *usage = usages->entries[i].value;
        if (usage->count == 0)
            continue;
        if (table.rows == ROWS) {
            left_out++;
            continue;
        }
        const struct sample *last = &usage->samples[usage->count - 1];
        int64_t amounts[] = {last->used.allocated, last->used.reserved, last->used.ceiling};
        const char **row = table.cells[table.rows++];
        row[0] = usage->queue;
        row[1] = usage->resource;
        for (size_t c = 0; c < 3; c++) {
            char text[32];
            row[2 + c] =
                amounts[c] < 0
                    ? "none"
                    : arena_copy(&sim->arena, resources_show_amount(usage->resource, amounts[c],
                                                                    text, sizeof(text)));
        }
    }
    print_table(sim, &table, left_out);
}

void story_show(struct sim *sim, const struct tree *list)
{
    if (sim->story.format != STORY_TABLE || sim->story.quiet)
        return;
    for (size_t i = 0; i < list->count; i++) {
        const char *what = list->pairs[i].value->text;
        if (sim->story.told_at >= 0)
            fputc('\n', sim->story.out);
        sim->story.told_at = -1;
        if (strcmp(what, "pods") == 0)
            show_pods(sim);
        else if (strcmp(what, "nodes") == 0)
            show_nodes(sim);
        else if (strcmp(what, "workloads") == 0)
            show_workloads(sim);
        else
            show_queues(sim);
    }
}
