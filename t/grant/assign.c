/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/assign.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>
#include <stdlib.h>

/* A question, and who knows the victims: "FLAVOR/RES=HOW,HEIGHT ..." */
struct question {
    const struct kit *kit;
    struct assign_set sets[ASSIGN_MAX_SETS];
    struct assign_ask ask;
    const char *victims;
    uint32_t most; /* there are victims for no more pods of the first set than this */
    struct assignment answer;
    char text[1000];
};

static enum assign_how victims_of(void *ctx, uint16_t flavor, uint32_t resource, wide amount,
                                  uint32_t *ret_height)
{
    static const char *const hows[] = {"", "none", "preempt", "reclaim"};
    const struct question *q = ctx;
    char key[100];
    const char *at;

    (void)amount;
    snprintf(key, sizeof(key), "%s/%s=", flavor_name(q->kit->engine, flavor).at,
             name_text(q->kit->engine, resource).at);
    at = strstr(q->victims, key);
    for (int how = ASSIGN_NO_VICTIMS; at != NULL && how <= ASSIGN_RECLAIMS; how++) {
        size_t len = strlen(hows[how]);

        if (strncmp(at + strlen(key), hows[how], len) == 0) {
            *ret_height = (uint32_t)atoi(at + strlen(key) + len + 1);
            return (enum assign_how)how;
        }
    }
    return ASSIGN_NO_VICTIMS;
}

static bool victims_of_all(void *ctx, const struct assignment *assignment)
{
    const struct question *q = ctx;

    return assignment->counts[0] <= q->most;
}

static void question_open(struct question *q, const struct kit *kit, const char *victims)
{
    *q = (struct question){.kit = kit, .victims = victims};
    q->ask = (struct assign_ask){.e = kit->engine,
                                 .queue = kit_queue(kit, "cluster/c"),
                                 .victims = {q, victims_of, victims_of_all},
                                 .sets = q->sets};
}

static struct queue *queue_of(const struct question *q)
{
    return queue_at(q->ask.e, q->ask.queue);
}

static struct assign_set *add_set(struct question *q, uint32_t count, uint32_t minimum,
                                  const char *needs)
{
    struct assign_set *set = &q->sets[q->ask.set_count++];

    *set = (struct assign_set){.count = count, .minimum = minimum};
    while (*needs != '\0') {
        char resource[50];
        int amount, len;

        sscanf(needs, " %49[^=]=%d%n", resource, &amount, &len);
        needs += len;
        set->needs[set->need_count++] = (struct request){kit_resource(q->kit, resource), amount};
    }
    return set;
}

static const char *const words[] = {"no", "none", "preempt", "reclaim", "fit"};

/* "HOW HEIGHT: count RES=FLAVOR ...; ..." and what the next attempt begins with. */
static const char *answer(struct question *q, bool ret_works)
{
    const struct assignment *a = &q->answer;
    size_t len = 0;

    ok(assign(&q->ask, &q->answer) == ret_works, ret_works ? "it works" : "it does not work");
    len = (size_t)snprintf(q->text, sizeof(q->text), "%s %u:", words[a->how], a->height);
    for (uint32_t s = 0; s < q->ask.set_count; s++) {
        len += (size_t)snprintf(q->text + len, sizeof(q->text) - len, "%s %u", s > 0 ? ";" : "",
                                a->counts[s]);
        for (uint32_t i = 0; i < q->sets[s].need_count; i++)
            len += (size_t)snprintf(q->text + len, sizeof(q->text) - len, " %s",
                                    flavor_name(q->kit->engine, a->needs[s][i].flavor).at);
    }
    return q->text;
}

static void test_first_that_fits(void)
{
    struct kit kit;
    struct question q;

    kit_open(&kit, "");
    kit_do(&kit, "flavor one; flavor two; flavor gpus; node n gpu=9 disk=1;"
                 "cluster c group=cpu,memory flavor=one cpu=4 memory=9 flavor=two cpu=8 memory=9 "
                 "group=gpu flavor=gpus gpu=3");
    question_open(&q, &kit, "");
    add_set(&q, 1, 1, "cpu=3 memory=1 gpu=2");
    is_str(answer(&q, true), "fit 0: 1 one one gpus", "the first flavor of each group");
    add_set(&q, 2, 2, "cpu=1 memory=1");
    is_str(answer(&q, true), "fit 0: 1 one one gpus; 2 two two",
           "a later pod set finds what the earlier one leaves, and takes all of a group from one");
    add_set(&q, 1, 1, "gpu=2");
    is_str(answer(&q, false), "no 0: 1 one one gpus; 2 two two; 1 ", "two ask for 4 of 3");
    question_open(&q, &kit, "");
    add_set(&q, 1, 1, "cpu=1 disk=1");
    is_str(answer(&q, false), "no 0: 1  ", "a resource that no group covers fits nowhere");
    question_open(&q, &kit, "");
    add_set(&q, 1, 1, "cpu=1 disk=0 pods=1");
    is_str(answer(&q, true), "fit 0: 1 one  ", "but none of it does, and pods are not counted");
    question_open(&q, &kit, "");
    add_set(&q, 0, 0, "cpu=1 disk=1");
    is_str(answer(&q, true), "fit 0: 0 one ", "and so does what no pod asks for");
    question_open(&q, &kit, "");
    add_set(&q, 1, 1, "cpu=1")->refused[0] = 1;
    is_str(answer(&q, true), "fit 0: 1 two", "a flavor whose nodes it cannot use is left out");
    kit_do(&kit, "lose-flavor two");
    is_str(answer(&q, false), "no 0: 1 ", "and so is one that was not seen");
    kit_close(&kit);
}

static void test_modes(void)
{
    struct kit kit;
    struct question q;

    kit_open(&kit, "");
    kit_do(&kit, "flavor one; flavor two; cluster c group=cpu,memory flavor=one cpu=4 memory=4 "
                 "flavor=two cpu=8 memory=8; pod x cluster=c cpu=3 memory=1 node=n stamp=1 "
                 "stamped=cpu=one,memory=one; pod y cluster=c cpu=8 memory=1 node=n stamp=1 "
                 "stamped=cpu=two,memory=two");
    question_open(&q, &kit, "one/cpu=preempt,0");
    q.most = 1;
    add_set(&q, 1, 1, "cpu=2 memory=1");
    is_str(answer(&q, true), "preempt 0: 1 one one", "as good as for the worst resource");
    is_int(q.answer.needs[0][1].how, ASSIGN_FITS, "of which the other fits");
    is_int(q.answer.next.place[0][0], 1, "whenCanPreempt may stop the search");
    ok(q.answer.goes_on, "which goes on behind it");
    queue_of(&q)->cluster.preempts_last = true;
    is_str(answer(&q, true), "preempt 0: 1 one one", "or look at the others");
    ok(!q.answer.goes_on, "and then it is through");
    q.victims = "one/cpu=preempt,0 two/cpu=reclaim,0";
    is_str(answer(&q, true), "reclaim 0: 1 two two", "reclaiming is better than preempting");
    queue_of(&q)->cluster.preempts_last = false;
    q.ask.from.place[0][0] = 1;
    is_str(answer(&q, true), "reclaim 0: 1 two two", "the next attempt begins where this one says");
    ok(!q.answer.goes_on, "and the one after it at the first again");
    q.ask.from.place[0][0] = 0;
    q.victims = "";
    is_str(answer(&q, true), "none 0: 1 one one", "nobody who could go is no end of the search");
    q.most = 0;
    is_str(answer(&q, false), "none 0: 1 one one", "and who needs victims and has none waits");
    add_set(&q, 1, 1, "cpu=9");
    is_str(answer(&q, false), "no 0: 1 one one; 1 ", "what is more than there ever is fits never");
    kit_close(&kit);
}

static void test_borrowing(void)
{
    struct kit kit;
    struct question q;

    kit_open(&kit, "");
    kit_do(&kit, "flavor one; flavor two; cohort co; cluster c parent=co group=cpu "
                 "flavor=one cpu=4 borrow.cpu=6 flavor=two cpu=4; cluster o parent=co group=cpu "
                 "flavor=one cpu=9 flavor=two cpu=9; pod x cluster=c cpu=2 node=n stamp=1 "
                 "stamped=cpu=two");
    question_open(&q, &kit, "two/cpu=preempt,0 one/cpu=reclaim,1");
    q.most = 1;
    add_set(&q, 1, 1, "cpu=5");
    is_str(answer(&q, true), "fit 1: 1 one", "whenCanBorrow stops at what it borrows");
    queue_of(&q)->borrows_last = true;
    is_str(answer(&q, true), "fit 1: 1 one", "or sees that the others are no better");
    q.sets[0].needs[0].amount = 2;
    is_str(answer(&q, true), "fit 0: 1 one", "what borrows nothing is found first");
    kit_do(&kit, "pod y cluster=c cpu=3 node=n stamp=1 stamped=cpu=one");
    is_str(answer(&q, true), "fit 0: 1 two", "now only in the second one");
    queue_of(&q)->borrows_last = false;
    is_str(answer(&q, true), "fit 1: 1 one", "which nobody looks for who may borrow");
    kit_do(&kit, "pod z cluster=o cpu=13 node=n stamp=1 stamped=cpu=two");
    queue_of(&q)->borrows_last = true;
    is_str(answer(&q, true), "preempt 0: 1 two", "and whenCanPreempt stops where it preempts");
    queue_of(&q)->cluster.preempts_last = true;
    is_str(answer(&q, true), "fit 1: 1 one", "else borrowing comes before preempting");
    queue_of(&q)->cluster.borrows_least = true;
    is_str(answer(&q, true), "preempt 0: 1 two", "where the queue does not prefer the opposite");
    q.sets[0].needs[0].amount = 11;
    is_str(answer(&q, false), "no 0: 1 ", "more than quota and borrowing limit: never");
    kit_close(&kit);
}

static void test_who_may_send_away(void)
{
    struct kit kit;
    struct question q;

    kit_open(&kit, "");
    kit_do(&kit, "flavor one; cohort co; cluster c parent=co group=cpu flavor=one cpu=4;"
                 "cluster o parent=co group=cpu flavor=one cpu=4;"
                 "pod x cluster=o cpu=7 node=n");
    question_open(&q, &kit, "one/cpu=reclaim,0");
    q.most = 1;
    add_set(&q, 1, 1, "cpu=4");
    is_str(answer(&q, true), "reclaim 0: 1 one", "what is its own comes back");
    q.sets[0].needs[0].amount = 5;
    is_str(answer(&q, false), "no 0: 1 ", "what it would borrow does not");
    queue_of(&q)->preempts.while_borrowing = true;
    is_str(answer(&q, true), "reclaim 0: 1 one", "but with borrowWithinCohort");
    q.ask.victims = (struct assign_victims){0};
    is_str(answer(&q, false), "none 1: 1 one", "without anybody who knows victims there are none");
    kit_close(&kit);
}

/* "FLAVOR/RES=AMOUNT ..." of the last answer. */
static const char *total(struct question *q)
{
    struct claim_need amounts[ASSIGN_MAX_AMOUNTS];
    uint32_t count = assign_total(&q->ask, &q->answer, amounts);
    size_t len = 0;

    q->text[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        len += (size_t)snprintf(q->text + len, sizeof(q->text) - len, "%s%s/%s=%lld",
                                i > 0 ? " " : "", flavor_name(q->kit->engine, amounts[i].flavor).at,
                                name_text(q->kit->engine, amounts[i].resource).at,
                                (long long)amounts[i].amount);
    return q->text;
}

static void test_total(void)
{
    struct kit kit;
    struct question q;

    kit_open(&kit, "");
    kit_do(&kit, "flavor one; flavor two; flavor gpus; cluster c group=cpu,memory flavor=one cpu=9 "
                 "memory=9 flavor=two cpu=8 memory=9 group=gpu flavor=gpus gpu=3");
    question_open(&q, &kit, "");
    add_set(&q, 2, 2, "cpu=3 memory=1 pods=1");
    add_set(&q, 1, 1, "cpu=2 gpu=2 memory=0");
    add_set(&q, 2, 2, "cpu=2");
    is_str(answer(&q, true), "fit 0: 2 one one ; 1 one gpus one; 2 two", "three pod sets");
    is_str(total(&q), "one/cpu=8 one/memory=2 gpus/gpu=2 two/cpu=4",
           "take of each flavor what their pods ask for together");
    q.ask.set_count = 1;
    q.sets[0] = (struct assign_set){
        .count = 4, .minimum = 1, .need_count = 1, .needs = {{kit_resource(&kit, "cpu"), 3}}};
    is_str(answer(&q, true), "fit 0: 3 one", "with fewer pods");
    is_str(total(&q), "one/cpu=9", "it takes less");
    kit_close(&kit);
}

static void test_partial(void)
{
    struct kit kit;
    struct question q;

    kit_open(&kit, "");
    kit_do(&kit, "flavor one; cluster c group=cpu flavor=one cpu=100;"
                 "pod x cluster=c cpu=40 node=n");
    question_open(&q, &kit, "one/cpu=preempt,0");
    add_set(&q, 20, 10, "cpu=5");
    is_str(answer(&q, true), "fit 0: 12 one", "as many pods as there is room for");
    q.sets[0].minimum = 13;
    is_str(answer(&q, false), "preempt 0: 20 one", "and not less than the minimum");
    q.most = 15;
    is_str(answer(&q, true), "preempt 0: 15 one", "or as many as there are victims for");
    q.most = 20;
    is_str(answer(&q, true), "preempt 0: 20 one", "all, if there are victims for all");
    q.most = 0;
    q.sets[0] = (struct assign_set){
        .count = 10, .minimum = 10, .need_count = 1, .needs = {q.sets[0].needs[0]}};
    add_set(&q, 10, 1, "cpu=4");
    is_str(answer(&q, true), "fit 0: 10 one; 2 one", "only from those that can spare pods");
    q.sets[0].minimum = 5;
    is_str(answer(&q, true), "fit 0: 8 one; 5 one", "in proportion to what each can spare");
    kit_close(&kit);
}

static void test_ever(void)
{
    struct kit kit;
    struct question q;

    kit_open(&kit, "");
    kit_do(&kit, "flavor one; flavor two; cluster c group=cpu flavor=one cpu=4 flavor=two cpu=3;"
                 "pod x cluster=c cpu=4 node=n stamp=1 stamped=cpu=one;"
                 "pod y cluster=c cpu=3 node=n stamp=1 stamped=cpu=two");
    question_open(&q, &kit, "");
    add_set(&q, 1, 1, "cpu=3");
    is_str(answer(&q, false), "none 0: 1 one", "a full queue");
    q.ask.ever = true;
    is_str(answer(&q, true), "fit 0: 1 one", "has room when everybody is gone");
    add_set(&q, 5, 3, "cpu=1");
    is_str(answer(&q, true), "fit 0: 1 one; 3 two", "for the least of a later pod set, too");
    q.sets[1].refused[0] = 2;
    is_str(answer(&q, false), "no 0: 1 one; 5 ", "but not in the flavor of the first");
    ok(assign_repeatedly(&q.ask, &q.answer), "unless a later attempt begins behind that");
    is_str(flavor_name(kit.engine, q.answer.needs[0][0].flavor).at, "two", "as it does");
    q.sets[0].needs[0].amount = 4;
    q.ask.from = (struct assign_cursor){0};
    ok(!assign_repeatedly(&q.ask, &q.answer), "of which none is behind the last flavor");
    kit_close(&kit);
}

int main(void)
{
    test_first_that_fits();
    test_modes();
    test_borrowing();
    test_who_may_send_away();
    test_partial();
    test_total();
    test_ever();
    return tap_done();
}
