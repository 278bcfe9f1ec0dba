/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/preemption_gate.h"

#include "plugin/grant/assign.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

/* "NAME:open", "NAME:closed", or "NAME", separated by spaces. */
static struct preemption_gates gates_of(struct kit *kit, const char *words, bool strays)
{
    struct preemption_gate_facts facts[FACTS_MAX_PREEMPTION_GATES];
    struct preemption_gates gates;
    uint32_t count = 0;

    while (*words != '\0') {
        size_t len = strcspn(words, " "), name = strcspn(words, ": ");

        facts[count].name = (struct text){words, name};
        facts[count].said = name != len;
        facts[count].open = name != len && words[name + 1] == 'o';
        count++;
        words += len + (words[len] == ' ');
    }
    is_int(preemption_gates_get(&kit->engine->names, facts, count, strays, &gates), 0, "%u gates",
           count);
    return gates;
}

static const char *closed(struct kit *kit, const char *words)
{
    struct preemption_gates gates = gates_of(kit, words, false);
    static char name[64];

    snprintf(name, sizeof(name), "%s", name_text(kit->engine, preemption_gates_closed(&gates)).at);
    preemption_gates_drop(&kit->engine->names, &gates);
    return name;
}

static bool wants_status(struct kit *kit, const char *words, bool strays)
{
    struct preemption_gates gates = gates_of(kit, words, strays);
    bool wants = preemption_gates_want_status(&gates);

    preemption_gates_drop(&kit->engine->names, &gates);
    return wants;
}

static void test_positions(void)
{
    struct kit kit;

    kit_open(&kit, "");
    is_str(closed(&kit, ""), "", "without gates none is closed");
    is_str(closed(&kit, "a"), "a", "a gate without a status is closed");
    is_str(closed(&kit, "a:closed"), "a", "and so is one whose status says so");
    is_str(closed(&kit, "a:open"), "", "it may be open");
    is_str(closed(&kit, "a:open b c:open"), "b", "all of them must be");
    ok(wants_status(&kit, "a:open b", false), "the status is to speak of every gate");
    ok(!wants_status(&kit, "a:open b:closed", false), "as it does here");
    ok(wants_status(&kit, "a:open b:closed", true), "and of no other");
    ok(!wants_status(&kit, "", false), "nothing is to be said of none");
    kit_close(&kit);
}

static void test_signal(void)
{
    static const struct {
        const char *gates;
        bool enforced;
        bool preempts;
        bool pass;
        enum signal signal;
        const char *what;
    } cases[] = {
        {"a", true, true, false, SIGNAL_SET, "a closed gate: it signals"},
        {"a:open b", true, true, false, SIGNAL_SET, "one of two is closed"},
        {"a:open", true, true, true, SIGNAL_STAYS, "it is open: it preempts"},
        {"", true, true, true, SIGNAL_STAYS, "who has no gates preempts"},
        {"a", false, true, true, SIGNAL_STAYS, "gates that count for nothing"},
        {"a", true, false, false, SIGNAL_CLEARED, "no victims: no signal any more"},
        {"a:open", true, false, false, SIGNAL_CLEARED, "nor with an open gate"},
    };
    struct kit kit;

    kit_open(&kit, "");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct preemption_gates gates = gates_of(&kit, cases[i].gates, false);
        enum signal signal;

        is_int(preemption_gates_pass(&gates, cases[i].enforced, cases[i].preempts, &signal),
               cases[i].pass, "%s", cases[i].what);
        is_int(signal, cases[i].signal, "%s", cases[i].what);
        preemption_gates_drop(&kit.engine->names, &gates);
    }
    kit_close(&kit);
}

/* The KEP's table, with a gate that is closed. A flavor can fit when it has room, can preempt when
 * it has none and there are victims, cannot fit when it is smaller than what is asked for. */
enum can { CAN_FIT, CANNOT_FIT, CAN_PREEMPT };

static enum assign_how victims_of(void *ctx, uint16_t flavor, uint32_t resource, wide amount,
                                  uint32_t *ret_height)
{
    (void)ctx, (void)flavor, (void)resource, (void)amount;
    *ret_height = 0;
    return ASSIGN_PREEMPTS;
}

static bool victims_of_all(void *ctx, const struct assignment *assignment)
{
    (void)ctx, (void)assignment;
    return true;
}

static void set_flavor(struct kit *kit, const char *flavor, enum can can)
{
    if (can == CAN_PREEMPT)
        kit_dof(kit, "pod in-%s cluster=c cpu=5 node=n stamp=1 stamped=cpu=%s", flavor, flavor);
}

/* "A": assigned and admitted; "A!": its gate is triggered; "-": nothing is. */
static const char *outcome(enum can a, enum can b, bool try_next, bool may_preempt)
{
    static char text[10];
    struct assign_set set = {.count = 1, .minimum = 1, .need_count = 1};
    struct assign_ask ask = {.set_count = 1, .sets = &set};
    struct preemption_gates gates;
    struct assignment made;
    enum signal signal = SIGNAL_STAYS;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor A; flavor B");
    kit_dof(&kit, "cluster c group=cpu flavor=A cpu=%d flavor=B cpu=%d", a == CANNOT_FIT ? 1 : 5,
            b == CANNOT_FIT ? 1 : 5);
    set_flavor(&kit, "A", a);
    set_flavor(&kit, "B", b);
    gates = gates_of(&kit, "kueue.x-k8s.io/multikueue", false);
    set.needs[0] = (struct request){kit_resource(&kit, "cpu"), 2};
    ask.e = kit.engine;
    ask.queue = kit_queue(&kit, "cluster/c");
    queue_at(kit.engine, ask.queue)->cluster.preempts_last = try_next;
    if (may_preempt)
        ask.victims = (struct assign_victims){NULL, victims_of, victims_of_all};
    assign(&ask, &made);
    if (made.how > ASSIGN_NO_VICTIMS)
        preemption_gates_pass(&gates, true, made.how != ASSIGN_FITS, &signal);
    snprintf(text, sizeof(text), "%s%s",
             made.how <= ASSIGN_NO_VICTIMS ? "-"
                                           : flavor_name(kit.engine, made.needs[0][0].flavor).at,
             signal == SIGNAL_SET ? "!" : "");
    preemption_gates_drop(&kit.engine->names, &gates);
    kit_close(&kit);
    return text;
}

static void test_table(void)
{
    static const struct {
        enum can a, b;
        const char *stops, *tries_next, *cannot_preempt;
    } rows[] = {
        {CAN_FIT, CAN_FIT, "A", "A", "A"},          {CAN_FIT, CANNOT_FIT, "A", "A", "A"},
        {CAN_FIT, CAN_PREEMPT, "A", "A", "A"},      {CAN_PREEMPT, CAN_FIT, "A!", "B", "B"},
        {CAN_PREEMPT, CANNOT_FIT, "A!", "A!", "-"}, {CAN_PREEMPT, CAN_PREEMPT, "A!", "A!", "-"},
        {CANNOT_FIT, CAN_FIT, "B", "B", "B"},       {CANNOT_FIT, CANNOT_FIT, "-", "-", "-"},
        {CANNOT_FIT, CAN_PREEMPT, "B!", "B!", "-"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        is_str(outcome(rows[i].a, rows[i].b, false, true), rows[i].stops, "row %d, MayStopSearch",
               (int)i + 1);
        is_str(outcome(rows[i].a, rows[i].b, true, true), rows[i].tries_next,
               "row %d, TryNextFlavor", (int)i + 1);
        is_str(outcome(rows[i].a, rows[i].b, false, false), rows[i].cannot_preempt,
               "row %d: who cannot preempt never considers it", (int)i + 1);
    }
}

static void test_memory(void)
{
    struct preemption_gate_facts facts[2] = {{text_of("first"), true, true},
                                             {text_of("a-second-one"), true, false}};
    struct preemption_gates gates;
    struct kit kit;
    int error = 0;

    for (long n = 1; n > 0; n++) {
        kit_open(&kit, "");
        kit.memory.fail_at = kit.memory.calls + n;
        error = preemption_gates_get(&kit.engine->names, facts, 2, false, &gates);
        if (error == 0)
            n = -1;
        ok(error == 0 || gates.count == 0, "it has all of them or none");
        preemption_gates_drop(&kit.engine->names, &gates);
        kit_close(&kit);
    }
    is_int(error, 0, "and with memory all");
}

int main(void)
{
    test_positions();
    test_signal();
    test_table();
    test_memory();
    return tap_done();
}
