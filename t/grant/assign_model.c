/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/grant/assign.h"

#include "t/kit/engine_kit.h"
#include "t/kit/tap.h"

#include <stdio.h>

/*
 * Assignments on random trees against a naive answer: every flavor gets a grade, grades are
 * numbers, the first that stops the search is taken, or else the largest. A ClusterQueue c with two
 * groups, two cohorts deep:
 *
 *     p ─▶ m ─▶ c, n
 *      └─▶ o
 */
enum { FLAVORS = 5, SETS = 3, RESOURCES = 3, ROUNDS = 400, NEVER = -1 };

struct model {
    struct kit kit;
    unsigned long long seed;
    struct assign_set sets[SETS];
    struct assign_ask ask;

    /* The naive answer. */
    int flavor[SETS][RESOURCES], how[SETS][RESOURCES], height[SETS][RESOURCES];
    int next[SETS][2];
    bool fits;
};

static const char *const resources[RESOURCES] = {"cpu", "memory", "gpu"};

static int choose(struct model *m, int below)
{
    return (int)(test_random(&m->seed) % (unsigned)below);
}

/* The first group has flavors 0 to 2, the second 3 and 4. */
static void build(struct model *m)
{
    char step[700] = "cluster c parent=m";
    size_t len = strlen(step);

    kit_open(&m->kit, "");
    kit_do(&m->kit, "flavor f0; flavor f1; flavor f2; flavor f3; flavor f4; cohort p; cohort m "
                    "parent=p; cluster n parent=m group=cpu,memory flavor=f0 cpu=3 memory=3 "
                    "flavor=f2 cpu=3 memory=2; cluster o parent=p group=gpu flavor=f3 gpu=5 "
                    "flavor=f4 gpu=5 group=cpu,memory flavor=f0 cpu=9 memory=9 flavor=f1 cpu=2 "
                    "memory=9");
    for (int f = 0; f < FLAVORS; f++) {
        len += (size_t)snprintf(step + len, sizeof(step) - len, "%s flavor=f%d",
                                f == 0   ? " group=cpu,memory"
                                : f == 3 ? " group=gpu"
                                         : "",
                                f);
        for (int r = f < 3 ? 0 : 2; r < (f < 3 ? 2 : 3); r++) {
            len += (size_t)snprintf(step + len, sizeof(step) - len, " %s=%d", resources[r],
                                    choose(m, 12));
            if (choose(m, 2) == 0)
                len += (size_t)snprintf(step + len, sizeof(step) - len, " borrow.%s=%d",
                                        resources[r], choose(m, 9));
            if (choose(m, 2) == 0)
                len += (size_t)snprintf(step + len, sizeof(step) - len, " lend.%s=%d", resources[r],
                                        choose(m, 9));
        }
    }
    kit_do(&m->kit, step);
    for (int i = 0; i < 4; i++)
        kit_dof(&m->kit,
                "pod x%d cluster=%c cpu=%d memory=%d gpu=%d node=n stamp=1 "
                "stamped=cpu=f%d,memory=f%d,gpu=f%d",
                i, "cno"[choose(m, 3)], choose(m, 6), choose(m, 6), choose(m, 6), i % 3, i % 3,
                3 + i % 2);
}

/* As good as a guess, and always the same. */
static enum assign_how some_victims(void *ctx, uint16_t flavor, uint32_t resource, wide amount,
                                    uint32_t *ret_height)
{
    unsigned long long seed = (unsigned long long)amount * 31 + flavor * 7u + resource;

    (void)ctx;
    *ret_height = test_random(&seed) % 3;
    return (enum assign_how)(ASSIGN_NO_VICTIMS + (int)(test_random(&seed) % 3));
}

static struct queue *queue_of(const struct model *m)
{
    return queue_at(m->ask.e, m->ask.queue);
}

static void ask(struct model *m)
{
    m->ask = (struct assign_ask){.e = m->kit.engine,
                                 .queue = kit_queue(&m->kit, "cluster/c"),
                                 .sets = m->sets,
                                 .set_count = (uint32_t)choose(m, SETS) + 1};
    queue_of(m)->borrows_last = choose(m, 2) == 0;
    queue_of(m)->cluster.preempts_last = choose(m, 2) == 0;
    queue_of(m)->cluster.borrows_least = choose(m, 2) == 0;
    queue_of(m)->preempts.while_borrowing = choose(m, 2) == 0;
    if (choose(m, 4) > 0)
        m->ask.victims.of = some_victims;
    for (uint32_t s = 0; s < m->ask.set_count; s++) {
        struct assign_set *set = &m->sets[s];

        *set = (struct assign_set){.count = (uint32_t)choose(m, 4) + 1};
        for (int r = 0; r < RESOURCES; r++)
            if (choose(m, 4) > 0)
                set->needs[set->need_count++] =
                    (struct request){kit_resource(&m->kit, resources[r]), choose(m, 5)};
        for (int g = 0; g < 2; g++) {
            set->refused[g] = choose(m, 4) == 0 ? (uint16_t)(1 << choose(m, 3)) : 0;
            m->ask.from.place[s][g] = choose(m, 3) == 0 ? (uint8_t)choose(m, g == 0 ? 3 : 2) : 0;
        }
    }
}

static wide asked(const struct model *m, uint32_t s, int r)
{
    for (uint32_t i = 0; i < m->sets[s].need_count; i++)
        if (m->sets[s].needs[i].resource == kit_resource(&m->kit, resources[r]))
            return (wide)m->sets[s].needs[i].amount * m->sets[s].count;
    return NEVER;
}

static const struct cell *cell_of(const struct model *m, const char *queue, int f, int r)
{
    char name[30];

    snprintf(name, sizeof(name), "f%d/%s", f, resources[r]);
    return kit_cell(&m->kit, queue, name);
}

/* c borrows nothing, from m, or from p. */
static int model_height(const struct model *m, int f, int r, wide amount)
{
    const struct cell *c = cell_of(m, "cluster/c", f, r), *above = cell_of(m, "cohort/m", f, r);

    if (c->usage + amount <= c->share)
        return 0;
    amount -= wide_max(0, c->kept - c->usage);
    return above->usage + amount <= above->share ? 1 : 2;
}

/* Larger is better; 0: no. */
static int worth(const struct model *m, int how, int height)
{
    if (how == ASSIGN_NO_FIT)
        return 0;
    return (how > ASSIGN_NO_VICTIMS) * 1000 +
           (queue_of(m)->cluster.borrows_least ? (9 - height) * 10 + how : how * 10 + 9 - height);
}

/* What flavor f gives set s, of all resources from r to r_end; its worth. */
static int grade(struct model *m, uint32_t s, int f, int r, int r_end, int how[], int height[])
{
    int worst = worth(m, ASSIGN_FITS, 0);

    for (; r < r_end; r++) {
        const struct cell *c = cell_of(m, "cluster/c", f, r);
        wide amount = asked(m, s, r);
        uint32_t above = 0;

        if (amount == NEVER)
            continue;
        for (uint32_t before = 0; before < s; before++)
            if (m->flavor[before][r] == f)
                amount += asked(m, before, r);
        how[r] = ASSIGN_NO_FIT;
        height[r] = model_height(m, f, r, amount);
        if (amount > headroom_ever(m->kit.engine, m->ask.queue, c->flavor, c->resource)) {
            height[r] = 0;
        } else if (amount == 0 || /* of nothing there is enough, also of a debt */
                   amount <= headroom_now(m->kit.engine, m->ask.queue, c->flavor, c->resource)) {
            how[r] = ASSIGN_FITS;
        } else if (amount <= c->share || queue_of(m)->preempts.while_borrowing || height[r] < 2) {
            how[r] = ASSIGN_NO_VICTIMS;
            if (m->ask.victims.of != NULL) {
                how[r] = (int)some_victims(NULL, c->flavor, c->resource, amount, &above);
                height[r] = (int)above;
            }
        }
        if (worth(m, how[r], height[r]) < worst)
            worst = worth(m, how[r], height[r]);
    }
    return worst;
}

static bool stops(const struct model *m, int r, int r_end, uint32_t s, const int how[],
                  const int height[], int worst)
{
    int worst_how = ASSIGN_FITS, worst_height = 0;

    for (; r < r_end; r++)
        if (asked(m, s, r) != NEVER && worth(m, how[r], height[r]) == worst)
            worst_how = how[r], worst_height = height[r];
    return worst_how > ASSIGN_NO_VICTIMS &&
           !(worst_how < ASSIGN_FITS && queue_of(m)->cluster.preempts_last) &&
           !(worst_height > 0 && queue_of(m)->borrows_last);
}

static bool answer_group(struct model *m, uint32_t s, int group)
{
    int first = group == 0 ? 0 : 3, end = group == 0 ? 3 : 5, r = group == 0 ? 0 : 2;
    int r_end = group == 0 ? 2 : 3, best = 0;

    if ((r == 2 || asked(m, s, 0) == NEVER) && asked(m, s, r_end - 1) == NEVER)
        return true;
    for (int f = first + m->ask.from.place[s][group]; f < end; f++) {
        int how[RESOURCES] = {0}, height[RESOURCES] = {0}, worst;
        bool last;

        m->next[s][group] = f + 1 < end ? f + 1 - first : 0;
        if ((m->sets[s].refused[group] >> (f - first) & 1) != 0)
            continue;
        worst = grade(m, s, f, r, r_end, how, height);
        last = stops(m, r, r_end, s, how, height, worst);
        if (!last && worst <= best)
            continue;
        best = worst;
        for (int at = r; at < r_end; at++) {
            m->flavor[s][at] = asked(m, s, at) == NEVER ? NEVER : f;
            m->how[s][at] = how[at];
            m->height[s][at] = height[at];
        }
        if (last)
            break;
    }
    return best > 0;
}

static void answer(struct model *m)
{
    m->fits = true;
    memset(m->next, 0, sizeof(m->next));
    for (uint32_t s = 0; s < SETS; s++)
        for (int r = 0; r < RESOURCES; r++)
            m->flavor[s][r] = NEVER;
    for (uint32_t s = 0; s < m->ask.set_count && m->fits; s++) {
        m->fits = answer_group(m, s, 0) && answer_group(m, s, 1);
        if (m->fits)
            continue;
        m->next[s][0] = m->next[s][1] = 0;
        for (int r = 0; r < RESOURCES; r++)
            m->flavor[s][r] = NEVER;
    }
}

static bool same_set(const struct model *m, const struct assignment *made, uint32_t s)
{
    bool same = m->next[s][0] == made->next.place[s][0] && m->next[s][1] == made->next.place[s][1];

    for (uint32_t i = 0; i < m->sets[s].need_count; i++) {
        int r = m->sets[s].needs[i].resource == kit_resource(&m->kit, "cpu")      ? 0
                : m->sets[s].needs[i].resource == kit_resource(&m->kit, "memory") ? 1
                                                                                  : 2;
        char name[10];

        snprintf(name, sizeof(name), "f%d", m->flavor[s][r]);
        if (m->flavor[s][r] == NEVER)
            same = same && made->needs[s][i].flavor == FLAVOR_NONE;
        else
            same = same && made->needs[s][i].how == m->how[s][r] &&
                   made->needs[s][i].height == m->height[s][r] &&
                   text_is(flavor_name(m->kit.engine, made->needs[s][i].flavor), name);
    }
    return same;
}

static bool same(const struct model *m, const struct assignment *made)
{
    int worst = m->fits ? ASSIGN_FITS : ASSIGN_NO_FIT, farthest = 0;
    bool all = true, goes_on = false;

    for (uint32_t s = 0; s < m->ask.set_count; s++) {
        all = all && same_set(m, made, s);
        goes_on = goes_on || m->next[s][0] > 0 || m->next[s][1] > 0;
        for (int r = 0; r < RESOURCES; r++) {
            if (m->flavor[s][r] == NEVER)
                continue;
            worst = m->how[s][r] < worst ? m->how[s][r] : worst;
            farthest = m->height[s][r] > farthest ? m->height[s][r] : farthest;
        }
    }
    return all && made->how == (enum assign_how)worst && made->height == (uint32_t)farthest &&
           made->goes_on == goes_on;
}

int main(void)
{
    int wrong = 0, seen[ASSIGN_FITS + 1] = {0}, on = 0;

    for (int round = 0; round < ROUNDS; round++) {
        struct model m = {.seed = (unsigned long long)round * 977 + 1};

        build(&m);
        for (int i = 0; i < 50; i++) {
            struct assignment made;
            uint32_t counts[SETS];

            ask(&m);
            for (uint32_t s = 0; s < m.ask.set_count; s++)
                counts[s] = m.sets[s].count;
            answer(&m);
            assign_counts(&m.ask, counts, &made);
            seen[made.how]++;
            on += made.goes_on;
            if (!same(&m, &made) && wrong++ == 0)
                tap_diag("round %d, question %d: how %d, height %u", round, i, made.how,
                         made.height);
        }
        engine_destroy(m.kit.engine);
    }
    tap_diag("%d assignments: no %d, no victims %d, preempt %d, reclaim %d, fit %d; %d go on",
             ROUNDS * 50, seen[0], seen[1], seen[2], seen[3], seen[4], on);
    is_int(wrong, 0, "assignments are what a naive search finds");
    for (int how = 0; how <= ASSIGN_FITS; how++)
        ok(seen[how] > ROUNDS, "with every outcome %d", how);
    return tap_done();
}
