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

static void unlink(struct engine *e, uint32_t *first, uint32_t claim)
{
    struct pledge *pledge = pledge_at(e, claim);

    if (pledge->prev != 0)
        pledge_at(e, pledge->prev)->next = pledge->next;
    else
        *first = pledge->next;
    if (pledge->next != 0)
        pledge_at(e, pledge->next)->prev = pledge->prev;
    pledge->next = pledge->prev = 0;
}

void pledge_enlist(struct engine *e, uint32_t claim)
{
    struct promises *promises = &e->claims.promises;
    struct pledge *pledge = pledge_at(e, claim);

    pledge->promise.first = pledge->next = 0;
    pledge->prev = promises->last;
    if (pledge->prev != 0)
        pledge_at(e, pledge->prev)->next = claim;
    else
        promises->first = claim;
    promises->last = claim;
}

void pledge_strike(struct engine *e, uint32_t claim)
{
    struct promises *promises = &e->claims.promises;

    if (promises->last == claim)
        promises->last = pledge_at(e, claim)->prev;
    unlink(e, &promises->first, claim);
}

static uint32_t *victims_of(struct engine *e, uint32_t of)
{
    return of == 0 ? &e->claims.promises.shared : &pledge_at(e, of)->promise.first;
}

void pledge_add_victim(struct engine *e, uint32_t victim, uint32_t of)
{
    struct pledge *pledge = pledge_at(e, victim);
    uint32_t *first = victims_of(e, of);

    pledge->of = of;
    pledge->prev = 0;
    pledge->next = *first;
    if (*first != 0)
        pledge_at(e, *first)->prev = victim;
    *first = victim;
}

void pledge_remove_victim(struct engine *e, uint32_t victim)
{
    unlink(e, victims_of(e, pledge_at(e, victim)->of), victim);
    pledge_at(e, victim)->of = 0;
}

uint32_t pledge_victims(const struct engine *e, uint32_t of)
{
    return of == 0 ? e->claims.promises.shared : pledge_at(e, of)->promise.first;
}

uint32_t pledge_count_victims(const struct engine *e, uint32_t claim, bool workloads)
{
    uint32_t count = 0, id = claim_is_promised(claim_at(e, claim)) ? pledge_victims(e, claim) : 0;

    for (; id != 0; id = pledge_at(e, id)->next)
        count += claim_is_workload(e, id) == workloads;
    return count;
}

static const char *check_victims(const struct engine *e, uint32_t of, int64_t *left)
{
    for (uint32_t id = pledge_victims(e, of); id != 0; id = pledge_at(e, id)->next) {
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
    for (uint32_t id = e->claims.promises.first; id != 0 && broken == NULL;
         id = pledge_at(e, id)->next) {
        if (!claim_is_promised(claim_at(e, id)) || --promised < 0)
            return "whoever is promised room is listed once";
        broken = check_victims(e, id, &victims);
    }
    if (broken != NULL)
        return broken;
    return promised == 0 && victims == 0 ? NULL : "who is promised something, or goes, is listed";
}
