/* SPDX-License-Identifier: Apache-2.0 */

/* What a pod's owner is told, when, and how often. */
#include "plugin/claims/news.h"

#include "t/kit/engine_kit_effects.h"
#include "t/kit/tap.h"

#include <stdio.h>
#include <string.h>

static struct kit kit;
static char heard[400];

/* What goes out, and is carried out: "pod Reason", and of what was told before "pod Reason again".
 */
static const char *told(void)
{
    struct effect effect;

    heard[0] = '\0';
    for (int kind = kit_lease(&kit, &effect); kind >= 0; kind = kit_lease(&kit, &effect)) {
        size_t at = strlen(heard);

        if (kind == EFFECT_EVENT)
            snprintf(heard + at, sizeof(heard) - at, "%s%.*s %s%s", at > 0 ? ", " : "",
                     (int)effect.uid.len, effect.uid.at, reason_name(effect.reason),
                     effect.again ? " again" : "");
        outbox_ack(engine_outbox(kit.engine), effect.id, EFFECT_DONE, 0);
    }
    return heard;
}

static void test_causes(void)
{
    static const struct {
        const char *words, *tells, *why;
    } causes[] = {
        {"pod a queue=nowhere cpu=1", "a QueueUnknown", "a queue that is not there"},
        {"queue p; queue q parent=p; pod a queue=p cpu=1", "a QueueInactive", "no leaf"},
        {"queue q cpu=1; pod a queue=q cpu=2", "a NeverFits", "more than it may ever have"},
        {"queue q; pod a queue=q cpu=1 outside", "a NamespaceNotSelected", "not for its like"},
        {"queue q; pod a queue=q cpu=1 missing=claim/c", "a ClaimMissing", "no such claim"},
        {"queue q; pod a queue=q cpu=1 group=g", "a GroupMissing", "no such group"},
        {"queue q; pod a queue=q cpu=1 min=-1 owner=o", "a GroupInvalid", "no minimum"},
        {"queue q; group g min=2; pod a queue=q cpu=1 group=g", "a GroupIncomplete", "too few"},
        {"queue q cpu=1; group g min=2; pod a queue=q cpu=1 group=g; pod b queue=q cpu=1 group=g",
         "a NeverFits, b NeverFits", "a gang that is too large"},
    };

    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        kit_open(&kit, "writes tells");
        kit_do(&kit, "time 100");
        kit_do(&kit, causes[i].words);
        is_str(told(), "", "%s: not at once", causes[i].why);
        kit_do(&kit, "time 109");
        is_str(told(), "", "nor soon");
        kit_do(&kit, "time 110");
        is_str(told(), causes[i].tells, "but when it has stood for a while");
        kit_do(&kit, "time 9999");
        is_str(told(), "", "and once");
        kit_close(&kit);
    }
}

static void test_at_once(void)
{
    kit_open(&kit, "writes tells");
    kit_do(&kit, "queue q state=Suspended; queue r state=Closed;"
                 "pod a queue=q cpu=1; pod b queue=r cpu=1");
    is_str(told(), "a QueueSuspended, b QueueClosed", "what somebody wanted so is told at once");
    kit_close(&kit);
}

static void test_who_only_waits(void)
{
    kit_open(&kit, "writes tells");
    kit_do(&kit, "queue q cpu=1; pod a queue=q cpu=1; pod b queue=q cpu=1; pod c queue=q cpu=1;"
                 "time 50");
    is_str(told(), "", "who waits for room is told nothing");
    kit_do(&kit, "lose-pod a");
    is_str(told(), "", "nor that it was granted, if that was soon");
    kit_do(&kit, "time 320");
    is_str(told(), "", "however long it waits");
    kit_do(&kit, "lose-pod b");
    is_str(told(), "c Granted", "but then the grant");
    kit_do(&kit, "time 2000; pod c queue=q cpu=1 node=n");
    is_str(told(), "", "once");
    kit_close(&kit);
}

static void test_mended_in_time(void)
{
    kit_open(&kit, "writes tells");
    kit_do(&kit, "pod a queue=q cpu=1; pod b queue=r cpu=1; time 9; queue q; time 20");
    is_str(told(), "b QueueUnknown", "who has its queue in time is told nothing");
    kit_do(&kit, "queue r");
    is_str(told(), "b Granted again", "who was told hears of the end");
    kit_close(&kit);
}

/* Members that still arrive are no reason to worry their owner. */
static void test_group_that_grows(void)
{
    kit_open(&kit, "writes tells");
    kit_do(&kit, "queue q; group g min=4; pod a queue=q cpu=1 group=g; time 9;"
                 "pod b queue=q cpu=1 group=g; time 18; pod c queue=q cpu=1 group=g; time 27");
    is_str(told(), "", "nobody is told while members come");
    kit_do(&kit, "time 28");
    is_str(told(), "a GroupIncomplete, b GroupIncomplete, c GroupIncomplete",
           "but when none has come for a while");
    kit_do(&kit, "pod d queue=q cpu=1 group=g");
    is_str(told(), "a Granted again, b Granted again, c Granted again",
           "and who was told, of the grant");
    kit_close(&kit);
}

static void test_another_cause(void)
{
    kit_open(&kit, "writes tells");
    kit_do(&kit, "pod a queue=q cpu=2; time 20");
    is_str(told(), "a QueueUnknown", "one cause");
    kit_do(&kit, "queue q cpu=1; time 40");
    is_str(told(), "a NeverFits again", "gives way to another one");
    kit_do(&kit, "lose-queue q; time 45; queue q cpu=1; time 60");
    is_str(told(), "", "which is not told again after what nobody was told of");
    kit_do(&kit, "lose-queue q; time 80");
    is_str(told(), "a QueueUnknown again", "the first one comes back");
    kit_do(&kit, "queue q cpu=2; time 90");
    is_str(told(), "a Granted again", "and is over");
    kit_close(&kit);
}

/* A ceiling that is edited. */
static void test_ceilings(void)
{
    kit_open(&kit, "writes tells");
    kit_do(&kit, "queue p cpu=4; queue q parent=p; pod a queue=q cpu=4; pod b queue=q cpu=3;"
                 "pod c queue=q cpu=1; time 20");
    is_str(told(), "", "all could fit");
    kit_do(&kit, "queue p cpu=2; time 40");
    is_str(told(), "a NeverFits, b NeverFits", "an edit further up leaves too little");
    kit_do(&kit, "queue p cpu=4; time 60; queue p cpu=2; time 80");
    is_str(told(), "a NeverFits again, b NeverFits again",
           "what was over, and comes back, is told again");
    kit_close(&kit);
}

static void test_nodes_are_no_ceiling(void)
{
    kit_open(&kit, "writes tells root=cluster");
    kit_do(&kit, "queue q; node n cpu=1; pod a queue=q cpu=2; time 100");
    is_str(told(), "", "nodes come and go");
    kit_close(&kit);
}

static void test_restart(void)
{
    kit_open(&kit, "writes tells");
    kit_do(&kit, "pod a queue=q cpu=1; time 20; follow; time 50; lead");
    is_str(told(), "a QueueUnknown", "who begins to lead tells what stands");
    kit_do(&kit, "follow; lead; time 99");
    is_str(told(), "", "not what this engine has told already");
    kit_close(&kit);
}

/* A host of an older version. */
static void test_without(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit,
           "queue q state=Suspended; pod a queue=q cpu=1; pod b queue=nowhere cpu=1; time 99");
    is_str(told(), "a QueueSuspended", "a host that did not ask hears of suspended queues alone");
    kit_close(&kit);
}

int main(void)
{
    test_causes();
    test_at_once();
    test_who_only_waits();
    test_mended_in_time();
    test_group_that_grows();
    test_another_cause();
    test_ceilings();
    test_nodes_are_no_ceiling();
    test_restart();
    test_without();
    return tap_done();
}
