/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "hooks/encode.h"
#include "t/player/host.h"

/* What a host asks: about a pod, an admission, or what a person wants to know. */

void host_put_uid(struct msg_writer *w, const struct host *host, unsigned slot)
{
    char uid[32];

    snprintf(uid, sizeof(uid), "pu%u.%u", slot, host->objects[CAST_POD][slot].incarnation);
    put_key_str(w, "uid", uid);
}

void host_ask(struct host *host, enum hook_id hook, unsigned pod)
{
    const struct object *object = &host->objects[CAST_POD][pod];
    bool explain = draw(host->draws, 2) == 1, brief = draw(host->draws, 2) == 1;
    struct msg_writer w;

    if (hook == HOOK_PRE_ENQUEUE) {
        host_begin(&w, brief ? 4 : 3, host->now);
        put_key_bool(&w, "explain", explain);
        if (brief) {
            host_put_uid(&w, host, pod);
            put_key_int(&w, "resourceVersion", object->version);
        } else {
            msg_put_key(&w, "pod");
            object_put(&w, &cast_kinds[CAST_POD], object, pod, object->there);
        }
    } else {
        bool placed = hook >= HOOK_RESERVE && hook <= HOOK_POST_BIND;

        host_begin(&w, hook == HOOK_FILTER || placed ? 3 : 2, host->now);
        host_put_uid(&w, host, pod);
        if (placed)
            put_named(&w, "node", "n", draw(host->draws, 4));
        if (hook == HOOK_FILTER) {
            bool all = draw(host->draws, 2) == 1;

            msg_put_key(&w, "nodes");
            if (all) {
                msg_put_nil(&w);
            } else {
                msg_put_array(&w, 3);
                for (unsigned i = 0; i < 3; i++)
                    msg_put_int(&w, draw(host->draws, 6));
            }
        }
    }
    host_send(host, hook, &w);
}

void host_ask_admission(struct host *host)
{
    static const enum cast kinds[] = {CAST_POD, CAST_QUEUE, CAST_COMMAND, CAST_GROUP,
                                      CAST_WORKLOAD};
    static const char *const operations[] = {"CREATE", "UPDATE", "DELETE"};
    enum cast kind = kinds[draw(host->draws, 5)];
    unsigned slot = draw(host->draws, cast_kinds[kind].slots);
    struct object object;
    struct msg_writer w;

    memset(&object, 0, sizeof(object));
    object_draw(&object, &cast_kinds[kind], host->draws);
    host_begin(&w, 4, host->now);
    put_key_str(&w, "kind", cast_kinds[kind].name);
    put_key_str(&w, "operation", operations[draw(host->draws, 3)]);
    msg_put_key(&w, "object");
    object_put(&w, &cast_kinds[kind], &object, slot, true);
    host_send(host, HOOK_ADMIT, &w);
}

void host_inspect(struct host *host)
{
    static const char *const whats[] = {"queues",       "queue",       "pod",        "groups",
                                        "group",        "pending",     "workload",   "workloads",
                                        "clusterQueue", "localQueues", "localQueue", "effects",
                                        "fleet",        "clusters",    "limits",     "digest",
                                        "memory",       "check",       "recording",  "nonsense"};
    static const char *const kinds[] = {"Queue", "ClusterQueue", "Cohort", "LocalQueue"};
    static const char *const names[] = {"q0", "q1", "c1", "h0", "root",  "g0", "podgroup-ctl0",
                                        "w0", "w1", "l0", "p0", "unseen"};
    static const char *const of_fleet[] = {"fleet", "fleet", "memory", "clusters"};
    struct draws *draws = host->draws;
    bool one = draw(draws, 3) != 0;
    const char *what = whats[draw(draws, sizeof(whats) / sizeof(whats[0]))];
    struct msg_writer w;

    if (host->profile == PROFILE_FLEET && draw(draws, 2) == 0)
        what = of_fleet[draw(draws, 4)];

    host_begin(&w, one ? 10 : 5, host->now);
    put_key_str(&w, "what", draw(draws, 4) == 0 ? "effects" : what);
    put_key_int(&w, "from", draw(draws, 4) == 0 ? draw(draws, 64) : 0);
    put_key_int(&w, "max", 1 + (int64_t)draw(draws, 9));
    put_key_bool(&w, "holding", draw(draws, 2) == 1);
    if (one) {
        put_key_str(&w, "kind", kinds[draw(draws, 4)]);
        put_key_bool(&w, "native", draw(draws, 2) == 1);
        put_key_bool(&w, "composite", draw(draws, 4) == 3);
        put_key_str(&w, "name", names[draw(draws, sizeof(names) / sizeof(names[0]))]);
        if (draw(draws, 2) == 1)
            host_put_uid(&w, host, draw(draws, cast_kinds[CAST_POD].slots));
        else
            put_key_str(&w, "namespace", "d");
    }
    host_send(host, HOOK_INSPECT, &w);
}
