/* SPDX-License-Identifier: Apache-2.0 */

/* Two gangs of four in a queue for six, or on nodes for six, in a thousand orders: at no moment
 * does each hold a part, and in the end both have run. */
#include "plugin/state.h"
#include "plugin/telling/explain.h"
#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

enum { MEMBERS = 8, NODES_FOR = 6, STEPS = 3000, ORDERS = 1000 };

/* What a scheduler knows of a pod. */
enum place { OUTSIDE, LIES, ACTIVE, IN_PERMIT, BINDING, BOUND, ENDED };

struct world {
    struct kit kit;
    uint64_t state;
    int room; /* on the nodes */
    enum place places[MEMBERS];
    uint32_t halves; /* moments at which both gangs held a part */
};

static uint32_t below(struct world *w, uint32_t n)
{
    w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->state >> 33) % n;
}

static const char *uid_of(int pod)
{
    static const char *const uids[MEMBERS] = {"a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"};

    return uids[pod];
}

static void show(struct world *w, int pod, const char *more)
{
    kit_dof(&w->kit, "pod %s queue=q cpu=1 group=%c created=%d %s", uid_of(pod), uid_of(pod)[0],
            pod + 1, more);
}

static void drain(struct world *w)
{
    struct effect effect;

    for (uint32_t n = 1 + below(w, 3);
         n > 0 && outbox_next(engine_outbox(w->kit.engine), &effect) > 0; n--) {
        int pod = 0;

        while (!text_is(effect.uid, uid_of(pod)))
            pod++;
        outbox_lease(engine_outbox(w->kit.engine), &effect, 0);
        if (effect.kind == EFFECT_ACTIVATE && w->places[pod] == LIES)
            w->places[pod] = ACTIVE;
        if (effect.kind == EFFECT_ANSWER_PERMIT && w->places[pod] == IN_PERMIT) {
            w->places[pod] = effect.allow ? BINDING : LIES;
            w->room += !effect.allow;
            if (!effect.allow)
                engine_unreserve(w->kit.engine, effect.uid);
        }
        outbox_ack(engine_outbox(w->kit.engine), effect.id, EFFECT_DONE, 0);
    }
}

static void cycle(struct world *w, int pod)
{
    struct text uid = text_of(uid_of(pod));
    struct verdict verdict;
    bool nodes, unschedulable;
    int64_t until;

    w->places[pod] = LIES;
    engine_pre_filter(w->kit.engine, uid, &verdict, &nodes, &unschedulable);
    if (!verdict.pass)
        return;
    if (w->room == 0) {
        engine_post_filter(w->kit.engine, uid);
        return;
    }
    engine_reserve(w->kit.engine, uid, false, &verdict);
    if (!verdict.pass)
        return;
    w->room--;
    w->places[pod] = engine_permit(w->kit.engine, uid, &until) ? BINDING : IN_PERMIT;
}

static int count(const struct world *w, int first, bool on_nodes)
{
    int holding = 0;

    for (int pod = first; pod < first + MEMBERS / 2; pod++) {
        uint32_t claim = kit_claim(&w->kit, uid_of(pod));

        holding += on_nodes ? w->places[pod] >= IN_PERMIT
                            : w->places[pod] == ENDED ||
                                  (claim != 0 && claim_holds(claim_at(w->kit.engine, claim)));
    }
    return holding;
}

static bool is_part(int holding)
{
    return holding > 0 && holding < MEMBERS / 2;
}

static void step(struct world *w, int64_t *now)
{
    int pod = (int)below(w, MEMBERS);

    switch (w->places[pod]) {
    case OUTSIDE:
        show(w, pod, "");
        w->places[pod] = LIES;
        break;
    case LIES: {
        struct verdict verdict;

        if (engine_pre_enqueue_known(w->kit.engine, text_of(uid_of(pod)), 0, false, &verdict))
            break;
        explain_claim(w->kit.engine, kit_claim(&w->kit, uid_of(pod)), false, &verdict);
        if (verdict.pass)
            w->places[pod] = ACTIVE;
        break;
    }
    case ACTIVE:
        cycle(w, pod);
        break;
    case BINDING:
        show(w, pod, "bare node=n");
        w->places[pod] = BOUND;
        break;
    case BOUND:
        if (below(w, 8) > 0)
            break;
        show(w, pod, "bare node=n finished");
        w->places[pod] = ENDED;
        w->room++;
        break;
    default:
        break;
    }
    if (below(w, 3) == 0)
        drain(w);
    if (below(w, 20) == 0)
        kit_dof(&w->kit, "time %d", (int)++*now);
}

static bool one_order(uint64_t seed, const char *queue)
{
    struct world w = {.state = seed, .room = NODES_FOR};
    int64_t now = 1;
    int ended = 0;

    kit_open(&w.kit, "answers");
    kit_do(&w.kit, queue);
    kit_do(&w.kit, "group a min=4; group b min=4");
    for (int n = 0; n < STEPS && ended < MEMBERS; n++) {
        step(&w, &now);
        w.halves += is_part(count(&w, 0, false)) && is_part(count(&w, MEMBERS / 2, false));
        w.halves += is_part(count(&w, 0, true)) && is_part(count(&w, MEMBERS / 2, true));
        ended = 0;
        for (int pod = 0; pod < MEMBERS; pod++)
            ended += w.places[pod] == ENDED;
    }
    engine_destroy(w.kit.engine);
    if (w.halves > 0 || ended < MEMBERS)
        tap_diag("order %d: %u times half and half, %d ended", (int)seed, w.halves, ended);
    return w.halves == 0 && ended == MEMBERS;
}

static void test_orders(const char *what, const char *queue)
{
    int good = 0;

    for (uint64_t seed = 1; seed <= ORDERS; seed++)
        good += one_order(seed, queue);
    is_int(good, ORDERS, "%s: never half each, and both run, in each of %d orders", what, ORDERS);
}

int main(void)
{
    test_orders("a queue for six", "queue q cpu=6");
    test_orders("nodes for six", "queue q cpu=8");
    return tap_done();
}
