/* SPDX-License-Identifier: Apache-2.0 */

/* engine_check() sees what is wrong: each field is spoiled alone, named, and put right again. */
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

static struct kit kit;

static struct claim *claim(const char *uid)
{
    return claim_at(kit.engine, kit_claim(&kit, uid));
}

static struct queue *queue(const char *name)
{
    return queue_at(kit.engine, kit_queue(&kit, name));
}

static struct line *line(const char *uid)
{
    return line_at(kit.engine, claim(uid)->line);
}

static struct cell *cell_of(const char *name, const char *resource)
{
    return quota_cell(queue(name), 0, kit_resource(&kit, resource));
}

static struct cell *cell(const char *name)
{
    return cell_of(name, "cpu");
}

static void is_broken(const char *message)
{
    is_str(engine_check(kit.engine), message, "seen: %s", message);
}

static void is_sound(void)
{
    if (engine_check(kit.engine) != NULL)
        is_str(engine_check(kit.engine), NULL, "put right, all is sound again");
}

static void spoil_flag(const char *uid, enum claim_flag flag, const char *message)
{
    claim(uid)->flags ^= (uint16_t)flag;
    is_broken(message);
    claim(uid)->flags ^= (uint16_t)flag;
    is_sound();
}

static void spoil_wide(wide *number, const char *message)
{
    *number += 1;
    is_broken(message);
    *number -= 1;
    is_sound();
}

static void spoil_u32(uint32_t *number, uint32_t value, const char *message)
{
    uint32_t right = *number;

    *number = value;
    is_broken(message);
    *number = right;
    is_sound();
}

static void test_claims(void)
{
    claim("wait")->state = CLAIM_HELD;
    is_broken("a claim is in the tree of its state");
    claim("wait")->state = CLAIM_WAITING;
    claim("held")->reason = REASON_NONE;
    is_broken("a held claim, and no other, has a reason of its own");
    claim("held")->reason = REASON_FOREIGN_GATE;
    claim("wait")->reason = REASON_BACKOFF;
    is_broken("a held claim, and no other, has a reason of its own");
    claim("wait")->reason = REASON_NONE;
    is_sound();
    spoil_flag("wait", CLAIM_BOUND, "a bound claim is allocated");
    spoil_flag("wait", CLAIM_MANAGED, "a pod that obeys no queue counts only when it is bound");

    claim("wait")->effects.ready = 1;
    is_broken("an effect that is ready is wanted, and not under way");
    claim("wait")->effects.ready = 0;
    is_sound();

    struct claim *wait = claim("wait");

    wait->uid_len--;
    is_broken("a claim is found by its uid");
    wait->uid_len++;
    is_sound();
    spoil_u32(&claim("wait")->space, 0, "a claim is found by its name");
}

static void test_effects(void)
{
    spoil_u32(&kit.engine->outbox.ready_effects, 5, "ready effects are counted");
    spoil_u32(&kit.engine->outbox.ready[EFFECT_OF_POD].first, kit_claim(&kit, "wait"),
              "the list of ready effects holds each object that has one, once");
}

/* Of cpu, which is the second need. */
static void spoil_least(const char *uid, int64_t right, int64_t wrong, const char *message)
{
    struct needs *needs = &line(uid)->needs;
    const struct size_class *class = size_class_at(kit.engine, line(uid)->size_class);

    is_int(needs_least(needs, class, 1), right, "the least of %s and those below it", uid);
    needs_set_least(needs, class, 1, wrong);
    is_broken(message);
    needs_set_least(needs, class, 1, right);
    is_sound();
}

static void test_lines(void)
{
    int32_t priority = claim("wait")->priority;

    claim("wait")->priority = -9;
    is_broken("a line's head is its first claim");
    claim("wait")->priority = priority;
    claim("wait2")->priority = -9;
    is_broken("the claims of a line wait in order of rank");
    claim("wait2")->priority = priority;
    is_sound();
    spoil_u32(&line("wait")->head, 0, "a line's head is its first claim");
    spoil_u32(&crowd_at(kit.engine, line("wait")->crowd)->users, 1, "a crowd is more than one");
    line("wait")->crowded = false;
    is_broken("it is known where more than one waits");
    line("wait")->crowded = true;
    is_sound();
    spoil_least("m1", 17, 18, "the least need is not above the line's own");
    spoil_least("m0", 17, 18, "the least need is not above those below it");
}

static void test_kinds(void)
{
    struct size_class *class = size_class_at(kit.engine, line("wait")->size_class);

    spoil_u32(&class->head, kit_claim(&kit, "wait2"),
              "a size class's head is the first head of its lines");
    spoil_u32(&class->head, 0, "a size class is in its queue's tree while somebody waits in it");
    spoil_u32(&class->heads, 0, "a size class is in its queue's tree while somebody waits in it");
    class->needs[0].own += 100;
    is_broken("a size class knows the least that its lines ask for");
    class->needs[0].own -= 100;
    class->needs[0].least += 100;
    is_broken("the least need of a size class is not above its lines' own");
    class->needs[0].least -= 100;
    is_sound();
}

static void test_quota(void)
{
    spoil_wide(&cell("q")->usage, "usage is what the claims hold and the children pass up");
    spoil_wide(&cell("p")->usage, "usage is what the claims hold and the children pass up");
    spoil_wide(&cell("q")->reserved,
               "reserved and allocated are the sums over the subtree's claims");
    spoil_wide(&cell("p")->allocated,
               "reserved and allocated are the sums over the subtree's claims");
    spoil_wide(&cell("p")->given, "given is the sum over the children");
    cell("q")->named = false;
    is_broken("a cell is named by its queue or carried by a child");
    cell("q")->named = true;
    is_sound();
    spoil_u32(&cell_of("root", "r1")->resource, 0, "a parent has every cell of its children");
}

static void test_queues(void)
{
    wide ceiling = cell("q")->ceiling;

    queue("q")->contest.competes = false;
    is_broken("a queue competes while somebody waits in it who may advance");
    queue("q")->contest.competes = true;
    queue("q")->contest.priority++;
    is_broken("a queue's key and least needs are up to date");
    queue("q")->contest.priority--;
    is_sound();

    cell("q")->ceiling = 1;
    is_broken("a leaf above its ceiling has nothing reserved that uses it");
    cell("q")->ceiling = ceiling;
    is_sound();

    queue("q")->guarding = true;
    is_broken("a guarded head is the head");
    queue("q")->guarding = false;
    queue("root")->height.levels++;
    is_broken("a queue knows how tall the tree below it is");
    queue("root")->height.levels--;
    kit.engine->grant.demotion.count = 1;
    kit.engine->grant.demotion.found[0] = kit_claim(&kit, "g1");
    is_broken("who was found to go is reserved below that queue");
    kit.engine->grant.demotion.count = 0;
    kit.engine->grant.demotion.top = 1000;
    is_broken("who must go is searched for below a queue");
    kit.engine->grant.demotion.top = 0;
    kit.engine->claims.recount.cells = 1;
    is_broken("cells that are not counted are counted");
    kit.engine->claims.recount.cells = 0;
    queue("q")->is_todo[TODO_COUNT] = true;
    is_broken("a queue with a cell that is not counted is on a list");
    queue("q")->is_todo[TODO_COUNT] = false;
    is_sound();
    spoil_u32(&queue("u")->line_count, 0, "an unknown queue is named by somebody");
}

static void test_orders(void)
{
    int64_t stamp = claim("g1")->stamp;
    struct queue *by_default = queue("default");

    claim("g1")->stamp = INT64_MAX;
    is_broken("reserved and allocated claims stand in order of their stamps");
    claim("g1")->stamp = stamp;
    is_sound();
    by_default->kind = QUEUE_COHORT;
    is_broken("queues stand in order of kind and name");
    by_default->kind = QUEUE_VOLCANO;
    is_sound();
}

static void test_lists(void)
{
    uint32_t first = kit.engine->queues.todo[TODO_DIRTY].first;

    queue("q")->is_todo[TODO_PREEMPT] = true;
    is_broken("a queue for which something is to be done is listed once");
    queue("q")->is_todo[TODO_PREEMPT] = false;
    kit.engine->queues.todo[TODO_DIRTY].first = kit_queue(&kit, "q");
    is_broken("a queue for which something is to be done is listed once");
    kit.engine->queues.todo[TODO_DIRTY].first = first;
    heap_reserve(&kit.engine->pods.group_timers, 2);
    heap_set(&kit.engine->pods.group_timers, 1, 5);
    is_broken("who has a timer is there");
    heap_clear(&kit.engine->pods.group_timers, 1);
    is_sound();
}

/* One of them asks for memory, so that the least that both ask for does not tell. */
static void test_nobody_fits(void)
{
    spoil_wide(&cell_of("m", "memory")->ceiling, "nobody who fits waits");
}

int main(void)
{
    kit_open(&kit, "");
    kit_do(&kit,
           "queue p cpu=90 r1=5; queue q parent=p cpu=4; time 2; pod g1 queue=q cpu=2; time 3;"
           "pod g2 queue=q cpu=2; pod wait queue=q cpu=3; pod wait2 queue=q cpu=3;"
           "pod wait3 queue=q cpu=3;"
           "pod other queue=q cpu=7; pod held queue=q foreign; pod un queue=u;"
           "queue m cpu=10 memory=4; pod m0 queue=m cpu=19; pod m1 queue=m cpu=17; pod m2 queue=m "
           "cpu=1 memory=5");
    is_sound();
    test_claims();
    test_effects();
    test_lines();
    test_kinds();
    test_quota();
    test_queues();
    test_orders();
    test_lists();
    test_nobody_fits();
    kit_close(&kit);
    return tap_done();
}
