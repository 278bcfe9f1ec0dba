/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/pods/regrant.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>
#include <string.h>

static void test_resize(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=10; pod a queue=q cpu=4 created=1; pod b queue=q cpu=4;"
                 "pod c queue=q cpu=3");
    is_str(kit_granted(&kit), "a b", "two fit");
    kit_do(&kit, "pod a queue=q cpu=6 created=1");
    is_str(kit_granted(&kit), "a b", "who grows into what is left keeps the grant");
    is_int(kit_usage(&kit, "q", "cpu"), 10, "with what it asks for now");
    kit_do(&kit, "pod a queue=q cpu=7 created=1");
    is_str(kit_granted(&kit), "b c", "who grows beyond it waits, and others take the room");
    is_str(kit_why(&kit, "a"), "QueueCapacity", "for lack of it");
    kit_do(&kit, "pod a queue=q cpu=3 created=1");
    is_str(kit_granted(&kit), "a b c", "who shrinks may fit again");
    kit_close(&kit);
}

static void test_allocated(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=4 created=1 node=n;"
                 "pod a queue=q cpu=9 created=1 node=n");
    is_str(kit_state(&kit, "a"), "allocated", "a bound pod counts, also above the ceiling");
    is_int(kit_usage(&kit, "q", "cpu"), 9, "with what it uses");
    kit_do(&kit, "pod b queue=q cpu=1; reserve b");
    is_str(kit_granted(&kit), "a", "and leaves nothing for others");
    kit_close(&kit);
}

static void test_another_queue(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=2; queue r cpu=2; pod a queue=q cpu=2 created=1;"
                 "pod b queue=r cpu=2 created=2; pod c queue=q cpu=2 created=3");
    is_str(kit_granted(&kit), "a b", "each queue has its own");
    kit_do(&kit, "pod a queue=r cpu=2 created=1");
    is_str(kit_granted(&kit), "b c", "who moves leaves its grant behind");
    is_str(kit_waiting(&kit, "r"), "a", "and waits in the other queue");
    kit_do(&kit, "lose-pod b");
    is_str(kit_granted(&kit), "a c", "for its turn");
    kit_close(&kit);
}

static void test_priority(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1 created=1; pod b queue=q cpu=1 created=2;"
                 "pod c queue=q cpu=1 created=3; pod c queue=q cpu=1 created=3 priority=5");
    is_str(kit_waiting(&kit, "q"), "c b", "another rank is another place");
    kit_do(&kit, "pod a queue=q cpu=1 created=1 priority=-3");
    is_str(kit_granted(&kit), "a", "who was granted keeps that");
    kit_close(&kit);
}

static void test_flavors(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; flavor g;"
                 "cluster c group=cpu flavor=f cpu=4 flavor=g cpu=4;"
                 "pod a cluster=c cpu=4 created=1; pod b cluster=c cpu=2 created=2;"
                 "lose-pod a; pod b cluster=c cpu=3 created=2");
    is_int(kit_usage(&kit, "cluster/c", "g/cpu"), 3, "the flavor that is written into it stays");
    kit_do(&kit, "pod b cluster=c cpu=3 memory=1 created=2");
    is_str(kit_state(&kit, "b"), "waiting", "what is not declared is not to be had");
    is_int(kit_usage(&kit, "cluster/c", "g/cpu"), 0, "and it holds nothing meanwhile");
    kit_close(&kit);
}

static void test_memory(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=10; pod a queue=q cpu=4 created=1");
    ok(kit_starve(&kit, "pod a queue=q cpu=5 gpu=1 created=1") > 0, "a resize needs memory first");
    is_int(kit_usage(&kit, "q", "cpu"), 5, "and is then done");
    kit_close(&kit);
}

/* It is charged where it is now, in a flavor that is counted there. */
static void test_moves(void)
{
    static const struct {
        const char *from, *to, *was, *is;
    } moves[] = {
        {"queue=v granted=v", "cluster=c granted=v", "v cpu", "cluster/c f/cpu"},
        {"cluster=c grantedCluster=c stamped=cpu=f", "cluster=d grantedCluster=c stamped=cpu=f",
         "cluster/c f/cpu", "cluster/d g/cpu"},
        {"cluster=c grantedCluster=c stamped=cpu=f", "queue=v grantedCluster=c stamped=cpu=f",
         "cluster/c f/cpu", "v cpu"},
        {"cluster=c grantedCluster=c stamped=cpu=f", "cluster=e grantedCluster=c stamped=cpu=f",
         "cluster/c f/cpu", "cluster/e f/cpu"},
    };
    struct kit kit;

    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
        char was[32], is[32], *was_cell, *is_cell;

        snprintf(was, sizeof(was), "%s", moves[i].was);
        snprintf(is, sizeof(is), "%s", moves[i].is);
        was_cell = strchr(was, ' '), is_cell = strchr(is, ' ');
        *was_cell++ = *is_cell++ = '\0';
        kit_open(&kit, "");
        kit_do(&kit, "flavor f; flavor g; queue v cpu=4; cluster c group=cpu flavor=f cpu=4;"
                     "cluster d group=cpu flavor=g cpu=4;"
                     "cluster e group=cpu flavor=g cpu=4 flavor=f cpu=4");
        kit_dof(&kit, "pod a %s cpu=3 bare stamp=1 created=1", moves[i].from);
        is_int(kit_usage(&kit, was, was_cell), 3, "%s: granted", moves[i].was);
        kit_dof(&kit, "pod a %s cpu=3 bare stamp=1 created=1 version=2", moves[i].to);
        is_str(kit_state(&kit, "a"), "reserved", "it moves");
        is_int(kit_usage(&kit, was, was_cell), 0, "%s: given back", moves[i].was);
        is_int(kit_usage(&kit, is, is_cell), 3, "%s: charged", moves[i].is);
        kit_close(&kit);
    }

    kit_open(&kit, "");
    kit_do(&kit, "flavor f; cluster c group=cpu flavor=f cpu=4;"
                 "cluster d group=cpu,pods flavor=f cpu=4 pods=4;"
                 "pod a cluster=c cpu=3 bare stamp=1 grantedCluster=c created=1;"
                 "pod a cluster=d cpu=3 bare stamp=1 grantedCluster=c created=1 version=2");
    is_int(kit_usage(&kit, "cluster/d", "f/pods"), 1, "what nobody counted before is charged, too");
    kit_close(&kit);
}

int main(void)
{
    test_resize();
    test_allocated();
    test_another_queue();
    test_priority();
    test_flavors();
    test_moves();
    test_memory();
    return tap_done();
}
