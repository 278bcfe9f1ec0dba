/* SPDX-License-Identifier: Apache-2.0 */

/* Members that ended. */
#include "plugin/finished.h"
#include "t/engine_kit.h"
#include "t/tap.h"

int main(void)
{
    const struct group *group;
    struct kit kit;

    kit_open(&kit, "");
    kit_do(&kit, "queue q; group g; pod a queue=q group=g finished; pod b queue=q group=g failed;"
                 "pod c queue=q finished; pod a queue=q group=g finished");
    group = group_at(kit.engine, group_find(kit.engine, text_of("default"), text_of("g")));
    is_int(group->succeeded, 1, "who has succeeded counts, once");
    is_int(group->failed, 1, "who has failed, too");
    is_int(finished_find(kit.engine, text_of("c")), 0, "a lone pod is forgotten");
    is_int(engine_count_pods(kit.engine), 0, "none of them claims anything");
    kit_do(&kit, "pod a queue=q group=g");
    is_int(group->succeeded, 0, "who is alive after all has not ended");
    kit_do(&kit, "lose-pod a; lose-pod b");
    is_int(group->failed, 0, "whose object is gone does not count");
    kit_close(&kit);
    return tap_done();
}
