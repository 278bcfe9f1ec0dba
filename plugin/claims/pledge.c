/* SPDX-License-Identifier: Apache-2.0 */
#include "pledge.h"

#include "plugin/state.h"

bool pledge_is(const struct engine *e)
{
    return engine_admits(e) || engine_preempts(e);
}

int pledge_reserve(struct engine *e)
{
    struct slab *pledges = &e->claims.promises.pledges;

    if (!pledge_is(e))
        return 0;
    while (slab_end(pledges) <= slab_end(&e->claims.records)) {
        if (slab_reserve(pledges, 1) < 0)
            return ENGINE_NO_MEMORY;
        slab_take(pledges);
    }
    return 0;
}

void pledge_begin(struct engine *e, uint32_t claim)
{
    if (pledge_is(e))
        pledge_at(e, claim)->rests_until = 0;
}

struct list_link *pledge_peers(const void *ctx, uint32_t claim)
{
    return &pledge_at(ctx, claim)->peers;
}

void pledge_enlist(struct engine *e, uint32_t claim)
{
    pledge_at(e, claim)->promise.victims = (struct list){0};
    list_append(pledge_peers, e, &e->claims.promises.all, claim);
}

void pledge_strike(struct engine *e, uint32_t claim)
{
    list_remove(pledge_peers, e, &e->claims.promises.all, claim);
}

static struct list *victims_of(struct engine *e, uint32_t of)
{
    return of == 0 ? &e->claims.promises.shared : &pledge_at(e, of)->promise.victims;
}

void pledge_add_victim(struct engine *e, uint32_t victim, uint32_t of)
{
    pledge_at(e, victim)->of = of;
    list_insert(pledge_peers, e, victims_of(e, of), 0, victim);
}

void pledge_remove_victim(struct engine *e, uint32_t victim)
{
    list_remove(pledge_peers, e, victims_of(e, pledge_at(e, victim)->of), victim);
    pledge_at(e, victim)->of = 0;
}

uint32_t pledge_victims(const struct engine *e, uint32_t of)
{
    return of == 0 ? e->claims.promises.shared.first : pledge_at(e, of)->promise.victims.first;
}

uint32_t pledge_count_victims(const struct engine *e, uint32_t claim, bool workloads)
{
    uint32_t count = 0, id = claim_is_promised(claim_at(e, claim)) ? pledge_victims(e, claim) : 0;

    for (; id != 0; id = pledge_at(e, id)->peers.next)
        count += claim_is_workload(e, id) == workloads;
    return count;
}

static const char *check_victims(const struct engine *e, uint32_t of, int64_t *left)
{
    for (uint32_t id = pledge_victims(e, of); id != 0; id = pledge_at(e, id)->peers.next) {
        if (!claim_is_victim(claim_at(e, id)) || pledge_at(e, id)->of != of || --*left < 0)
            return "a victim is among those of the claim that it goes for";
    }
    return NULL;
}

const char *pledge_check(const struct engine *e)
{
    int64_t promised = 0, victims = 0;
    const char *broken = NULL;

    for (uint32_t id = 0; slab_step(&e->claims.records, &id);) {
        promised += claim_is_promised(claim_at(e, id));
        victims += claim_is_victim(claim_at(e, id));
    }
    broken = check_victims(e, 0, &victims);
    for (uint32_t id = e->claims.promises.all.first; id != 0 && broken == NULL;
         id = pledge_at(e, id)->peers.next) {
        if (!claim_is_promised(claim_at(e, id)) || --promised < 0)
            return "whoever is promised room is listed once";
        broken = check_victims(e, id, &victims);
    }
    if (broken != NULL)
        return broken;
    return promised == 0 && victims == 0 ? NULL : "who is promised something, or goes, is listed";
}
