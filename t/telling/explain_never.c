/* SPDX-License-Identifier: Apache-2.0 */

/* Why something can never be granted: which amount of whose is too much for which queue. */
#include "plugin/telling/explain_never.h"

#include "plugin/base/sentence.h"
#include "plugin/state.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static void says(const char *words, const char *pod, const char *message, const char *what)
{
    char out[VERDICT_MESSAGE_MAX];
    struct sentence say;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, words);
    sentence_init(&say, out, sizeof(out));
    explain_never(&say, kit.engine, kit_claim(&kit, pod));
    is_str(out, message, "%s", what);
    kit_close(&kit);
}

int main(void)
{
    says("queue p cpu=1; queue q parent=p cpu=9; pod used queue=q cpu=1; pod a queue=q cpu=2", "a",
         "the pod asks for 2m cpu, and queue p may never have more than 1m",
         "the queue above, whatever is used");
    says("queue p cpu=9; queue q parent=p cpu=3; pod a queue=q cpu=4", "a",
         "the pod asks for 4m cpu, and queue q may never have more than 3m", "the queue itself");
    says("flavor f; cluster c group=cpu,pods flavor=f cpu=3 pods=9; pod a cluster=c cpu=1 gpu=1",
         "a", "the pod asks for 1 gpu, and cluster queue c may never have more than 0",
         "a resource that nobody gave it");
    says("flavor f; flavor g; cluster c group=cpu,memory,pods flavor=f cpu=3 memory=1 pods=9 "
         "flavor=g cpu=1 memory=3 pods=9; pod a cluster=c cpu=2 memory=2",
         "a",
         "the pod asks for more of some resource than any one flavor of cluster queue c may ever "
         "have beside the others",
         "each resource fits, but nowhere both");
    says("queue p cpu=9 memory=9; queue q parent=p cpu=9 memory=1; pod a queue=q cpu=1 memory=2",
         "a", "the pod asks for 2 memory, and queue q may never have more than 1",
         "the resource that is too much");
    return tap_done();
}
