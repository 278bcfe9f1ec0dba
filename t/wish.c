/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/wish.h"

#include "t/load_kit.h"
#include "t/tap.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

int main(void)
{
    struct load_kit kit;
    struct engine *e;
    uint32_t queue, first;

    load_kit_open(&kit, "");
    load_kit_do(&kit, world);
    e = kit.kit.engine;
    load_kit_do(&kit, "add a queue=l cpu=4; add b queue=l cpu=2; add d queue=l cpu=2; "
                      "add g queue=l cpu=3");
    queue = kit_queue(&kit.kit, "cluster/c");
    is_int(slab_count(&e->wishes), 3, "who asks for the same has the same wish");
    ok(wish_first(e, queue, queue_at(e, queue)->bay.change) == 0, "all of them were refused");
    first = wish_first(e, queue, queue_at(e, queue)->bay.change + 1);
    ok(wish_at(e, first)->head == load_find(e, text_of("default"), text_of("b")),
       "the first is asked first, after the next change");
    wish_refuse(e, first, queue_at(e, queue)->bay.change + 1);
    ok(wish_at(e, wish_first(e, queue, queue_at(e, queue)->bay.change + 1))->head ==
           load_find(e, text_of("default"), text_of("g")),
       "refused it is passed over");
    wish_at(e, first)->refused = queue_at(e, queue)->bay.change;
    tree_refresh(&wishes_by_head, e, first);
    load_kit_do(&kit, "remove a");
    is_str(load_kit_state(&kit, "b"), "admitted f", "a change wakes them");
    is_str(load_kit_state(&kit, "d"), "admitted f", "both");
    load_kit_do(&kit, "remove b; remove d; add h queue=l cpu=1 selects=no:where");
    is_str(load_kit_state(&kit, "h"), "admitted f", "labels that no flavor has are nobody's");
    load_kit_close(&kit);
    return tap_done();
}
