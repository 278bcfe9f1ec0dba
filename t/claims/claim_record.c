/* SPDX-License-Identifier: Apache-2.0 */

/* Records of claims: found by uid and by name, ranked, bounded in number, and forgotten. */
#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

#include <stdio.h>

static uint32_t named(const struct kit *kit, const char *space, const char *name)
{
    return claim_find_named(kit->engine, text_of(space), text_of(name));
}

static void test_names(void)
{
    struct kit kit;
    uint32_t id;

    kit_open(&kit, "");
    kit_do(&kit, "pod web uid=1-2-3; pod db uid=1-2");
    id = kit_claim(&kit, "1-2-3");
    ok(id != 0 && id != kit_claim(&kit, "1-2"), "found by uid");
    ok(text_is(claim_uid(kit.engine, id), "1-2-3"), "its uid");
    ok(text_is(claim_name(kit.engine, id), "web"), "and its name are kept");
    is_int(named(&kit, "default", "web"), id, "found by namespace and name");
    is_int(named(&kit, "other", "web"), 0, "not in another namespace");
    is_int(named(&kit, "default", "we"), 0, "nor by a part of the name");
    is_int(kit_claim(&kit, "web"), 0, "a name is no uid");
    is_int(engine_find_pod(kit.engine, text_of("1-2-3")), id, "hosts find the same");
    is_int(engine_find_named_pod(kit.engine, text_of("default"), text_of("web")), id, "both ways");
    kit_close(&kit);
}

#define SHORT "12345678-1234-1234-1234-123456789abc"

/* Of 36 bytes, as Kubernetes makes them, it is in the record; a longer one is beside it. */
static void test_lengths(void)
{
    static const char *const uids[] = {"1", SHORT, SHORT "d", SHORT "-" SHORT};
    struct kit kit;

    kit_open(&kit, "");
    for (int i = 0; i < 3; i++)
        kit_dof(&kit, "pod n%d uid=%s cpu=1", i, uids[i]);
    kit_dof(&kit, "pod n3 uid=%.64s cpu=1", uids[3]);
    for (int i = 0; i < 4; i++) {
        char uid[65], name[8];
        uint32_t id;

        snprintf(uid, sizeof(uid), "%.64s", uids[i]);
        snprintf(name, sizeof(name), "n%d", i);
        kit_dof(&kit, "pod %s uid=%s cpu=2 memory=1", name, uid);
        id = kit_claim(&kit, uid);
        ok(id != 0 && id == named(&kit, "default", name), "found with a uid of %zu", strlen(uid));
        ok(text_is(claim_uid(kit.engine, id), uid), "which is kept");
        ok(text_is(claim_name(kit.engine, id), name), "so is the name");
    }
    kit_close(&kit);
}

static void test_rank(void)
{
    struct kit kit;

    kit_open(&kit, "standby");
    kit_do(&kit, "pod e created=9; pod d created=7; pod c created=7; pod cc created=7;"
                 "pod b created=8 priority=1; pod a created=1 priority=-1");
    is_str(kit_waiting(&kit, "default"), "b c cc d e a", "priority, then creation, then uid");
    is_int(claim_compare_rank(kit.engine, kit_claim(&kit, "a"), kit_claim(&kit, "a")), 0,
           "a claim ranks with itself");
    kit_close(&kit);
}

static void test_limit(void)
{
    struct kit kit;

    kit_open(&kit, "maxPods=2");
    kit_do(&kit, "pod a; pod b");
    is_int(kit_try(&kit, "pod c"), ENGINE_FULL_PODS, "one too many");
    is_str(kit_granted(&kit), "a b", "changes nothing");
    is_int(kit_try(&kit, "pod a priority=4"), 0, "those that are known may change");
    is_int(kit_try(&kit, "pod b uid=b2"), 0, "and be replaced by another pod of their name");
    is_int(kit_try(&kit, "pod x finished"), 0, "what is no claim needs no room");
    kit_do(&kit, "lose-pod a; pod c");
    is_int(engine_count_pods(kit.engine), 2, "and who goes makes room");
    kit_close(&kit);
}

static int ask(struct kit *kit, const char *words, struct verdict *ret_verdict)
{
    struct pod_facts pod;

    words_to_pod(words, &pod);
    pod.created = 5;
    return engine_pre_enqueue(kit->engine, &pod, true, ret_verdict);
}

/* What only PreEnqueue has named may never have existed. */
static void test_provisional(void)
{
    struct verdict verdict;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod big queue=q cpu=4 created=1");
    ask(&kit, "a queue=q cpu=1", &verdict);
    ask(&kit, "b queue=q cpu=1", &verdict);
    kit_do(&kit, "pod b queue=q cpu=1 created=5; time 60");
    is_str(kit_waiting(&kit, "q"), "a b", "it waits like any other");
    kit_do(&kit, "time 61");
    is_str(kit_waiting(&kit, "q"), "b", "and is forgotten after a minute, if nobody has seen it");
    kit_close(&kit);
}

static void test_provisional_and_granted(void)
{
    struct verdict verdict;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod big queue=q cpu=4 created=1");
    ask(&kit, "a queue=q cpu=1", &verdict);
    kit_do(&kit, "time 50; lose-pod big");
    is_str(kit_state(&kit, "a"), "reserved", "it may be granted");
    kit_do(&kit, "time 61");
    is_str(kit_state(&kit, "a"), "", "the minute runs on");
    is_int(kit_usage(&kit, "q", "cpu"), 0, "and it gives back what it was granted");
    kit_close(&kit);
}

static void test_deadlines(void)
{
    struct kit kit;

    kit_open(&kit, "timeout=60");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=4; pod b queue=q cpu=4");
    is_int(claim_deadline(kit.engine, kit_claim(&kit, "a")), 61 * SECOND, "a reservation ends");
    ok(claim_deadline(kit.engine, kit_claim(&kit, "b")) == INT64_MAX, "who waits has no deadline");
    is_int(engine_next(kit.engine), 61 * SECOND, "the engine asks for the earliest");
    kit_do(&kit, "reserve a");
    is_int(engine_next(kit.engine), 0, "past the reserve hook nothing is due");
    kit_close(&kit);
}

static void test_no_memory(void)
{
    struct kit kit;

    kit_open(&kit, "");
    ok(kit_starve(&kit, "pod a queue=q cpu=1 memory=2 gpu=3") > 5, "a new claim needs memory");
    ok(kit_starve(&kit, "pod a queue=p cpu=2") > 2, "so does one that moves and grows");
    ok(kit_starve(&kit, "pod a uid=other queue=o node=n") > 2, "and one that replaces another");
    kit_close(&kit);
}

int main(void)
{
    test_names();
    test_lengths();
    test_rank();
    test_limit();
    test_provisional();
    test_provisional_and_granted();
    test_deadlines();
    test_no_memory();
    return tap_done();
}
