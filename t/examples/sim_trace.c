/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "examples/sim/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "examples/sim/clock.h"
#include "examples/sim/trace_make.h"
#include "t/kit/tap.h"

static char path[] = "/tmp/sim_trace.XXXXXX";

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
}

static void reads(void)
{
    struct trace trace;
    struct fault fault = {0};

    write_file("queue,note,runtime,arrival,cpu,memory,gpu,pods,gang,priority,user\n"
               "b,,600,12.5,500m,1Gi,2,3,yes,-5,ann\n"
               "# a remark\n"
               "a,x,1h30m,0,,,,,,,\n"
               "\n"
               "localqueue/l,,0,12.5,1,2Ki,0,1,no,7,bob\n");
    ok(trace_read(&trace, path, &fault), "a trace is read: %s", fault.text);
    is_int((long long)trace.count, 3, "each line of it");
    is_int(trace.n_pods, 5, "with all their pods");
    is_str(trace.rows[0].queue, "a", "the first that arrives comes first");
    is_int(trace.rows[0].runs_for, 90 * MINUTE, "a duration is one");
    is_int(trace.rows[0].pods, 1, "what is not said is usual");
    is_str(trace.rows[1].queue, "b", "of one moment the first in the file");
    is_int(trace.rows[1].at, 12500 * MILLISECOND, "a number is seconds");
    is_int(trace.rows[1].cpu, 500, "cpu is in thousandths");
    is_int(trace.rows[1].memory, 1 << 30, "memory in bytes");
    is_int(trace.rows[1].gpu, 2, "gpu");
    ok(trace.rows[1].gang && !trace.rows[2].gang, "gang");
    is_int(trace.rows[1].priority, -5, "priority");
    is_str(trace.rows[2].queue, "localqueue/l", "a queue of Kueue's");
    trace_finish(&trace);
}

static void refuses(void)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"", "nothing arrives"},
        {"arrival,queue,runtime\n", "nothing arrives"},
        {"arrival,queue\n1,a\n", ":1: there is no column runtime"},
        {"arrival,queue,runtime,queue\n", ":1: the column queue is there twice"},
        {"arrival,queue,runtime\n1,a\n", ":2: 2 fields, want 3"},
        {"arrival,queue,runtime\n-1,a,1\n", ":2: arrival is \"-1\", want seconds"},
        {"arrival,queue,runtime\n1,a,soon\n", ":2: runtime is \"soon\", want seconds"},
        {"arrival,queue,runtime\n1,,1\n", ":2: queue is \"\", want the name of a queue"},
        {"arrival,queue,runtime\n1,a: b,1\n", ":2: queue is \"a: b\", want the name"},
        {"arrival,queue,runtime,cpu\n1,a,1,much\n", ":2: cpu is \"much\", want a quantity"},
        {"arrival,queue,runtime,cpu\n1,a,1,-1\n", ":2: cpu is \"-1\", want a quantity"},
        {"arrival,queue,runtime,pods\n1,a,1,0\n", ":2: pods is \"0\", want a number from 1"},
        {"arrival,queue,runtime,gang\n1,a,1,maybe\n", ":2: gang is \"maybe\", want yes or no"},
        {"arrival,queue,runtime,priority\n1,a,1,1e3\n", ":2: priority is \"1e3\", want a whole"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct trace trace;
        struct fault fault = {0};

        write_file(cases[i].text);
        trace_read(&trace, path, &fault);
        ok(fault.is && strstr(fault.text, cases[i].says), "%s: it says %s", cases[i].says,
           fault.text);
        trace_finish(&trace);
    }
    struct trace trace;
    struct fault fault = {0};
    trace_read(&trace, "/nowhere.csv", &fault);
    ok(fault.is && strstr(fault.text, "/nowhere.csv: No such file"), "no file: %s", fault.text);
    trace_finish(&trace);
}

static bool has_gangs(const char *kind)
{
    return strcmp(kind, "alibaba-gpu-2020") == 0 || strcmp(kind, "philly") == 0;
}

/* What is written is read again. */
static void returns(void)
{
    for (size_t i = 0; trace_kinds[i]; i++) {
        const struct trace_wish wish = {trace_kinds[i], 3000, 7, 50, 10 * HOUR, 42};
        struct trace made, again, back;
        struct fault fault = {0};
        int64_t gangs = 0;
        bool ordered = true;

        trace_make(&made, &wish);
        trace_make(&again, &wish);
        ok(made.count == again.count &&
               memcmp(&made.rows[made.count / 2].at, &again.rows[made.count / 2].at,
                      sizeof(int64_t)) == 0,
           "%s: the same seed gives the same", wish.kind);
        is_int(made.n_pods, 3000, "%s: as many pods as were asked for", wish.kind);
        for (size_t k = 0; k < made.count; k++) {
            ordered = ordered && (k == 0 || made.rows[k - 1].at <= made.rows[k].at) &&
                      made.rows[k].at <= wish.length;
            gangs += made.rows[k].gang;
        }
        ok(ordered, "%s: in order, within the time", wish.kind);
        ok((gangs > 0) == has_gangs(wish.kind), "%s: gangs where there are any", wish.kind);
        FILE *file = fopen(path, "w");
        trace_write(&made, file);
        fclose(file);
        ok(trace_read(&back, path, &fault), "%s: it is read again %s", wish.kind, fault.text);
        int differ = made.count != back.count;
        for (size_t k = 0; !differ && k < made.count; k++) {
            const struct trace_row *a = &made.rows[k], *b = &back.rows[k];
            differ = a->at != b->at || a->runs_for != b->runs_for || a->cpu != b->cpu ||
                     a->memory != b->memory || a->pods != b->pods || a->gang != b->gang ||
                     strcmp(a->queue, b->queue) != 0 || strcmp(a->user, b->user) != 0;
        }
        ok(!differ, "%s: the same as it was", wish.kind);
        trace_finish(&made);
        trace_finish(&again);
        trace_finish(&back);
    }
}

int main(void)
{
    int file = mkstemp(path);

    ok(file >= 0, "there is a file to write to");
    close(file);
    reads();
    refuses();
    returns();
    unlink(path);
    return tap_done();
}
