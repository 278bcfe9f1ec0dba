/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "examples/sim/trace_import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "examples/sim/clock.h"
#include "examples/sim/resources.h"

enum {
    NAME_BYTES = 200,
};

enum { COLUMNS_MOST = 8 };

/* A file with a line of titles and a line for each thing that ran. */
struct form {
    char separator;
    int columns, needed; /* those that are read, and that must be there: the first ones */
    const char *titles[COLUMNS_MOST]; /* the needed ones first */
    const char *want;                 /* what prints such a file */
};

/* A line of it, by the columns that are read; of one that is not there, no text. */
struct line {
    struct trace *trace;
    const char *path;
    int number;
    const struct form *form;
    const char *texts[COLUMNS_MOST];
    struct fault *fault;
};

enum { SUBMIT, ACCOUNT, ELAPSED, TRES, USER, PRIORITY, NODES, SACCT_COLUMNS };
static const struct form sacct = {
    '|',
    SACCT_COLUMNS,
    USER,
    {"Submit", "Account", "ElapsedRaw", "ReqTRES", "User", "Priority", "NNodes"},
    "sacct -P --format=Submit,Account,User,Priority,NNodes,ReqTRES,ElapsedRaw"};

enum { CREATED, DELETED, SCHEDULED, QOS, CPU, MEMORY, GPUS, OPENB_COLUMNS };
static const struct form openb = {',',
                                  OPENB_COLUMNS,
                                  OPENB_COLUMNS,
                                  {"creation_time", "deletion_time", "scheduled_time", "qos",
                                   "cpu_milli", "memory_mib", "num_gpu"},
                                  "the pod lists of Alibaba's cluster-trace-gpu-v2023"};

int64_t trace_wall(const char *text)
{
    struct tm tm = {0};
    const char *end = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;

    return end && (*end == '\0' || *end == 'Z') ? (int64_t)timegm(&tm) : -1;
}

/* Times count from the first arrival on. */
static void begin_at_first(struct trace *trace)
{
    trace_sort(trace);
    for (size_t i = trace->count; i-- > 0;)
        trace->rows[i].at -= trace->rows[0].at;
}

/* "Physics_Lab" is physics-lab. */
static void name_of(const char *account, char out[NAME_BYTES])
{
    size_t n = 0;

    for (; *account && n < NAME_BYTES - 1; account++) {
        char c = *account;
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        bool goes = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (goes || n > 0)
            out[n++] = goes ? c : '-';
    }
    while (n > 0 && out[n - 1] == '-')
        n--;
    out[n] = '\0';
}

/* One of a job's resources: "cpu=8", "mem=32G", "gres/gpu=2"; -1: it is not there. */
static double resource_of(const char *all, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = all; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        static const char units[] = "KMGTP";
        if (strncmp(at, name, len) != 0 || at[len] != '=')
            continue;
        char *end;
        double amount = strtod(at + len + 1, &end);
        const char *unit = *end ? strchr(units, *end) : NULL;
        for (const char *u = units; unit && u <= unit; u++)
            amount *= 1024;
        return amount;
    }
    return -1;
}

static void is_wrong(const struct line *line, int column, const char *want)
{
    fault_say(line->fault, NULL, "%s:%d: %s is \"%.40s\", want %s", line->path, line->number,
              line->form->titles[column], line->texts[column], want);
}

static void read_titles(const struct form *form, char *text, const char *path,
                        int places[COLUMNS_MOST], struct fault *fault)
{
    char *fields[TRACE_FIELDS_MOST];
    int count = trace_cut(text, form->separator, fields);

    for (int c = 0; c < form->columns; c++) {
        places[c] = -1;
        for (int i = 0; i < count && i < TRACE_FIELDS_MOST; i++)
            if (strcmp(fields[i], form->titles[c]) == 0)
                places[c] = i;
        if (c < form->needed && places[c] < 0)
            fault_say(fault, NULL, "%s:1: there is no column %s, want those of %s", path,
                      form->titles[c], form->want);
    }
}

/* False: it did not run. */
static bool read_job(const struct line *line)
{
    const char *const *texts = line->texts;
    char queue[NAME_BYTES], user[NAME_BYTES];
    int64_t submitted = trace_wall(texts[SUBMIT]);
    int64_t length = strtoll(texts[ELAPSED], NULL, 10);
    double nodes = strtod(texts[NODES], NULL), cpu = resource_of(texts[TRES], "cpu");
    double memory = resource_of(texts[TRES], "mem"), gpu = resource_of(texts[TRES], "gres/gpu");
    int64_t pods = nodes > 1 ? (int64_t)nodes : 1;

    name_of(texts[ACCOUNT], queue);
    name_of(texts[USER], user);
    if (submitted < 0)
        is_wrong(line, SUBMIT, "2024-01-31T10:00:00");
    else if (*queue == '\0')
        is_wrong(line, ACCOUNT, "a name");
    else if (pods > TRACE_PODS_MOST)
        is_wrong(line, NODES, "100000 at most");
    if (line->fault->is || length <= 0)
        return false;
    const struct trace_row row = {
        .at = submitted * SECOND,
        .runs_for = length * SECOND,
        .queue = queue,
        .user = user,
        .priority = strtoll(texts[PRIORITY], NULL, 10),
        .cpu = cpu > 0 ? (int64_t)(cpu * 1000) / pods : 0,
        .memory = memory > 0 ? (int64_t)memory / pods : 0,
        .gpu = gpu > 0 ? ((int64_t)gpu + pods - 1) / pods : 0,
        .pods = pods,
        .gang = pods > 1,
    };
    trace_add(line->trace, &row);
    return true;
}

/* A number of at most so much; a text that is none is a fault. */
static int64_t number_of(const struct line *line, int column, int64_t most)
{
    char *end;
    int64_t number = strtoll(line->texts[column], &end, 10);

    if (end == line->texts[column] || *end != '\0' || number < 0 || number > most)
        is_wrong(line, column, "a number from 0 on");
    return number;
}

/* False: it did not run. A part of an accelerator counts as one. */
static bool read_pod(const struct line *line)
{
    const int64_t most = 1000000000;
    char queue[NAME_BYTES];
    int64_t created = number_of(line, CREATED, most), deleted, scheduled;

    if (*line->texts[SCHEDULED] == '\0' || *line->texts[DELETED] == '\0')
        return false;
    deleted = number_of(line, DELETED, most);
    scheduled = number_of(line, SCHEDULED, most);
    name_of(line->texts[QOS], queue);
    if (*queue == '\0')
        is_wrong(line, QOS, "a name");
    const struct trace_row row = {
        .at = created * SECOND,
        .runs_for = (deleted - scheduled) * SECOND,
        .queue = queue,
        .user = "",
        .cpu = number_of(line, CPU, most),
        .memory = number_of(line, MEMORY, most) << 20,
        .gpu = number_of(line, GPUS, most),
        .pods = 1,
    };
    if (line->fault->is || deleted <= scheduled)
        return false;
    trace_add(line->trace, &row);
    return true;
}

static bool from_lines(struct trace *trace, const struct form *form, const char *path,
                       bool (*read)(const struct line *line), struct fault *fault,
                       int64_t *ret_left_out)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    char text[TRACE_LINE_BYTES];
    int places[COLUMNS_MOST] = {0};

    *trace = (struct trace){0};
    *ret_left_out = 0;
    if (!file) {
        fault_say(fault, NULL, "%s: %s", path, strerror(errno));
        return false;
    }
    for (int number = 1; !fault->is && fgets(text, sizeof(text), file); number++) {
        char *fields[TRACE_FIELDS_MOST];
        struct line line = {trace, path, number, form, {0}, fault};
        if (number == 1) {
            read_titles(form, text, path, places, fault);
            continue;
        }
        int count = trace_cut(text, form->separator, fields);
        for (int c = 0; c < form->columns; c++)
            line.texts[c] = places[c] >= 0 && places[c] < count ? fields[places[c]] : "";
        *ret_left_out += !read(&line);
    }
    if (!fault->is && trace->count == 0)
        fault_say(fault, NULL, "%s: nothing in it ran", path);
    if (file != stdin)
        fclose(file);
    begin_at_first(trace);
    return !fault->is;
}

bool trace_from_sacct(struct trace *trace, const char *path, struct fault *fault,
                      int64_t *ret_left_out)
{
    return from_lines(trace, &sacct, path, read_job, fault, ret_left_out);
}

bool trace_from_openb(struct trace *trace, const char *path, struct fault *fault,
                      int64_t *ret_left_out)
{
    return from_lines(trace, &openb, path, read_pod, fault, ret_left_out);
}

int64_t trace_became(const struct tree *object, const char *type)
{
    struct fault none = {0};
    const struct tree *all = tree_list(&none, tree_get(object, "status"), "conditions");

    for (size_t i = 0; all && i < all->count; i++) {
        const struct tree *one = all->pairs[i].value;
        if (strcmp(tree_text(&none, one, "type", ""), type) == 0 &&
            strcmp(tree_text(&none, one, "status", ""), "True") == 0)
            return trace_wall(tree_text(&none, one, "lastTransitionTime", ""));
    }
    return -1;
}

void trace_local_queue(const struct tree *metadata, const char *queue, char *out, size_t cap)
{
    struct fault none = {0};
    const char *namespace = tree_text(&none, metadata, "namespace", "default");

    if (strcmp(namespace, "default") == 0)
        snprintf(out, cap, "localqueue/%.253s", queue);
    else
        snprintf(out, cap, "localqueue/%.63s/%.253s", namespace, queue);
}

/* False: it has not run to its end. */
static bool read_workload(struct trace *trace, const struct tree *workload, struct fault *fault)
{
    const struct tree *metadata = tree_map(fault, workload, "metadata");
    const struct tree *spec = tree_map(fault, workload, "spec");
    const struct tree *sets = tree_list(fault, spec, "podSets");
    const char *queue = tree_text(fault, spec, "queueName", "");
    int64_t created = trace_wall(tree_text(fault, metadata, "creationTimestamp", ""));
    int64_t admitted = trace_became(workload, "Admitted"),
            finished = trace_became(workload, "Finished");
    char name[2 * NAME_BYTES];

    if (fault->is || created < 0 || admitted < 0 || finished < admitted || *queue == '\0')
        return false;
    trace_local_queue(metadata, queue, name, sizeof(name));
    for (size_t i = 0; sets && i < sets->count && !fault->is; i++) {
        const struct tree *set = sets->pairs[i].value;
        struct arena scratch = {0};
        struct resources asks = {0};
        resources_of_pod(&scratch, fault, tree_find(set, "template/spec"), &asks);
        const struct trace_row row = {
            .at = created * SECOND,
            .runs_for = (finished - admitted) * SECOND,
            .queue = name,
            .user = tree_text(fault, metadata, "namespace", ""),
            .priority = tree_int(fault, spec, "priority", INT32_MIN, INT32_MAX, 0),
            .cpu = resources_get(&asks, "cpu"),
            .memory = resources_get(&asks, "memory"),
            .gpu = resources_get(&asks, "nvidia.com/gpu"),
            .pods = tree_int(fault, set, "count", 1, TRACE_PODS_MOST, 1),
            .workload = true,
        };
        if (!fault->is)
            trace_add(trace, &row);
        arena_finish(&scratch);
    }
    return true;
}

bool trace_from_workloads(struct trace *trace, const char *path, struct fault *fault,
                          int64_t *ret_left_out)
{
    struct arena arena = {0};
    const struct tree *files = tree_load(&arena, path, fault);
    const struct tree *list = files && files->count > 0 ? files->pairs[0].value : NULL;
    const struct tree *items = tree_list(fault, list, "items");

    *trace = (struct trace){0};
    *ret_left_out = 0;
    for (size_t i = 0; items && i < items->count && !fault->is; i++)
        *ret_left_out += !read_workload(trace, items->pairs[i].value, fault);
    if (!fault->is && trace->count == 0)
        fault_say(fault, NULL,
                  "%s: no workload in it has finished, want what kubectl get workloads -A -o json "
                  "prints",
                  path);
    begin_at_first(trace);
    arena_finish(&arena);
    return !fault->is;
}
