/* SPDX-License-Identifier: Apache-2.0 */

/* Each comparison of amounts in a tree of queues, from both of its ends, and one resource apart
 * from the other. */
#include "plugin/queues/queue_amounts.h"

#include "plugin/admit.h"
#include "t/kit/engine_kit.h"
#include "t/kit/engine_kit_words.h"
#include "t/kit/tap.h"

static struct kit kit;
static char reason[QUEUE_REFUSAL_MAX];

static void refused(const char *words, const char *why)
{
    static struct words_queue facts;

    ok(words_to_queue(words, QUEUE_VOLCANO, &facts), "%s", words);
    ok(!engine_admit_queue(kit.engine, &facts.queue, reason), "is refused");
    is_str(reason, why, "and says why");
}

static void allowed(const char *words)
{
    static struct words_queue facts;

    ok(words_to_queue(words, QUEUE_VOLCANO, &facts), "%s", words);
    reason[0] = '\0';
    ok(engine_admit_queue(kit.engine, &facts.queue, reason), "is allowed");
    is_str(reason, "", "without a word");
}

static void test_itself(void)
{
    refused("q guarantee.gpu=1",
            "spec.guarantee.resource.gpu is 1, which is more than spec.deserved.gpu, 0: "
            "it is not set");
    refused("q deserved.cpu=4 guarantee.cpu=4 guarantee.gpu=1",
            "spec.guarantee.resource.gpu is 1, which is more than spec.deserved.gpu, 0: "
            "it is not set");
    refused("q deserved.gpu=0 guarantee.gpu=1",
            "spec.guarantee.resource.gpu is 1, which is more than spec.deserved.gpu, 0");
    refused("q cpu=8 gpu=1 deserved.cpu=8 deserved.gpu=2",
            "spec.deserved.gpu is 2, which is more than spec.capability.gpu, 1");
    allowed("q guarantee.gpu=0");
    allowed("q cpu=1 deserved.gpu=2 guarantee.gpu=2");
    allowed("q deserved.gpu=2 guarantee.gpu=1");
}

/* What is edited is above those that it must agree with. */
static void test_lowered(void)
{
    kit_open(&kit, "");
    kit_do(&kit,
           "queue p cpu=9 gpu=9; queue most parent=p gpu=8; queue share parent=p deserved.gpu=7;"
           "queue kept parent=p deserved.gpu=7 guarantee.gpu=6; queue middle parent=p;"
           "queue deep parent=middle deserved.cpu=5");
    refused("p cpu=9 gpu=7",
            "queue most is below it, whose spec.capability.gpu is 8, which is more "
            "than spec.capability.gpu, 7");
    kit_do(&kit, "lose-queue most");
    allowed("p cpu=9 gpu=7");
    refused("p cpu=4 gpu=7", "queue deep is below it, whose spec.deserved.cpu is 5m, which is more "
                             "than spec.capability.cpu, 4m");
    allowed("p cpu=5 gpu=7");
    kit_do(&kit, "lose-queue share; queue kept parent=p guarantee.gpu=6");
    refused("p cpu=9 gpu=5",
            "queue kept is below it, whose spec.guarantee.resource.gpu is 6, which "
            "is more than spec.capability.gpu, 5");
    allowed("p cpu=5 gpu=6");
    allowed("p gpu=6");
    allowed("p");
    kit_do(&kit, "queue middle parent=p cpu=5");
    refused("middle parent=p cpu=4",
            "queue deep is below it, whose spec.deserved.cpu is 5m, which is "
            "more than spec.capability.cpu, 4m");
    refused("p cpu=4",
            "queue middle is below it, whose spec.capability.cpu is 5m, which is more than "
            "spec.capability.cpu, 4m");
    kit_close(&kit);
}

/* Those below come to be bound by another queue: it is moved, or sets nothing any more. */
static void test_bound_by_another(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue wide cpu=9; queue narrow cpu=3; queue q parent=wide;"
                 "queue a parent=q deserved.cpu=4; queue b parent=wide cpu=8");
    refused("q parent=narrow",
            "queue a is below it, whose spec.deserved.cpu is 4m, which is more than "
            "spec.capability.cpu of queue narrow, 3m");
    allowed("q parent=wide cpu=4");
    allowed("q");
    kit_do(&kit, "queue q cpu=2; queue a parent=q deserved.cpu=4");
    allowed("q cpu=2 gpu=1");
    allowed("q cpu=3");
    refused("q cpu=1", "queue a is below it, whose spec.deserved.cpu is 4m, which is more than "
                       "spec.capability.cpu, 1m");
    kit_do(&kit, "queue q cpu=2 parent=narrow");
    allowed("q parent=narrow");
    kit_close(&kit);
}

static void test_sums(void)
{
    kit_open(&kit, "");
    kit_do(&kit, "queue p deserved.gpu=6 guarantee.gpu=4 deserved.cpu=1; "
                 "queue a parent=p deserved.gpu=4 guarantee.gpu=2");
    refused("b parent=p deserved.gpu=3",
            "the sum of the children's spec.deserved.gpu is 7, which is "
            "more than spec.deserved.gpu of queue p, 6");
    refused("p deserved.gpu=3 guarantee.gpu=3",
            "the sum of the children's spec.deserved.gpu is 4, which is more than "
            "spec.deserved.gpu, 3");
    refused("p deserved.gpu=6 guarantee.gpu=1",
            "the sum of the children's spec.guarantee.resource.gpu is 2, which is more than "
            "spec.guarantee.resource.gpu, 1");
    allowed("b parent=p deserved.gpu=2 guarantee.gpu=2 deserved.cpu=1");
    kit_close(&kit);
}

int main(void)
{
    kit_open(&kit, "");
    test_itself();
    kit_close(&kit);
    test_lowered();
    test_bound_by_another();
    test_sums();
    return tap_done();
}
