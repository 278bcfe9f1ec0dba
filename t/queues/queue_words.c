/* SPDX-License-Identifier: Apache-2.0 */

/* The hashes of what a queue's status says: another state, and other counts, are told apart. */
#include "plugin/queues/queue_words.h"

#include "plugin/queues/queue_tree.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static struct queue_words words(void)
{
    return queue_words_of(kit.engine, kit_queue(&kit, "q"));
}

static void differ(const char *line, bool stop, bool counts, const char *why)
{
    struct queue_words before = words();

    kit_do(&kit, line);
    ok((words().stop != before.stop) == stop && (words().counts != before.counts) == counts, "%s",
       why);
}

int main(void)
{
    kit_open(&kit, "writes");
    kit_do(&kit, "queue q cpu=9 state=Open uid=u");
    ok(words().stop != 0, "what is said is never nothing");
    differ("pod a queue=q cpu=2", false, true, "a claim more");
    differ("pod b queue=q cpu=20", false, true, "one that waits");
    differ("queue q cpu=12 state=Open uid=u", false, false, "a quota alone is no word");
    differ("command 1 q CloseQueue", true, false, "a state is a word of its own");
    differ("lose-pod b", false, true, "one less");
    kit_close(&kit);
    return tap_done();
}
