/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/queues/queue_spec.h"

#include "plugin/base/facts.h"
#include "t/kit/tap.h"

/* A ClusterQueue of one group: cpu in the flavors f and g. */
struct object {
    struct flavor_quota quotas[2];
    struct group_flavor flavors[2];
    struct resource_group group;
    struct queue_check_facts check;
    struct queue_facts facts;
};

static void set(struct object *object)
{
    *object = (struct object){
        .quotas = {{.resource = text_of("cpu"), .nominal = 4}, {.resource = text_of("cpu")}},
        .flavors = {{text_of("f"), 1, &object->quotas[0]}, {text_of("g"), 1, &object->quotas[1]}},
        .group = {.resource_count = 1, .flavor_count = 2, .flavors = object->flavors},
        .facts = {.kind = QUEUE_CLUSTER, .parent = text_of("all"), .group_count = 1},
    };
    object->group.resources[0] = text_of("cpu");
    object->facts.groups = &object->group;
    object->facts.checks = &object->check;
}

int main(void)
{
    struct object object;
    uint64_t hash;

    set(&object);
    hash = queue_spec(&object.facts);
    ok(hash != 0, "every spec has a hash");
    object.facts.version = 7;
    object.facts.state = text_of("Closed");
    object.facts.stop = QUEUE_SUSPENDED;
    ok(queue_spec(&object.facts) == hash, "the version and the state are no part of it");

#define DIFFERS(edit, what)                                                                        \
    do {                                                                                           \
        set(&object);                                                                              \
        edit;                                                                                      \
        ok(queue_spec(&object.facts) != hash, "%s is", what);                                      \
    } while (0)
    DIFFERS(object.facts.parent = text_of("al"), "the parent");
    DIFFERS(object.facts.strict = true, "the order");
    DIFFERS(object.facts.borrows_last = true, "whenCanBorrow");
    DIFFERS(object.facts.preempts_last = true, "whenCanPreempt");
    DIFFERS(object.facts.borrows_least = true, "preference");
    DIFFERS(object.facts.check_count = 1, "an admission check");
    DIFFERS(object.facts.preempts.reclaim = PREEMPT_ANY, "whose room it takes");
    DIFFERS(object.facts.preempts.has_threshold = true, "up to which priority");
    DIFFERS(object.facts.group_count = 0, "a group");
    DIFFERS(object.group.resources[0] = text_of("gpu"), "what it covers");
    DIFFERS(object.group.flavor_count = 1, "the number of flavors");
    DIFFERS(object.flavors[1].name = text_of("h"), "a flavor");
    DIFFERS(object.quotas[0].nominal = 5, "a quota");
    DIFFERS(object.quotas[1].has_borrowing = true, "a borrowing limit of 0");
    DIFFERS(object.quotas[1].has_lending = true, "a lending limit of 0");
    DIFFERS((object.flavors[0].name = text_of("g"), object.flavors[1].name = text_of("f")),
            "the order of flavors");
    DIFFERS((object.facts.deserved.count = 1, object.facts.deserved.item[0].amount = 1),
            "a share of Volcano's");

    set(&object);
    object.facts.check_count = 1;
    hash = queue_spec(&object.facts);
    object.check.name = text_of("k");
    ok(queue_spec(&object.facts) != hash, "the name of a check is");
    hash = queue_spec(&object.facts);
    object.check.flavor_count = 1;
    ok(queue_spec(&object.facts) != hash, "the flavors that it is for are");
    return tap_done();
}
