/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/telling/explain_workload.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

#include "plugin/telling/report.h"

#include <stdio.h>

/* The reason and the words for whoever asks about a workload. */
static const char *why(struct workload_kit *kit, const char *name)
{
    struct engine *e = kit->kit.engine;
    static struct workload_report report;
    static char text[VERDICT_MESSAGE_MAX + 64];

    engine_report_workload(e, engine_find_workload(e, text_of("default"), text_of(name)), false,
                           &report);
    snprintf(text, sizeof(text), "%s: %s", report.reason, report.message);
    return text;
}

/* What stops its queues is told in the words that pods have. */
static void test_queues(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; add a queue=l cpu=1");
    is_str(why(&kit, "a"), "QueueUnknown: local queue l does not exist", "no LocalQueue");
    workload_kit_do(&kit, "local l cluster=c");
    is_str(why(&kit, "a"), "QueueUnknown: cluster queue c does not exist", "no ClusterQueue");
    workload_kit_do(&kit, "cluster c hold group=cpu flavor=f cpu=1");
    is_str(why(&kit, "a"), "QueueSuspended: cluster queue c is suspended", "a stopped one");
    workload_kit_do(&kit, "cluster c group=cpu flavor=g cpu=1");
    is_str(why(&kit, "a"), "QueueInactive: cluster queue c names the flavor g, which is not there",
           "one without its flavor");
    workload_kit_do(&kit, "cluster c check=k group=cpu flavor=f cpu=1");
    is_str(why(&kit, "a"),
           "QueueInactive: cluster queue c names the admission check k, which is not there",
           "one without its check");
    workload_kit_do(&kit, "check k inactive");
    is_str(why(&kit, "a"),
           "QueueInactive: cluster queue c names the admission check k, which is not active",
           "a check of which nobody takes care");
    workload_kit_do(&kit, "cluster c group=cpu flavor=f cpu=0; local l cluster=c unselected");
    is_str(why(&kit, "a"),
           "NamespaceNotSelected: the namespaceSelector of cluster queue c does not select "
           "namespace default",
           "a namespace that is not wanted");
    workload_kit_do(&kit, "local l cluster=c hold");
    is_str(why(&kit, "a"), "QueueSuspended: local queue l is stopped", "a stopped LocalQueue");
    workload_kit_do(&kit, "local l cluster=c");
    is_str(why(&kit, "a"), "NoFlavor: no flavor suits its pods and could ever have so much",
           "at last it is asked");
    workload_kit_close(&kit);
}

static void test_itself(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor f; check k; cluster c check=k group=cpu flavor=f cpu=2; "
                          "local l cluster=c; add a queue=l cpu=2; add b queue=l cpu=1");
    is_str(why(&kit, "a"), "AdmissionChecks: not ready: k", "who has quota waits for its checks");
    is_str(why(&kit, "b"),
           "QueueCapacity: cluster queue c has room for 0 more cpu in flavor f, pod set main asks "
           "for 1m",
           "the next one for quota");
    workload_kit_do(&kit, "follow");
    is_str(why(&kit, "b"), "NotReady: this scheduler does not lead", "or for who leads");
    workload_kit_close(&kit);
}

/* A flavor on whose nodes its pods cannot be is none that it lacks something of. */
static void test_flavors(void)
{
    struct workload_kit kit;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, "flavor t label=zone:a; flavor f label=zone:b; "
                          "cluster c group=cpu flavor=t cpu=4 flavor=f cpu=1; local l cluster=c; "
                          "add a queue=l cpu=1 selects=zone:b; add b queue=l cpu=1 selects=zone:b");
    is_str(why(&kit, "b"),
           "QueueCapacity: cluster queue c has room for 0 more cpu in flavor f, pod set main asks "
           "for 1m",
           "the first flavor that it could be in is named");
    workload_kit_close(&kit);
}

int main(void)
{
    test_queues();
    test_itself();
    test_flavors();
    return tap_done();
}
