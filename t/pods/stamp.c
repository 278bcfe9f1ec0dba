/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/pods/stamp.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

/* What a stamp says of the flavor of each need of a line: "-" is nothing. */
static void reads(struct kit *kit, const char *stamp, const char *cpu, const char *memory)
{
    struct engine *e = kit->engine;
    uint32_t line = claim_at(e, kit_claim(kit, "a"))->line, count = 0;
    uint16_t flavors[FACTS_MAX_NEEDS];

    is_int(stamp_read(e, text_of(stamp), line, flavors, &count), 0, "\"%s\" is read", stamp);
    is_int(count, line_count(e, line_at(e, line)), "a flavor for each need");
    for (uint32_t i = 0; i < count; i++) {
        struct text resource = name_text(e, line_resource(e, line_at(e, line), i));
        const char *want = text_same(resource, text_of("cpu")) ? cpu : memory;
        struct text got = flavor_name(e, flavors[i]);

        if (!text_same(resource, text_of("pods")))
            ok(flavors[i] == 0 ? want[0] == '-' : text_same(got, text_of(want)), "%.*s: %s",
               (int)resource.len, resource.at, want);
        flavor_unref(e, flavors[i]);
    }
}

int main(void)
{
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q cpu=4; pod a queue=q cpu=1 memory=2");
    reads(&kit, "cpu=spot,memory=spot", "spot", "spot");
    reads(&kit, "memory=a,cpu=b", "b", "a");
    reads(&kit, "cpu=spot", "spot", "-");
    reads(&kit, "cpus=spot,emory=x", "-", "-");
    reads(&kit, "cpu=,memory", "-", "-");
    reads(&kit, "", "-", "-");
    kit_close(&kit);
    return tap_done();
}
