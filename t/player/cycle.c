/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks/encode.h"
#include "t/player/deed.h"

/* A pod on its way through the scheduler: its hooks in order, as far as the answers let it. */

static bool passes(const struct host *host, const char *key)
{
    struct msg_reader answer;

    if (host->witness->result < 0 || host->witness->wrong[0] != '\0')
        return false;
    witness_answer(host->witness, &answer);
    return peek_bool(&answer, key, false);
}

static void put_on_node(struct host *host, enum hook_id hook, unsigned slot)
{
    struct msg_writer w;

    host_begin(&w, 3, host->now);
    host_put_uid(&w, host, slot);
    put_named(&w, "node", "n", host->nodes[slot]);
    host_send(host, hook, &w);
}

static void find_no_node(struct host *host, unsigned slot)
{
    host_ask(host, HOOK_POST_FILTER, slot);
    *deed_field(host, CAST_POD, slot, "unschedulable") = 1;
    host_changed(host, CAST_POD, slot);
}

static void bind(struct host *host, unsigned slot)
{
    enum { RUNNING = 2 };
    struct msg_reader answer;

    put_on_node(host, HOOK_BIND, slot);
    if (host->witness->result < 0 || host->witness->wrong[0] != '\0')
        return;
    witness_answer(host->witness, &answer);
    deed_remove_gates(host, slot, &answer);
    *deed_field(host, CAST_POD, slot, "node") = (uint8_t)(host->nodes[slot] + 1);
    *deed_field(host, CAST_POD, slot, "phase") = RUNNING;
    host_changed(host, CAST_POD, slot);
    put_on_node(host, HOOK_POST_BIND, slot);
}

void host_cycle(struct host *host, unsigned slot)
{
    enum { NO_NODE, LATE_REFUSAL, ENDS = 10 };
    unsigned end = draw(host->draws, ENDS);

    if (!host->objects[CAST_POD][slot].there || *deed_field(host, CAST_POD, slot, "node") != 0)
        return;
    host_ask(host, HOOK_PRE_ENQUEUE, slot);
    if (!passes(host, "pass"))
        return;
    host_ask(host, HOOK_PRE_FILTER, slot);
    if (!passes(host, "pass"))
        return;
    if (end == NO_NODE) {
        find_no_node(host, slot);
        return;
    }
    host->nodes[slot] = (uint8_t)draw(host->draws, 3);
    put_on_node(host, HOOK_RESERVE, slot);
    if (!passes(host, "pass") || end == LATE_REFUSAL) {
        put_on_node(host, HOOK_UNRESERVE, slot);
        return;
    }
    put_on_node(host, HOOK_PERMIT, slot);
    if (passes(host, "allow"))
        bind(host, slot);
}

void host_go_on(struct host *host)
{
    for (unsigned slot = 0; slot < CAST_SLOTS; slot++) {
        enum permit permit = host->permits[slot];

        host->permits[slot] = PERMIT_NONE;
        if (permit == PERMIT_ALLOWED)
            bind(host, slot);
        else if (permit == PERMIT_REFUSED)
            put_on_node(host, HOOK_UNRESERVE, slot);
    }
}
