/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/choice.h"

#include "plugin/records/claim_need.h"
#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include <stdio.h>

/* Both wait for something else: nothing is done about what they would choose. */
static void open_with_both(struct workload_kit *kit, const char *policy)
{
    char step[300];

    workload_kit_open(kit, "evicts");
    snprintf(step, sizeof(step),
             "flavor f; flavor g; cluster c parent=o within=lower %s group=cpu flavor=f cpu=4 "
             "flavor=g cpu=1; local l cluster=c hold",
             policy);
    workload_kit_do(kit, step);
    workload_kit_do(kit, "cluster d parent=o group=cpu flavor=f cpu=0 flavor=g cpu=4;"
                         "pod low cluster=c cpu=4 node=n stamp=1 stamped=cpu=f;"
                         "pod pod cluster=c cpu=3 priority=1 foreign; add load queue=l cpu=3 "
                         "priority=1");
}

static const char *chosen(struct workload_kit *kit, uint32_t claim)
{
    static const char *const hows[] = {"no fit", "no victims", "preempts", "reclaims", "fits"};
    struct engine *e = kit->kit.engine;
    static char text[64];
    struct assignment made;
    struct choice choice;

    choice_begin(&choice, e, claim);
    if (!choice_make(&choice, &made))
        return "nothing";
    for (uint32_t i = 0; i < choice.ask.sets[0].need_count; i++) {
        struct text flavor = flavor_name(e, made.needs[0][i].flavor);

        if (made.needs[0][i].flavor != FLAVOR_NONE)
            snprintf(text, sizeof(text), "%s in %.*s", hows[made.how], (int)flavor.len, flavor.at);
    }
    return text;
}

/* Flavor f is full, but for who could be sent away; in flavor g there is room that is borrowed. */
static void test_alike(void)
{
    static const struct {
        const char *policy, *want;
    } rows[] = {
        {"", "preempts in f"},
        {"preemptsLast", "fits in g"},
        {"preemptsLast borrowsLast", "fits in g"},
        {"preemptsLast borrowsLeast", "fits in g"},
        {"preemptsLast borrowsLast borrowsLeast", "preempts in f"},
        {"borrowsLast", "preempts in f"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct workload_kit kit;
        uint32_t load;

        open_with_both(&kit, rows[i].policy);
        load = workload_find(kit.kit.engine, text_of("default"), text_of("load"));
        is_str(chosen(&kit, kit_claim(&kit.kit, "pod")), rows[i].want, "a pod%s%s",
               *rows[i].policy == '\0' ? "" : ", ", rows[i].policy);
        is_str(chosen(&kit, load), rows[i].want, "so does a workload");
        workload_kit_close(&kit);
    }
}

static void test_who_yields(void)
{
    struct workload_kit kit;

    open_with_both(&kit, "");
    kit_do(&kit.kit, "pod pod cluster=c cpu=3 priority=1 foreign yields");
    is_str(chosen(&kit, kit_claim(&kit.kit, "pod")), "fits in g", "who sends nobody away goes on");
    workload_kit_close(&kit);
}

int main(void)
{
    test_alike();
    test_who_yields();
    return tap_done();
}
