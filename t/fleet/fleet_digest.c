/* SPDX-License-Identifier: Apache-2.0 */

/* Equal fleets have equal digests, whatever the order in which they were seen; others have not. */
#include "plugin/fleet/fleet.h"

#include "t/kit/fleet_kit.h"
#include "t/kit/tap.h"

static uint64_t digest_after(const char *steps, bool timers)
{
    struct fleet_kit f;
    uint64_t digest;

    fleet_kit_open(&f, "standby");
    fleet_kit_do(&f, steps);
    digest = fleet_digest(f.fleet, timers);
    fleet_kit_close(&f);
    return digest;
}

static void differs(const char *steps, const char *others, const char *what)
{
    ok(digest_after(steps, false) != digest_after(others, false), "another one: %s", what);
}

int main(void)
{
    const char *seen = "cluster a; cluster b; workload w in=a,b v=7; replica a/w signals v=8";

    ok(digest_after(seen, false) ==
           digest_after("replica a/w signals v=8; cluster b; workload w in=a,b v=7; cluster a",
                        false),
       "the order of sights does not matter");
    differs(seen, "cluster a; cluster b off; workload w in=a,b v=7; replica a/w signals v=8",
            "a cluster that cannot be reached");
    differs(seen, "cluster a; cluster b; workload w in=a v=7; replica a/w signals v=8",
            "where a workload may go");
    differs(seen, "cluster a; cluster b; workload w in=a,b v=7; replica a/w v=8", "a signal");
    differs(seen, "cluster a; cluster b; workload w in=a,b gate=g v=7; replica a/w signals v=8",
            "a gate of its own");
    ok(digest_after(seen, true) !=
           digest_after("cluster a; cluster b; workload w in=a,b v=7; replica a/w signals v=9",
                        true),
       "with timers, also a version");
    return tap_done();
}
