/* SPDX-License-Identifier: Apache-2.0 */

/* Records of claims: found by uid and by name, and ranked. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

static uint32_t named(const struct kit *kit, const char *space, const char *name)
{
    return claim_find_named(kit->engine, text_of(space), text_of(name), false);
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

int main(void)
{
    test_names();
    test_lengths();
    test_rank();
    return tap_done();
}
