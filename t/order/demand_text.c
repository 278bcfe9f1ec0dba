/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/order/demand_text.h"

#include "t/kit/tap.h"
#include "t/kit/workload_kit.h"

static const char *const world = "flavor f; cluster c within=lower group=cpu flavor=f cpu=4; "
                                 "local l cluster=c";

int main(void)
{
    struct workload_kit kit;
    struct engine *e;
    struct workload_object *object;
    uint32_t one, other;

    workload_kit_open(&kit, "");
    workload_kit_do(&kit, world);
    workload_kit_do(&kit, "add a queue=l cpu=4 selects=key:value count=1");
    e = kit.kit.engine;
    object = &kit.objects[0];
    object->set.requests.count = 2;
    object->set.requests.item[0] = (struct named_amount){text_of("cpu"), 4};
    object->set.requests.item[1] = (struct named_amount){text_of("gpu"), 1};
    is_int(demand_text(e, &object->facts, &one), 0, "a text of it");
    object->set.requests.item[1] = (struct named_amount){text_of("cpu"), 4};
    object->set.requests.item[0] = (struct named_amount){text_of("gpu"), 1};
    is_int(demand_text(e, &object->facts, &other), 0, "in another order");
    is_int(one, other, "is the same");
    intern_unref(&e->names, other);
    object->set.count = 2;
    is_int(demand_text(e, &object->facts, &other), 0, "of two pods");
    ok(one != other, "is another");
    intern_unref(&e->names, one);
    intern_unref(&e->names, other);
    ok(text_is(demand_at(e, workload_at(e, 1)->demand)->set_details[0].placement.selector[0].value,
               "value"),
       "what was written is read");
    workload_kit_close(&kit);
    return tap_done();
}
