/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_TRACE_H
#define SLUICE_SIM_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "examples/sim/map.h"
#include "examples/sim/tree.h"

/*
 * What arrived: a CSV file with a line of titles, in any order, and a line for each arrival.
 *
 *     arrival,queue,user,priority,cpu,memory,gpu,pods,gang,runtime,kind
 *     0,train,ann,0,4,16Gi,1,1,no,1h30m,pods
 *     12.5,localqueue/lab,bob,100,500m,2Gi,0,8,no,600,workload
 *     # a note: said beneath what a plan comes to
 *
 * Times are seconds, or durations as 1h30m; cpu and memory are of each pod, as Kubernetes writes
 * them. Only arrival, queue and runtime must be there; a column of another name is left out, and
 * that is said. A queue is one of Volcano's, or one of Kueue's: localqueue/NAME, of the namespace
 * `default`, localqueue/NAMESPACE/NAME, or clusterqueue/NAME.
 */
struct trace_row {
    int64_t at;
    int64_t runs_for;
    const char *queue;
    const char *user;
    int64_t priority;
    int64_t cpu; /* thousandths */
    int64_t memory;
    int64_t gpu;
    int64_t pods;
    bool gang;     /* its pods start together, or not at all */
    bool workload; /* they are one Workload of Kueue's, not pods of their own */
};

struct trace_note {
    const char *text;
    struct trace_note *next;
};

struct trace {
    struct trace_row *rows; /* by arrival; those of one moment as in the file */
    size_t count;
    size_t cap;
    int64_t n_pods;
    int64_t n_workloads;
    struct trace_note *notes; /* what the arrivals rest on, in its maker's words */
    struct trace_note **notes_end;
    struct map names;
    struct arena arena;
};

enum {
    TRACE_LINE_BYTES = 4096,
    TRACE_PODS_MOST = 100000, /* of one row */
    TRACE_FIELDS_MOST = 64,
};

/* Cuts a line at its separators. Returns how many fields it has, of which the first so many are
 * returned. */
int trace_cut(char *line, char separator, char *ret_fields[TRACE_FIELDS_MOST]);

/* False after a fault, which names the line. trace_finish must be called either way. */
bool trace_read(struct trace *trace, const char *path, struct fault *fault);
void trace_finish(struct trace *trace);

/* A row behind those that are there, with copies of its names; trace_sort puts them in order. */
void trace_add(struct trace *trace, const struct trace_row *row);
void trace_sort(struct trace *trace);
void trace_note(struct trace *trace, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The file that trace_read reads. */
void trace_write(const struct trace *trace, FILE *out);

#endif
