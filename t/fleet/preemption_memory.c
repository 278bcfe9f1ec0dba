/* SPDX-License-Identifier: Apache-2.0 */

/* The memory as text: what was written is read again, and what cannot be read is no memory. */
#include "plugin/fleet/preemption_memory.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

#include <string.h>

static bool reads(const char *s)
{
    struct text rest = text_of(s);
    struct opening note;
    int64_t past;

    if (!preemption_memory_parse_head(&rest, &past))
        return false;
    while (preemption_memory_parse_note(&rest, &note))
        continue;
    return rest.len == 0;
}

static void test_parse(void)
{
    static const char *const bad[] = {
        "",
        "v2 0",
        "v1",
        "v1 x",
        "v1 -1",
        "v1 0 a",
        "v1 0 a,b",
        "v1 0 a,b,1",
        "v1 0 ,b,1,2",
        "v1 0 a,,1,2",
        "v1 0 a,b,1,",
        "v1 0 a,b,1,2,3",
        "v1 0  a,b,1,2",
        "v1 99999999999999999999",
        "v1 0 a,b,x,2",
    };
    struct text rest = text_of("v1 12 a.b,u-1,3,4 c,-,0,5");
    struct opening note;
    int64_t past;

    ok(preemption_memory_parse_head(&rest, &past) && past == 12, "the past");
    ok(preemption_memory_parse_note(&rest, &note) && text_is(note.worker, "a.b") &&
           text_is(note.uid, "u-1") && note.signal == 3 && note.opened == 4,
       "a note");
    ok(preemption_memory_parse_note(&rest, &note) && text_is(note.worker, "c") && note.opened == 5,
       "another");
    ok(!preemption_memory_parse_note(&rest, &note) && rest.len == 0, "and no more");
    ok(reads("v1 0"), "a memory of nothing");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ok(!reads(bad[i]), "cannot be read: \"%s\"", bad[i]);
}

static void test_write(void)
{
    struct fleet_kit f;
    char text[256];
    size_t len;
    uint32_t id;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; cluster b; workload w in=a,b; replica a/w signals; time 3;"
                     "replica b/w signals; lease write w");
    is_str(f.written, "v1 0 a,a-w,1000000000000,1003000000000 b,b-w,1003000000000,0",
           "who is opened, and who signals since when");
    fleet_kit_do(&f, "done write w; done open a/w; lose-replica a/w; replica a/w uid=new signals");
    id = fleet_find_dispatch(f.fleet, text_of("ns"), text_of("w"));
    len = fleet_memory_text(f.fleet, id, text, sizeof(text) - 1);
    text[len] = '\0';
    is_str(text, "v1 0 a,-,0,1003000000000 a,new,1003000000000,0 b,b-w,1003000000000,0",
           "one that is gone stays opened");
    is_int(fleet_memory_text(f.fleet, id, text, 4), len, "what does not fit is counted");
    fleet_kit_do(&f, "lose-replica a/w; workload w in=b");
    len = fleet_memory_text(f.fleet, id, text, sizeof(text) - 1);
    text[len] = '\0';
    is_str(text, "v1 1003000000000 b,b-w,1003000000000,0", "also where it has no place any more");
    fleet_kit_close(&f);
}

/* What a manager writes it may see before it hears that it was written. */
static void test_own(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f,
                 "cluster a; cluster b; workload w in=a,b; replica a/w signals; time 3;"
                 "replica b/w signals; lease write w; workload w in=a,b remembers; done write w");
    is_str(fleet_kit_effects(&f), "open a/w", "it goes on when it hears of it");
    fleet_kit_do(&f, "time 4; done open a/w; time 303");
    is_str(fleet_kit_effects(&f), "", "the other one waits for the timeout,");
    fleet_kit_do(&f, "time 304");
    is_str(fleet_kit_effects(&f), "write w", "and no longer: from when the gate was opened");
    fleet_kit_close(&f);
}

static void test_unreadable(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f,
                 "cluster a; workload w in=a memory=v1_nonsense; replica a/w signals; time 299");
    is_str(fleet_kit_effects(&f), "", "what cannot be read may have been an opening");
    fleet_kit_do(&f, "time 300");
    is_str(fleet_kit_effects(&f), "write w", "at the time when it was read");
    fleet_kit_do(&f, "workload w in=a memory=v1_9000000000000000000; time 601");
    is_str(fleet_kit_effects(&f), "", "what will have happened");
    fleet_kit_do(&f, "time 631");
    is_str(fleet_kit_effects(&f), "write w", "happened at the latest now");
    fleet_kit_close(&f);
}

static void test_elsewhere(void)
{
    struct fleet_kit f;

    fleet_kit_open(&f, "");
    fleet_kit_do(&f, "cluster a; workload w in=a memory=v1_0_gone,u,0,999000000000;"
                     "replica a/w signals; time 328");
    is_str(fleet_kit_effects(&f), "", "a cluster that is not there any more was opened");
    fleet_kit_do(&f, "time 329");
    is_str(fleet_kit_effects(&f), "write w", "and counts like any other");
    fleet_kit_close(&f);
}

int main(void)
{
    test_parse();
    test_write();
    test_own();
    test_unreadable();
    test_elsewhere();
    return tap_done();
}
