/* SPDX-License-Identifier: Apache-2.0 */
#include "assign.h"

#include "plugin/capacity/borrow.h"
#include "plugin/order/fit.h"
#include "plugin/order/headroom.h"
#include "plugin/state.h"

/* What a flavor is worth. */
struct grade {
    enum assign_how how;
    uint32_t height;
};

/* The search for a flavor of one group, for one pod set. */
struct search {
    const struct assign_ask *ask;
    struct assignment *made;
    uint32_t set, group;
    struct grade grades[FACTS_MAX_NEEDS]; /* of the needs of this group, in the flavor at hand */
};

static const struct queue *queue_of(const struct search *search)
{
    return queue_at(search->ask->e, search->ask->queue);
}

static const struct queue_group *group_of(const struct search *search, uint32_t need)
{
    return queue_group_of(queue_of(search), search->ask->sets[search->set].needs[need].resource);
}

/* Whoever has nobody to send away is behind all that may come of it now. */
static bool is_better(const struct queue *queue, struct grade a, struct grade b)
{
    enum assign_how worse = a.how < b.how ? a.how : b.how;

    if (a.how != b.how && worse <= ASSIGN_NO_VICTIMS)
        return a.how > b.how;
    if (a.how == ASSIGN_NO_FIT)
        return false;
    if (a.how != b.how && a.height != b.height)
        return queue->cluster.borrows_least ? a.height < b.height : a.how > b.how;
    return a.how > b.how || a.height < b.height;
}

static bool tries_next(const struct queue *queue, struct grade grade)
{
    return grade.how <= ASSIGN_NO_VICTIMS ||
           (grade.how < ASSIGN_FITS && queue->cluster.preempts_last) ||
           (grade.height > 0 && queue->borrows_last);
}

/* What earlier pod sets take of it. */
static wide taken_before(const struct search *search, uint16_t flavor, uint32_t resource)
{
    wide sum = 0;

    for (uint32_t s = 0; s < search->set; s++) {
        const struct assign_set *set = &search->ask->sets[s];

        for (uint32_t i = 0; i < set->need_count; i++) {
            if (set->needs[i].resource == resource && search->made->needs[s][i].flavor == flavor)
                sum += (wide)set->needs[i].amount * search->made->counts[s];
        }
    }
    return sum;
}

static struct grade grade_need(const struct search *search, uint32_t need, uint16_t flavor)
{
    const struct assign_ask *ask = search->ask;
    const struct request *request = &ask->sets[search->set].needs[need];
    const struct cell *cell = quota_cell(queue_of(search), flavor, request->resource);
    wide amount = (wide)request->amount * search->made->counts[search->set] +
                  taken_before(search, flavor, request->resource);
    struct grade grade = {ASSIGN_NO_FIT, 0};
    bool reclaims;

    if (amount > headroom_ever(ask->e, ask->queue, flavor, request->resource))
        return grade;
    if (ask->ever)
        return (struct grade){ASSIGN_FITS, 0};
    grade.height = borrow_height(ask->e, ask->queue, flavor, request->resource, amount, &reclaims);
    if (headroom_holds(headroom_now(ask->e, ask->queue, flavor, request->resource), amount)) {
        grade.how = ASSIGN_FITS;
    } else if (amount <= (cell == NULL ? 0 : cell->share) || reclaims ||
               queue_of(search)->preempts.while_borrowing) {
        grade.how = ask->victims.of == NULL
                        ? ASSIGN_NO_VICTIMS
                        : ask->victims.of(ask->victims.ctx, flavor, request->resource, amount,
                                          &grade.height);
    }
    return grade;
}

/* As good as for the worst of what it is asked for. */
static struct grade grade_flavor(struct search *search, uint16_t flavor)
{
    const struct assign_set *set = &search->ask->sets[search->set];
    struct grade worst = {ASSIGN_FITS, 0};

    for (uint32_t i = 0; i < set->need_count && worst.how != ASSIGN_NO_FIT; i++) {
        if (group_of(search, i) != &queue_of(search)->groups[search->group])
            continue;
        search->grades[i] = grade_need(search, i, flavor);
        if (is_better(queue_of(search), worst, search->grades[i]))
            worst = search->grades[i];
    }
    return worst;
}

static void take_flavor(struct search *search, uint16_t flavor)
{
    const struct assign_set *set = &search->ask->sets[search->set];

    for (uint32_t i = 0; i < set->need_count; i++) {
        const struct grade *grade = &search->grades[i];

        if (group_of(search, i) == &queue_of(search)->groups[search->group])
            search->made->needs[search->set][i] =
                (struct assigned){flavor, (uint8_t)grade->how, (uint8_t)grade->height};
    }
}

/* The first flavor that will do; or else the best. False: there is none. */
static bool search_group(struct search *search, uint32_t from, uint32_t *ret_next)
{
    const struct assign_set *set = &search->ask->sets[search->set];
    const struct queue_group *group = &queue_of(search)->groups[search->group];
    struct grade best = {ASSIGN_NO_FIT, 0};
    bool more = true;

    for (uint32_t k = from < group->flavor_count ? from : 0; more && k < group->flavor_count; k++) {
        uint16_t flavor = group->flavors[k];
        struct grade grade;

        *ret_next = k + 1 < group->flavor_count ? k + 1 : 0;
        if (!flavor_usable(search->ask->e, flavor) || (set->refused[search->group] >> k & 1) != 0)
            continue;
        grade = grade_flavor(search, flavor);
        more = tries_next(queue_of(search), grade);
        if (!more || is_better(queue_of(search), grade, best)) {
            best = grade;
            take_flavor(search, flavor);
        }
    }
    return best.how != ASSIGN_NO_FIT;
}

static bool asks_of_group(const struct search *search)
{
    for (uint32_t i = 0; i < search->ask->sets[search->set].need_count; i++) {
        if (group_of(search, i) == &queue_of(search)->groups[search->group])
            return true;
    }
    return false;
}

/* Whether all that the pod set asks for is counted by some group, or by nobody. */
static bool is_declared(const struct search *search)
{
    const struct engine *e = search->ask->e;
    const struct assign_set *set = &search->ask->sets[search->set];

    for (uint32_t i = 0; i < set->need_count; i++) {
        if (group_of(search, i) == NULL && set->needs[i].amount > 0 && set->count > 0 &&
            !fit_counts_nowhere(e, set->needs[i].resource))
            return false;
    }
    return true;
}

static bool assign_set(struct search *search)
{
    if (!is_declared(search))
        return false;
    for (search->group = 0; search->group < queue_of(search)->group_count; search->group++) {
        uint32_t place = 0;

        if (!asks_of_group(search))
            continue;
        if (!search_group(search, search->ask->from.place[search->set][search->group], &place))
            return false;
        search->made->next.place[search->set][search->group] = (uint8_t)place;
    }
    return true;
}

/* It is assigned nothing, and its next attempt begins at the first flavor. */
static void clear_set(const struct assign_ask *ask, struct assignment *made, uint32_t set)
{
    for (uint32_t i = 0; i < ask->sets[set].need_count; i++)
        made->needs[set][i] = (struct assigned){FLAVOR_NONE, ASSIGN_FITS, 0};
    memset(made->next.place[set], 0, sizeof(made->next.place[set]));
}

/* The worst of what is assigned, and the farthest. */
static void sum_up(const struct search *search, struct assignment *made)
{
    for (uint32_t g = 0; g < queue_of(search)->group_count; g++)
        made->goes_on = made->goes_on || made->next.place[search->set][g] > 0;
    for (uint32_t i = 0; i < search->ask->sets[search->set].need_count; i++) {
        const struct assigned *need = &made->needs[search->set][i];

        if (need->how < (uint8_t)made->how)
            made->how = need->how;
        if (need->height > made->height)
            made->height = need->height;
    }
}

void assign_counts(const struct assign_ask *ask, const uint32_t *counts, struct assignment *ret)
{
    struct search search = {.ask = ask, .made = ret};

    memset(ret, 0, sizeof(*ret));
    for (uint32_t s = 0; s < ask->set_count; s++)
        clear_set(ask, ret, s);
    ret->how = ASSIGN_FITS;
    memcpy(ret->counts, counts, ask->set_count * sizeof(*counts));
    for (; search.set < ask->set_count; search.set++) {
        if (!assign_set(&search)) {
            clear_set(ask, ret, search.set);
            ret->how = ASSIGN_NO_FIT;
            return;
        }
        sum_up(&search, ret);
    }
}

static bool works(const struct assign_ask *ask, const struct assignment *made)
{
    if (made->how == ASSIGN_FITS || made->how == ASSIGN_NO_FIT)
        return made->how == ASSIGN_FITS;
    return ask->victims.of_all != NULL && ask->victims.of_all(ask->victims.ctx, made);
}

/* So many of the pods that could be spared are: each pod set spares its share, rounded down. */
static bool works_without(const struct assign_ask *ask, uint64_t spared, uint64_t most,
                          struct assignment *ret)
{
    uint32_t counts[ASSIGN_MAX_SETS];

    for (uint32_t s = 0; s < ask->set_count; s++) {
        uint64_t spare = ask->sets[s].count - ask->sets[s].minimum;

        counts[s] = ask->sets[s].count - (uint32_t)(spare * spared / most);
    }
    assign_counts(ask, counts, ret);
    return works(ask, ret);
}

/* Fewer pods are supposed never to fit worse. */
static bool assign_part(const struct assign_ask *ask, struct assignment *ret)
{
    uint64_t most = 0, low = 0, high, found;
    struct assignment made;

    for (uint32_t s = 0; s < ask->set_count; s++)
        most += ask->sets[s].count - ask->sets[s].minimum;
    if (most == 0)
        return false;
    found = high = most + 1;
    while (low < high) {
        uint64_t middle = (low + high) / 2;

        if (works_without(ask, middle, most, &made)) {
            *ret = made;
            found = high = middle;
        } else {
            low = middle + 1;
        }
    }
    return found <= most;
}

bool assign(const struct assign_ask *ask, struct assignment *ret)
{
    uint32_t counts[ASSIGN_MAX_SETS];

    for (uint32_t s = 0; s < ask->set_count; s++)
        counts[s] = ask->sets[s].count;
    assign_counts(ask, counts, ret);
    return works(ask, ret) || assign_part(ask, ret);
}

bool assign_repeatedly(struct assign_ask *ask, struct assignment *ret)
{
    for (int attempt = 0; attempt < ASSIGN_ATTEMPTS; attempt++) {
        if (assign(ask, ret))
            return true;
        if (!ret->goes_on)
            return false;
        ask->from = ret->next;
    }
    return false;
}

static struct claim_need *amount_of(struct claim_need *amounts, uint32_t *count, uint16_t flavor,
                                    uint32_t resource)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (amounts[i].flavor == flavor && amounts[i].resource == resource)
            return &amounts[i];
    }
    amounts[*count] = (struct claim_need){0, resource, flavor};
    return &amounts[(*count)++];
}

uint32_t assign_total(const struct assign_ask *ask, const struct assignment *made,
                      struct claim_need ret[ASSIGN_MAX_AMOUNTS])
{
    uint32_t count = 0;

    for (uint32_t s = 0; s < ask->set_count; s++) {
        for (uint32_t i = 0; i < ask->sets[s].need_count; i++) {
            const struct request *need = &ask->sets[s].needs[i];
            uint16_t flavor = made->needs[s][i].flavor;

            if (flavor != FLAVOR_NONE && need->amount > 0 && made->counts[s] > 0)
                amount_of(ret, &count, flavor, need->resource)->amount +=
                    (wide)need->amount * made->counts[s];
        }
    }
    return count;
}
