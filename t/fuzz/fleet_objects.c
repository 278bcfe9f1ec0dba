/* SPDX-License-Identifier: Apache-2.0 */
#include "t/fuzz/fleet_objects.h"

#include <stdio.h>

#include "hooks/encode.h"
#include "plugin/openings.h"
#include "plugin/orchestrator.h"

void put_any_multikueue(struct msg_writer *w, struct tape *tape)
{
    msg_put_map(w, 4);
    put_key_bool(w, "orchestratedPreemption", draw(tape, 4) != 3);
    put_key_int(w, "singleClusterPreemptionTimeout", 1 + (int64_t)draw(tape, 8));
    put_key_int(w, "workerLostTimeout", 1 + (int64_t)draw(tape, 8));
    put_key_int(w, "preferNoPreemption", draw(tape, 4));
}

void put_any_cluster(struct msg_writer *w, struct tape *tape)
{
    msg_put_map(w, 3);
    put_named(w, "name", "c", draw(tape, 3));
    put_key_bool(w, "connected", draw(tape, 3) != 0);
    put_key_int(w, "since", draw(tape, 4));
}

static void put_status(struct msg_writer *w, const char *type, bool is)
{
    put_key_str(w, type, is ? "True" : "False");
}

/* What a manager wrote, or anything like it. */
static void put_memory(struct msg_writer *w, struct tape *tape)
{
    char text[160];

    snprintf(text, sizeof(text), "v1 %u c%u,%s%u,%u,%u c%u,-,0,%u", draw(tape, 4), draw(tape, 3),
             draw(tape, 8) == 7 ? "" : "u", draw(tape, 4), draw(tape, 4), draw(tape, 4),
             draw(tape, 4), draw(tape, 9));
    put_key_str(w, OPENINGS_ANNOTATION, draw(tape, 3) == 0 ? "" : text);
}

void put_any_workload(struct msg_writer *w, struct tape *tape)
{
    unsigned workload = draw(tape, 3), bits = draw(tape, 256), gates = draw(tape, 4);

    msg_put_map(w, 13);
    put_key_str(w, "role", "manager");
    put_named(w, "uid", "w", draw(tape, 6) == 5 ? 9 : workload);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "w", workload);
    put_key_int(w, "resourceVersion", draw(tape, 16));
    msg_put_key(w, "conditions");
    msg_put_map(w, 3);
    put_status(w, "QuotaReserved", (bits & 3u) != 0);
    put_status(w, "Finished", (bits & 60u) == 60);
    put_status(w, "Evicted", (bits & 52u) == 52);
    put_key_bool(w, "checksReady", (bits & 12u) != 0);
    put_key_bool(w, "active", (bits & 112u) != 0);
    put_key_bool(w, "deleted", (bits & 224u) == 224);
    msg_put_key(w, "nominated");
    msg_put_array(w, 2);
    msg_put_str(w, bits & 1u ? "c0" : "c1");
    msg_put_str(w, bits & 128u ? "c1" : "c2");
    if (draw(tape, 4) == 3)
        put_named(w, "cluster", "c", draw(tape, 3));
    else
        put_key_str(w, "cluster", "");
    msg_put_key(w, "gates");
    msg_put_array(w, gates == 3 ? 1 : 0);
    if (gates == 3)
        msg_put_str(w, "x/gate");
    msg_put_key(w, "annotations");
    msg_put_map(w, 2);
    put_key_str(w, ORCHESTRATOR_TIMEOUT, gates == 2 ? "2ns" : "");
    put_memory(w, tape);
}

void put_any_replica(struct msg_writer *w, struct tape *tape)
{
    unsigned workload = draw(tape, 3), cluster = draw(tape, 3), bits = draw(tape, 256);

    msg_put_map(w, 10);
    put_named(w, "cluster", "c", cluster);
    put_key_str(w, "namespace", "d");
    put_named(w, "name", "w", workload);
    put_named(w, "uid", "u", draw(tape, 4));
    put_key_int(w, "resourceVersion", draw(tape, 16));
    put_named(w, "origin", "w", draw(tape, 6) == 5 ? 9 : workload);
    msg_put_key(w, "gates");
    msg_put_array(w, bits & 1u ? 2 : 1);
    msg_put_str(w, ORCHESTRATOR_GATE);
    if (bits & 1u)
        msg_put_str(w, "x/gate");
    msg_put_key(w, "gateStatus");
    msg_put_map(w, 2);
    put_key_str(w, ORCHESTRATOR_GATE, bits & 2u ? "Open" : "Closed");
    put_key_str(w, "x/gate", bits & 4u ? "Open" : "Closed");
    msg_put_key(w, "conditions");
    msg_put_map(w, 4);
    put_status(w, bits & 8u ? "BlockedOnPreemptionGates" : "PreemptionBlocked", (bits & 16u) != 0);
    put_status(w, "QuotaReserved", (bits & 96u) == 96);
    put_status(w, "Admitted", (bits & 224u) == 224);
    put_status(w, "Evicted", (bits & 160u) == 160);
    put_key_bool(w, "deleted", draw(tape, 16) == 15);
}
