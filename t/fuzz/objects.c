/* SPDX-License-Identifier: Apache-2.0 */
#include "t/fuzz/objects.h"

#include <stdio.h>

#include "hooks/encode.h"
#include "plugin/gate.h"

unsigned draw(struct tape *tape, unsigned below)
{
    return tape->at == tape->end ? 0 : *tape->at++ % below;
}

void put_named(struct msg_writer *w, const char *key, const char *prefix, unsigned n)
{
    char name[32];

    snprintf(name, sizeof(name), "%s%u", prefix, n);
    put_key_str(w, key, name);
}

static void put_amounts(struct msg_writer *w, struct tape *tape, const char *key)
{
    static const char *const resources[] = {"cpu", "memory", "x/gpu", "pods"};
    size_t place;
    uint32_t count = 0;

    msg_put_key(w, key);
    place = msg_put_map_later(w);
    for (unsigned i = 0, which = draw(tape, 16); i < 4; i++) {
        if (which >> i & 1) {
            put_key_int(w, resources[i], (int64_t)draw(tape, 8) << (draw(tape, 40) == 7 ? 60 : 0));
            count++;
        }
    }
    msg_set_count(w, place, count);
}

void put_any_pod(struct msg_writer *w, struct tape *tape)
{
    unsigned pod = draw(tape, 12), bits = draw(tape, 256), gates = draw(tape, 4);

    msg_put_map(w, 16);
    put_named(w, "uid", "u", pod);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "p", draw(tape, 8) == 0 ? pod / 2 : pod);
    put_key_int(w, "created", draw(tape, 8));
    put_key_int(w, "priority", (int64_t)draw(tape, 3) - 1);
    put_key_int(w, "generation", draw(tape, 4));
    put_key_int(w, "resourceVersion", draw(tape, 8));
    msg_put_key(w, "gates");
    msg_put_array(w, (gates & 1u) + (bits & 1u && bits & 2u ? 1 : 0));
    if (gates & 1u)
        msg_put_str(w, gate_name(gates & 2u ? GATE_SHORT : GATE_LONG));
    if (bits & 1u && bits & 2u)
        msg_put_str(w, "foreign");
    msg_put_key(w, "annotations");
    msg_put_map(w, bits & 4u ? 4 : 2);
    put_key_str(w, gate_name(GATE_LONG), bits & 8u ? "false" : "true");
    put_named(w, "scheduling.volcano.sh/queue-name", "q", draw(tape, 5));
    if (bits & 4u) {
        put_named(w, "sluice.sh/granted", "", draw(tape, 20));
        put_key_str(w, "sluice.sh/flavors", draw(tape, 2) ? "cpu=f1,memory=f0" : "cpu=f0,x");
    }
    put_key_str(w, "queueKind", bits & 16u ? "ClusterQueue" : "Queue");
    put_amounts(w, tape, "requests");
    put_key_str(w, "node", draw(tape, 6) == 0 ? "n1" : "");
    put_key_str(w, "nominated", draw(tape, 8) == 0 ? "n1" : "");
    put_key_str(w, "phase", draw(tape, 12) == 0 ? "Failed" : "Pending");
    put_key_bool(w, "deleted", draw(tape, 12) == 1);
    put_key_bool(w, "unschedulable", bits >= 192);
}

static void put_any_groups(struct msg_writer *w, struct tape *tape)
{
    unsigned flavors = 1 + draw(tape, 2);

    msg_put_key(w, "groups");
    msg_put_array(w, 1);
    msg_put_map(w, 2);
    msg_put_key(w, "resources");
    msg_put_array(w, 2);
    msg_put_str(w, "cpu");
    msg_put_str(w, "memory");
    msg_put_key(w, "flavors");
    msg_put_array(w, flavors);
    for (unsigned i = 0; i < flavors; i++) {
        unsigned bits = draw(tape, 4);

        msg_put_map(w, 2);
        put_named(w, "name", "f", i);
        msg_put_key(w, "quotas");
        msg_put_map(w, 1);
        msg_put_key(w, i & 1u ? "memory" : "cpu");
        msg_put_map(w, 1 + (bits & 1u) + (bits >> 1));
        put_key_int(w, "nominal", draw(tape, 10));
        if (bits & 1u)
            put_key_int(w, "borrowing", draw(tape, 10));
        if (bits & 2u)
            put_key_int(w, "lending", draw(tape, 10));
    }
}

void put_any_queue(struct msg_writer *w, struct tape *tape)
{
    static const char *const kinds[] = {"Queue", "ClusterQueue", "Cohort"};
    static const char *const states[] = {"Open", "Closing", "Suspended", "Closed", "", "Unknown"};
    unsigned kind = draw(tape, 3), bits = draw(tape, 16);

    msg_put_map(w, kind == 0 ? 12 : 10);
    put_key_str(w, "kind", kinds[kind]);
    put_named(w, "name", "q", draw(tape, 5));
    put_named(w, "parent", "q", draw(tape, 6));
    put_key_int(w, "priority", draw(tape, 3));
    put_key_str(w, "strategy", draw(tape, 2) ? "fifo" : "traverse");
    put_key_str(w, "state", states[draw(tape, 6)]);
    put_named(w, "uid", "q", bits == 15 ? 1 : 0);
    put_key_int(w, "resourceVersion", draw(tape, 8));
    msg_put_key(w, "annotations");
    msg_put_map(w, 3);
    put_key_str(w, "volcano.sh/closed-by-parent", bits & 1u ? "true" : "");
    put_key_str(w, "volcano.sh/suspended-by-parent", bits & 2u ? "Closing" : "x");
    put_key_str(w, "sluice.sh/create-suspended", bits & 4u ? "true" : "");
    if (kind == 0) {
        put_amounts(w, tape, "capability");
        put_amounts(w, tape, "deserved");
        put_amounts(w, tape, "guarantee");
    } else {
        put_any_groups(w, tape);
    }
}

void put_any_flavor(struct msg_writer *w, struct tape *tape)
{
    unsigned labels = draw(tape, 2);

    msg_put_map(w, 2);
    put_named(w, "name", "f", draw(tape, 3));
    msg_put_key(w, "nodeLabels");
    msg_put_map(w, labels);
    if (labels)
        put_named(w, "pool", "", draw(tape, 3));
}

void put_any_node(struct msg_writer *w, struct tape *tape)
{
    msg_put_map(w, 3);
    put_named(w, "name", "n", draw(tape, 3));
    msg_put_key(w, "labels");
    msg_put_map(w, 1);
    put_named(w, "pool", "", draw(tape, 3));
    put_amounts(w, tape, "allocatable");
}

void put_any_order(struct msg_writer *w, struct tape *tape)
{
    static const char *const actions[] = {"OpenQueue", "CloseQueue", "SuspendQueue", "ResumeQueue",
                                          "AbortJob"};

    msg_put_map(w, 6);
    put_named(w, "uid", "c", draw(tape, 8));
    put_key_str(w, "namespace", "d");
    put_key_str(w, "name", "c");
    put_key_int(w, "created", draw(tape, 4));
    put_key_str(w, "action", actions[draw(tape, 5)]);
    msg_put_key(w, "target");
    msg_put_map(w, 2);
    put_key_str(w, "kind", draw(tape, 12) == 11 ? "Job" : "Queue");
    put_named(w, "name", "q", draw(tape, 6));
}
