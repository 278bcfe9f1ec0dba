/* SPDX-License-Identifier: Apache-2.0 */

/* Which queues may be created, changed and deleted, and what the refusals say. */
#include "plugin/queues/queue_admit.h"

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
    if (!engine_admit_queue(kit.engine, &facts.queue, reason))
        is_str(reason, "", "is allowed");
}

static void test_itself(void)
{
    refused("q gpu=2 deserved.gpu=3",
            "spec.deserved.gpu is 3, which is more than spec.capability.gpu, 2");
    refused("q deserved.gpu=1 guarantee.gpu=3",
            "spec.guarantee.resource.gpu is 3, which is more than spec.deserved.gpu, 1");
    refused("q gpu=2 guarantee.gpu=3",
            "spec.guarantee.resource.gpu is 3, which is more than spec.capability.gpu, 2");
    allowed("q cpu=0 deserved.cpu=3");
    allowed("q gpu=3 deserved.gpu=3 guarantee.gpu=3 suspended");
    allowed("root gpu=1");
}

static void test_tree(void)
{
    kit_do(&kit, "queue p gpu=8 deserved.gpu=6 guarantee.gpu=4;"
                 "queue a parent=p deserved.gpu=4 guarantee.gpu=2; queue b parent=a");
    refused("q parent=p gpu=9",
            "spec.capability.gpu is 9, which is more than spec.capability.gpu of queue p, 8");
    refused("q parent=b deserved.gpu=9",
            "spec.deserved.gpu is 9, which is more than spec.capability.gpu of queue p, 8");
    refused("q parent=p deserved.gpu=3",
            "the sum of the children's spec.deserved.gpu is 7, which is more than "
            "spec.deserved.gpu of queue p, 6");
    refused("q parent=p guarantee.gpu=3",
            "the sum of the children's spec.guarantee.resource.gpu is 5, which is more than "
            "spec.guarantee.resource.gpu of queue p, 4");
    refused("p gpu=8 deserved.gpu=3",
            "the sum of the children's spec.deserved.gpu is 4, which is more than "
            "spec.deserved.gpu, 3");
    allowed("a parent=p deserved.gpu=6 guarantee.gpu=4");
    refused("q parent=nowhere", "spec.parent is nowhere, which does not exist: create it first");
    refused("p parent=b",
            "spec.parent is b, which is this queue or below it: parents must not go round");
    refused("q2 parent=q2", "spec.parent is q2, which does not exist: create it first");
    kit_do(&kit, "queue l1; queue l2 parent=l1; queue l3 parent=l2; queue l4 parent=l3;"
                 "queue l5 parent=l4; queue l6 parent=l5; queue l7 parent=l6; queue l8 parent=l7");
    refused("l9 parent=l8", "spec.parent is l8, which makes 9 levels of queues, more than 8");
    refused("l1 parent=p", "spec.parent is p, which makes 9 levels of queues, more than 8");
    allowed("new parent=l7");
    kit_do(&kit, "pod x queue=new cpu=1; pod y queue=l8 cpu=1; queue other");
    refused("q parent=new", "spec.parent is new, which does not exist: create it first");
    kit_do(&kit, "queue new");
    refused("q parent=new", "spec.parent is new, which has 1 pod in it: pods go into queues that "
                            "have none below them");
    refused("other parent=new",
            "spec.parent is new, which has 1 pod in it: pods go into queues that "
            "have none below them");
    allowed("l8 parent=l7");
    kit_do(&kit, "lose-pod x; lose-pod y");
    allowed("q parent=new");
    kit_do(&kit, "lose-queue new; lose-queue other");
}

static void stays(const char *name, const char *why)
{
    ok(!engine_admit_queue_deletion(kit.engine, text_of(name), reason), "%s stays", name);
    is_str(reason, why, "and it is said why");
}

static void test_deletion(void)
{
    kit_do(&kit, "pod x queue=b gpu=1; pod y queue=b gpu=1");
    stays("root", "queue root is built in: it cannot be deleted");
    stays("default", "queue default is built in: it cannot be deleted");
    stays("p", "queue p has queues below it, as a: delete those first");
    stays("b", "queue b has 2 pods in it: close it, and wait until it is Closed");
    kit_do(&kit, "lose-pod x; lose-pod y");
    ok(engine_admit_queue_deletion(kit.engine, text_of("b"), reason), "empty it may go");
    ok(engine_admit_queue_deletion(kit.engine, text_of("nobody"), reason), "or was never there");
}

int main(void)
{
    kit_open(&kit, "writes");
    test_itself();
    test_tree();
    test_deletion();
    kit_close(&kit);
    return tap_done();
}
