/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Two managers over four clusters that do as they like: workers vanish and come back with an older
 * state, messages are late, requests are carried out late, twice or never, acks get lost, leases
 * overlap, managers restart from what the world remembers. Whatever happens, no two workers preempt
 * for one workload within the timeout (fleet_world.c sees to that, and knows no engine); and when
 * the world calms down, everybody who asks has had a turn, and each replica is where a naive look
 * at the workloads says.
 */
#include "plugin/base/outbox.h"
#include "plugin/fleet/fleet.h"
#include "t/kit/tap.h"
#include "t/oracle/argument.h"
#include "t/oracle/fleet_world.h"
#include "t/oracle/supply.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANAGERS = 2, REQUESTS = 64, STEPS = 400, CALM_ROUNDS = 400 };

struct manager {
    struct supply supply;
    struct outbox outbox;
    struct fleet *fleet;
    bool leads;
    int count;
    struct fleet_request requests[REQUESTS]; /* under way */
};

struct fleet_play {
    struct fleet_world world;
    struct manager managers[MANAGERS];
    bool trace;
};

static void rest(struct fleet_play *play, struct manager *m)
{
    const char *broken;
    int turns = 0;

    while (fleet_more(m->fleet) && turns++ < 10000)
        fleet_tick(m->fleet);
    broken = fleet_check(m->fleet);
    if (broken != NULL || turns >= 10000)
        differ(play->world.broken, "the fleet: %s", broken != NULL ? broken : "comes to no rest");
}

static void show_workload(struct fleet_play *play, struct manager *m, int number)
{
    struct fleet_view view;

    fleet_world_workload(&play->world, number, &view);
    if (play->world.workloads[number].there)
        fleet_see_dispatch(m->fleet, &view.workload);
    else
        fleet_lose_dispatch(m->fleet, view.workload.space, view.workload.name,
                            (struct text){NULL, 0});
    rest(play, m);
}

static void show_replica(struct fleet_play *play, struct manager *m, int workload, int worker)
{
    struct fleet_view view;

    if (!play->world.reachable[worker])
        return;
    fleet_world_replica(&play->world, workload, worker, &view);
    if (play->world.workloads[workload].at[worker].there)
        fleet_see_replica(m->fleet, &view.replica);
    else
        fleet_lose_replica(m->fleet, view.replica.worker, view.replica.space, view.replica.name,
                           (struct text){NULL, 0});
    rest(play, m);
}

/* Connected means: all its replicas have been shown. */
static void show_cluster(struct fleet_play *play, struct manager *m, int worker)
{
    char name[16];
    struct cluster_facts facts = {.connected = false};

    snprintf(name, sizeof(name), "c%d", worker);
    facts.name = text_of(name);
    fleet_see_cluster(m->fleet, &facts);
    rest(play, m);
    if (!play->world.reachable[worker])
        return;
    for (int i = 0; i < FLEET_WORKLOADS; i++)
        show_replica(play, m, i, worker);
    facts.connected = true;
    fleet_see_cluster(m->fleet, &facts);
    rest(play, m);
}

static void show_all(struct fleet_play *play, struct manager *m)
{
    for (int i = 0; i < FLEET_WORKERS; i++)
        show_cluster(play, m, i);
    for (int i = 0; i < FLEET_WORKLOADS; i++)
        show_workload(play, m, i);
}

static void set_leader(struct fleet_play *play, struct manager *m, bool leads)
{
    m->leads = leads;
    fleet_set_leader(m->fleet, leads);
    rest(play, m);
}

static void start(struct fleet_play *play, struct manager *m)
{
    const struct fleet_config config = {.orchestrated = true,
                                        .preemption_timeout = FLEET_TIMEOUT,
                                        .worker_lost_timeout = 600 * SECOND};

    supply_init(&m->supply, false);
    outbox_init(&m->outbox, &m->supply.mem);
    if (fleet_create(&config, &m->supply.mem, &m->outbox, &m->fleet) < 0)
        abort();
    fleet_set_time(m->fleet, play->world.now);
    m->count = 0;
    show_all(play, m);
    fleet_set_synced(m->fleet);
}

static void stop(struct fleet_play *play, struct manager *m)
{
    fleet_destroy(m->fleet);
    outbox_finish(&m->outbox);
    if (m->supply.bytes != 0)
        differ(play->world.broken, "the fleet leaks %zu bytes", m->supply.bytes);
}

static void lease(struct fleet_play *play, struct manager *m)
{
    struct fleet_request *request = &m->requests[m->count];
    struct effect effect;

    if (m->count == REQUESTS || outbox_next(&m->outbox, &effect) <= 0)
        return;
    *request = (struct fleet_request){.kind = effect.kind,
                                      .id = effect.id,
                                      .version = effect.resource_version,
                                      .until = effect.until,
                                      .workload = fleet_number(effect.name),
                                      .worker = -1,
                                      .uid = fleet_number(effect.uid),
                                      .origin = fleet_number(effect.origin),
                                      .cluster = fleet_number(effect.cluster)};
    request->gated = effect.kind == EFFECT_CREATE_REPLICA && effect.gate_count == 1;
    if (effect.object == EFFECT_OF_REPLICA)
        request->worker = request->cluster;
    if (effect.kind == EFFECT_WRITE_MEMORY)
        fleet_memory_text(m->fleet, effect.dispatch, request->memory, FLEET_MEMORY - 1);
    outbox_lease(&m->outbox, &effect, 0);
    m->count++;
    rest(play, m);
}

/* Some request or other, and whether its ack arrives. */
static void carry_out(struct fleet_play *play, struct manager *m, bool acks, bool forget)
{
    struct fleet_request request;
    enum effect_result result;
    int n;

    if (m->count == 0)
        return;
    n = random_below(&play->world.random, m->count);
    request = m->requests[n];
    result = fleet_world_do(&play->world, &request);
    if (play->trace)
        fprintf(stderr, "# %5" PRId64 " s: manager %d: effect %d of workload %d in %d: %d %s\n",
                play->world.now / SECOND, (int)(m - play->managers), (int)request.kind,
                request.workload, request.worker, (int)result, request.memory);
    if (acks)
        outbox_ack(&m->outbox, request.id, result, 0);
    if (acks || forget)
        m->requests[n] = m->requests[--m->count]; /* else it will be carried out once more */
    rest(play, m);
}

static void pass_time(struct fleet_play *play, int64_t seconds)
{
    play->world.now += seconds * SECOND;
    for (int i = 0; i < MANAGERS; i++) {
        fleet_set_time(play->managers[i].fleet, play->world.now);
        rest(play, &play->managers[i]);
    }
}

static void step(struct fleet_play *play)
{
    struct random *random = &play->world.random;
    struct manager *m = &play->managers[random_below(random, MANAGERS)];
    int what = random_below(random, 32);

    if (what < 8) {
        fleet_world_happens(&play->world);
    } else if (what < 12) {
        show_workload(play, m, random_below(random, FLEET_WORKLOADS));
    } else if (what < 18) {
        show_replica(play, m, random_below(random, FLEET_WORKLOADS),
                     random_below(random, FLEET_WORKERS));
    } else if (what < 19) {
        show_cluster(play, m, random_below(random, FLEET_WORKERS));
    } else if (what < 23) {
        lease(play, m);
    } else if (what < 28) {
        carry_out(play, m, !random_one_in(random, 5), random_one_in(random, 2));
    } else if (what < 30) {
        pass_time(play, random_below(random, random_one_in(random, 6) ? 70 : 8));
    } else if (what < 31) {
        set_leader(play, m, random_one_in(random, 2));
    } else if (random_one_in(random, 4)) {
        bool leads = m->leads;

        stop(play, m);
        start(play, m);
        set_leader(play, m, leads || random_one_in(random, 2));
    }
}

static void fail(struct fleet_play *play, const char *what, int workload, int worker)
{
    differ(play->world.broken, "%s: workload %d, worker %d", what, workload, worker);
}

/* What a look at the workload says about its replica, when everything is as it should be. */
static void look(struct fleet_play *play, int workload, int worker)
{
    const struct fleet_workload *w = &play->world.workloads[workload];
    const struct fleet_replica *r = &w->at[worker];
    bool dispatched = w->there && w->reserved && !w->over && (w->ready || w->cluster >= 0);
    bool ours = r->there && r->origin == w->uid && w->there;
    bool somebody_has_quota = false;

    for (int i = 0; i < FLEET_WORKERS; i++)
        somebody_has_quota = somebody_has_quota || (w->at[i].there && w->at[i].reserved);
    if (r->there && !dispatched)
        fail(play, "left behind", workload, worker);
    else if (r->there && !ours)
        fail(play, "another workload's", workload, worker);
    else if (r->there && w->cluster >= 0 && worker != w->cluster)
        fail(play, "the cluster is another one", workload, worker);
    else if (r->there && w->cluster < 0 && !w->nominated[worker])
        fail(play, "not nominated", workload, worker);
    if (!dispatched || w->cluster >= 0)
        return;
    if (!r->there && w->nominated[worker])
        fail(play, "not dispatched", workload, worker);
    if (r->there && r->admitted)
        fail(play, "admitted, and not written down", workload, worker);
    if (r->there && r->gated && r->signals && !r->open && !somebody_has_quota)
        fail(play, "never had a turn", workload, worker);
}

static void calm_down(struct fleet_play *play)
{
    struct manager *m = &play->managers[0];

    fleet_world_calms(&play->world);
    set_leader(play, &play->managers[1], false);
    set_leader(play, m, true);
    m->count = 0;
    for (int i = 0; i < CALM_ROUNDS; i++) {
        pass_time(play, 5);
        fleet_world_calms(&play->world);
        show_all(play, m);
        lease(play, m);
        while (m->count > 0)
            carry_out(play, m, true, true);
        for (int k = 0; k < 12; k++) {
            lease(play, m);
            carry_out(play, m, true, true);
        }
    }
    for (int i = 0; i < FLEET_WORKLOADS; i++) {
        for (int k = 0; k < FLEET_WORKERS; k++)
            look(play, i, k);
    }
}

static bool play_history(uint64_t seed, bool trace, long *openings, uint64_t *digests)
{
    static struct fleet_play play;

    memset(&play, 0, sizeof(play));
    play.trace = trace;
    fleet_world_init(&play.world, seed);
    for (int i = 0; i < MANAGERS; i++)
        start(&play, &play.managers[i]);
    set_leader(&play, &play.managers[0], true);
    for (int n = 0; n < STEPS && play.world.broken[0] == '\0'; n++)
        step(&play);
    if (play.world.broken[0] == '\0')
        calm_down(&play);
    *openings += play.world.openings;
    for (int i = 0; i < MANAGERS; i++) {
        *digests += fleet_digest(play.managers[i].fleet, true);
        stop(&play, &play.managers[i]);
    }
    if (play.world.broken[0] != '\0')
        tap_diag("seed %" PRIu64 ": %s", seed, play.world.broken);
    return play.world.broken[0] == '\0';
}

int main(int argc, char **argv)
{
    uint64_t first = 1, count = 300, digests = 0;
    long openings = 0, broken = 0;
    bool trace = false;
    const struct argument arguments[] = {{"--seed", .number = &first},
                                         {"--histories", .number = &count, .least = 1},
                                         {"--trace", .is_said = &trace},
                                         {.name = NULL}};

    if (!argument_read(argc, argv, arguments))
        return fputs("usage: t-fleet-oracle [--seed N] [--histories N] [--trace]\n", stderr), 2;
    for (uint64_t seed = first; seed < first + count && broken < 10; seed++)
        broken += !play_history(seed, trace, &openings, &digests);
    tap_diag("%" PRIu64 " histories of %d steps, %ld gates opened, digests %016" PRIx64, count,
             STEPS, openings, digests);
    ok(broken == 0, "no two workers preempt for one workload at a time, and all have their turn");
    ok(openings > (long)count, "and gates were opened");
    return tap_done();
}
