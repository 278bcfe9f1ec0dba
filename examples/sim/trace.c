/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "examples/sim/clock.h"
#include "examples/sim/text.h"
#include "plugin/base/quantity.h"

/* One field of a line, and where it is. */
struct field {
    const char *path;
    int line;
    const char *title;
    const char *text;
    struct fault *fault;
    struct trace *trace;
    struct trace_row *row;
};

static void is_wrong(const struct field *field, const char *want)
{
    fault_say(field->fault, NULL, "%s:%d: %s is \"%.100s\", want %s", field->path, field->line,
              field->title, field->text, want);
}

static int64_t time_of(const struct field *field)
{
    const struct tree value = {.type = TREE_TEXT, .text = field->text, .key = field->title};
    struct fault wrong = {0};
    char *end;
    double seconds = strtod(field->text, &end);
    int64_t time;

    if (end > field->text && *end == '\0' && seconds >= 0 && seconds < 1e9)
        return (int64_t)(seconds * (double)SECOND + 0.5);
    time = tree_as_duration(&wrong, &value);
    if (wrong.is || time < 0)
        is_wrong(field, "seconds from 0 on, or a duration as 1h30m");
    return wrong.is ? 0 : time;
}

static int64_t number_of(const struct field *field, int64_t least, int64_t most, const char *want)
{
    char *end;

    errno = 0;
    int64_t number = strtoll(field->text, &end, 10);
    if (errno != 0 || end == field->text || *end != '\0' || number < least || number > most) {
        is_wrong(field, want);
        return least;
    }
    return number;
}

static int64_t quantity_of(const struct field *field, bool milli)
{
    int64_t amount = 0;

    if (!quantity_parse(field->text, strlen(field->text), milli, &amount) || amount < 0)
        is_wrong(field, "a quantity that is not negative, such as 2, 500m or 16Gi");
    return amount;
}

static void read_arrival(const struct field *field)
{
    field->row->at = time_of(field);
}

static void read_runtime(const struct field *field)
{
    field->row->runs_for = time_of(field);
}

static void read_queue(const struct field *field)
{
    size_t len = strlen(field->text);

    if (len == 0 || len > 253 || strpbrk(field->text, " \"'\\{}[],:"))
        is_wrong(field, "the name of a queue, localqueue/NAME or clusterqueue/NAME");
    field->row->queue = field->text;
}

static void read_user(const struct field *field)
{
    field->row->user = field->text;
}

static void read_priority(const struct field *field)
{
    field->row->priority = number_of(field, -1000000000, 1000000000, "a whole number");
}

static void read_cpu(const struct field *field)
{
    field->row->cpu = quantity_of(field, true);
}

static void read_memory(const struct field *field)
{
    field->row->memory = quantity_of(field, false);
}

static void read_gpu(const struct field *field)
{
    field->row->gpu = quantity_of(field, false);
}

static void read_pods(const struct field *field)
{
    field->row->pods = number_of(field, 1, TRACE_PODS_MOST, "a number from 1 to 100000");
}

static void read_gang(const struct field *field)
{
    bool yes = strcmp(field->text, "yes") == 0;

    if (!yes && *field->text != '\0' && strcmp(field->text, "no") != 0)
        is_wrong(field, "yes or no");
    field->row->gang = yes;
}

static void read_kind(const struct field *field)
{
    bool is = strcmp(field->text, "workload") == 0;

    if (!is && *field->text != '\0' && strcmp(field->text, "pods") != 0)
        is_wrong(field, "pods or workload");
    field->row->workload = is;
}

static const struct column {
    const char *title;
    void (*read)(const struct field *field);
    bool needed;
} columns[] = {
    {"arrival", read_arrival, true},    {"queue", read_queue, true},
    {"runtime", read_runtime, true},    {"user", read_user, false},
    {"priority", read_priority, false}, {"cpu", read_cpu, false},
    {"memory", read_memory, false},     {"gpu", read_gpu, false},
    {"pods", read_pods, false},         {"gang", read_gang, false},
    {"kind", read_kind, false},
};

enum {
    COLUMNS = sizeof(columns) / sizeof(*columns),
};

/* What stands in each place of a line; NULL: a column that nobody reads. */
struct layout {
    const struct column *columns[TRACE_FIELDS_MOST];
    size_t count;
};

int trace_cut(char *line, char separator, char *ret_fields[TRACE_FIELDS_MOST])
{
    int count = 0;

    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at; count++) {
        char *end = strchr(at, separator);
        if (count < TRACE_FIELDS_MOST)
            ret_fields[count] = at;
        if (end)
            *end++ = '\0';
        at = end;
    }
    return count;
}

static const struct column *column_of(const char *title)
{
    for (size_t i = 0; i < COLUMNS; i++)
        if (strcmp(columns[i].title, title) == 0)
            return &columns[i];
    return NULL;
}

static void read_titles(struct layout *layout, const char *path, char *line, struct fault *fault)
{
    char *titles[TRACE_FIELDS_MOST];
    int count = trace_cut(line, ',', titles);

    if (count > TRACE_FIELDS_MOST)
        count = 0;

    for (int i = 0; i < count && !fault->is; i++) {
        layout->columns[i] = column_of(titles[i]);
        if (!layout->columns[i])
            text_say(stderr, "sluice-sim: %s: the column %s is left out\n", path, titles[i]);
        for (int k = 0; k < i; k++)
            if (layout->columns[i] && layout->columns[k] == layout->columns[i])
                fault_say(fault, NULL, "%s:1: the column %s is there twice", path, titles[i]);
    }
    layout->count = (size_t)count;
    for (size_t i = 0; i < COLUMNS; i++) {
        bool is_there = false;
        for (size_t k = 0; k < layout->count; k++)
            is_there = is_there || layout->columns[k] == &columns[i];
        if (columns[i].needed && !is_there)
            fault_say(fault, NULL, "%s:1: there is no column %s, want arrival, queue, runtime",
                      path, columns[i].title);
    }
}

static void read_line(struct trace *trace, const struct layout *layout, const char *path,
                      int number, char *line, struct fault *fault)
{
    char *texts[TRACE_FIELDS_MOST];
    struct trace_row row = {.user = "", .pods = 1};
    int count = trace_cut(line, ',', texts);

    if (count != (int)layout->count) {
        fault_say(fault, NULL, "%s:%d: %d fields, want %zu as in the line of titles", path, number,
                  count, layout->count);
        return;
    }
    for (int i = 0; i < count; i++) {
        const struct field field = {.path = path,
                                    .line = number,
                                    .text = texts[i],
                                    .fault = fault,
                                    .trace = trace,
                                    .row = &row,
                                    .title = layout->columns[i] ? layout->columns[i]->title : ""};
        bool is_empty = *texts[i] == '\0' && layout->columns[i] && !layout->columns[i]->needed;
        if (layout->columns[i] && !is_empty)
            layout->columns[i]->read(&field);
    }
    if (row.workload && !strchr(row.queue ? row.queue : "", '/'))
        fault_say(fault, NULL,
                  "%s:%d: a workload in the queue %s of Volcano's, want localqueue/NAME or "
                  "clusterqueue/NAME",
                  path, number, row.queue);
    if (!fault->is)
        trace_add(trace, &row);
}

static const char *kept(struct trace *trace, const char *name)
{
    const char *known = map_get(&trace->names, name);

    if (known)
        return known;
    char *copy = arena_copy(&trace->arena, name);
    map_put(&trace->names, copy, copy);
    return copy;
}

void trace_add(struct trace *trace, const struct trace_row *row)
{
    trace->rows = array_room(trace->rows, trace->count, &trace->cap, sizeof(*trace->rows));
    trace->rows[trace->count] = *row;
    trace->rows[trace->count].queue = kept(trace, row->queue);
    trace->rows[trace->count].user = kept(trace, row->user);
    trace->count++;
    trace->n_pods += row->pods;
    trace->n_workloads += row->workload;
}

void trace_note(struct trace *trace, const char *format, ...)
{
    struct trace_note *note = arena_get(&trace->arena, sizeof(*note));
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    note->text = arena_copy(&trace->arena, text);
    *(trace->notes_end ? trace->notes_end : &trace->notes) = note;
    trace->notes_end = &note->next;
}

/* Rows of one moment stay as they were: so a row's place is where its copy is. */
struct placed {
    struct trace_row row;
    size_t place;
};

static int compare(const void *a, const void *b)
{
    const struct placed *left = a, *right = b;

    if (left->row.at != right->row.at)
        return left->row.at < right->row.at ? -1 : 1;
    return left->place < right->place ? -1 : 1;
}

void trace_sort(struct trace *trace)
{
    struct placed *placed = array_zeroed(trace->count + 1, sizeof(*placed));

    for (size_t i = 0; i < trace->count; i++)
        placed[i] = (struct placed){trace->rows[i], i};
    qsort(placed, trace->count, sizeof(*placed), compare);
    for (size_t i = 0; i < trace->count; i++)
        trace->rows[i] = placed[i].row;
    free(placed);
}

static void read_note(struct trace *trace, const char *text)
{
    text += strspn(text, " ");
    trace_note(trace, "%.*s", (int)strcspn(text, "\r\n"), text);
}

bool trace_read(struct trace *trace, const char *path, struct fault *fault)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    struct layout layout = {0};
    char line[TRACE_LINE_BYTES];

    *trace = (struct trace){0};
    if (!file) {
        fault_say(fault, NULL, "%s: %s", path, strerror(errno));
        return false;
    }
    for (int number = 1; !fault->is && fgets(line, sizeof(line), file); number++) {
        if (!strchr(line, '\n') && !feof(file))
            fault_say(fault, NULL, "%s:%d: the line is longer than %d bytes", path, number,
                      TRACE_LINE_BYTES - 2);
        else if (number == 1)
            read_titles(&layout, path, line, fault);
        else if (line[0] == '#')
            read_note(trace, line + 1);
        else if (line[0] != '\n')
            read_line(trace, &layout, path, number, line, fault);
    }
    if (!fault->is && trace->count == 0)
        fault_say(fault, NULL,
                  "%s: nothing arrives, want a line of titles and one for each arrival", path);
    if (file != stdin)
        fclose(file);
    trace_sort(trace);
    return !fault->is;
}

void trace_write(const struct trace *trace, FILE *out)
{
    char cpu[QUANTITY_TEXT_MAX], memory[QUANTITY_TEXT_MAX];

    fputs("arrival,queue,user,priority,cpu,memory,gpu,pods,gang,runtime,kind\n", out);
    for (const struct trace_note *note = trace->notes; note; note = note->next)
        text_say(out, "# %s\n", note->text);
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_row *row = &trace->rows[i];
        quantity_format(row->cpu, true, cpu);
        quantity_format(row->memory, false, memory);
        fprintf(out, "%.3f,%s,%s,%" PRId64 ",%s,%s,%" PRId64 ",%" PRId64 ",%s,%.3f,%s\n",
                (double)row->at / (double)SECOND, row->queue, row->user, row->priority, cpu, memory,
                row->gpu, row->pods, row->gang ? "yes" : "no",
                (double)row->runs_for / (double)SECOND, row->workload ? "workload" : "pods");
    }
}

void trace_finish(struct trace *trace)
{
    free(trace->rows);
    map_finish(&trace->names);
    arena_finish(&trace->arena);
    *trace = (struct trace){0};
}
