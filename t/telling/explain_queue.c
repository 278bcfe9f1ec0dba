/* SPDX-License-Identifier: Apache-2.0 */

/* Which queue stops a claim, and whose doing that is. */
#include "plugin/telling/explain_queue.h"

#include "plugin/base/sentence.h"
#include "plugin/state.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void stops(const char *words, const char *pod, const char *reason, const char *message)
{
    char out[VERDICT_MESSAGE_MAX];
    struct sentence say;
    enum reason is;
    struct kit kit;
    uint32_t queue;

    kit_open(&kit, "");
    kit_do(&kit, words);
    queue = claim_queue(kit.engine, kit_claim(&kit, pod));
    is = queue_stops(kit.engine, queue);
    sentence_init(&say, out, sizeof(out));
    explain_halt(&say, kit.engine, queue, is);
    is_str(reason_name(is), reason, "%s: the reason", message);
    is_str(out, message, "and the words");
    kit_close(&kit);
}

static void test_not_selected(void)
{
    char out[VERDICT_MESSAGE_MAX];
    struct sentence say;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; pod a queue=q cpu=1");
    sentence_init(&say, out, sizeof(out));
    explain_not_selected(&say, kit.engine, claim_queue(kit.engine, kit_claim(&kit, "a")),
                         claim_at(kit.engine, kit_claim(&kit, "a"))->space);
    is_str(out, "queue q is not for namespace default", "for whom it is not");
    kit_close(&kit);
}

int main(void)
{
    stops("pod a queue=q cpu=1", "a", "QueueUnknown", "queue q does not exist");
    stops("queue q parent=p; pod a queue=q cpu=1", "a", "QueueUnknown", "queue p does not exist");
    stops("queue p; queue q parent=p; pod a queue=p cpu=1", "a", "QueueInactive",
          "queue p has queues below it: only leaves hold pods");
    stops("queue p state=Suspended; queue q parent=p; pod a queue=q cpu=1", "a", "QueueSuspended",
          "queue p is suspended");
    stops("queue q state=Closed; pod a queue=q cpu=1", "a", "QueueClosed", "queue q is closed");
    test_not_selected();
    return tap_done();
}
