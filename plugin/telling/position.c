/* SPDX-License-Identifier: Apache-2.0 */
#include "position.h"

#include "outlook.h"
#include "plugin/base/sentence.h"
#include "plugin/order/fit.h"
#include "plugin/order/turn.h"
#include "plugin/state.h"

static void add_ahead(const struct engine *e, const struct line *line, uint32_t claims,
                      struct position *place)
{
    for (uint32_t i = 0; i < line_count(e, line) && claims > 0; i++) {
        struct text resource = name_text(e, line_resource(e, line, i));
        uint32_t at = 0;

        while (at < place->ahead_count && !text_same(place->ahead[at].resource, resource))
            at++;
        if (at == FACTS_MAX_NEEDS)
            continue;
        if (at == place->ahead_count)
            place->ahead[place->ahead_count++] = (struct quota_row){.resource = resource};
        place->ahead[at].usage =
            amount_clamp(place->ahead[at].usage + (wide)claims * line_amount(e, line, i));
    }
}

/* What those before it ask for of one resource; and those of them that it cannot pass, as they ask
 * for no more than it does, or nobody passes anybody. */
struct before {
    uint32_t resource;
    int64_t passes; /* whoever asks for more may be passed */
    wide all, not_passed;
    wide squares; /* sum of the squares of what each line asks for */
};

/* A larger piece of those that ask for the same counts as one of this size: so many squares of them
 * are still a number. */
enum { PIECE_BITS = 56 };

static void add_before(const struct engine *e, const struct line *line, uint32_t claims,
                       struct before *before)
{
    for (uint32_t i = 0; i < line_count(e, line); i++)
        if (line_resource(e, line, i) == before->resource) {
            wide amount = (wide)claims * line_amount(e, line, i);

            before->all += amount;
            amount = wide_min(amount, (wide)1 << PIECE_BITS);
            before->squares += amount * amount;
            before->not_passed += line_amount(e, line, i) <= before->passes ? amount : 0;
        }
}

static void count_ahead(const struct engine *e, uint32_t id, struct position *place,
                        struct before *ret_before)
{
    uint32_t queue = claim_queue(e, id), head = 0, looked = 0;

    place->position = 1 + turn_workloads_before(e, id);
    while ((head = size_class_next_head(e, queue, head, id)) != 0) {
        const struct line *line = claim_line(e, head);
        uint32_t before;

        place->at_least = looked++ == POSITION_LINES;
        if (place->at_least)
            return;
        before = line_count_before(e, line, id, claim_is_before);
        place->position += before;
        add_ahead(e, line, before, place);
        add_before(e, line, before, ret_before);
    }
}

/* Of a claim, or of the first of its queue where that is what it waits for. */
static bool find_lack(const struct engine *e, uint32_t id, struct lack *ret,
                      struct shortfall *ret_shortfall)
{
    const struct line *line = line_at(e, claim_at(e, id)->line);
    uint32_t where, need;
    wide room;

    if (!fit_refused(e, claim_at(e, id)->line, &where, &need, &room))
        return false;
    ret->is = true;
    ret->kind = queue_at(e, where)->kind;
    ret->name = name_text(e, queue_at(e, where)->name);
    ret->resource = name_text(e, line_resource(e, line, need));
    ret->room = amount_clamp(wide_max(room, 0));
    ret->asked = line_amount(e, line, need);
    ret->wanted = amount_clamp(backlog_sum(e, where, line_resource(e, line, need)));
    *ret_shortfall = (struct shortfall){.queue = where,
                                        .resource = line_resource(e, line, need),
                                        .least = -room,
                                        .most = -room,
                                        .free = wide_max(room, 0)};
    return true;
}

/* What the first of a queue lacks there, where nobody passes it. */
static wide find_first(const struct engine *e, uint32_t queue, const struct shortfall *shortfall)
{
    uint32_t first = line_first_of(e, queue);
    struct shortfall of_first;
    struct lack lack = {0};

    if (!queue_at(e, queue)->strict || first == 0 || !find_lack(e, first, &lack, &of_first) ||
        of_first.queue != shortfall->queue || of_first.resource != shortfall->resource)
        return 0;
    return wide_max(0, lack.asked - of_first.free);
}

static int64_t amount_of(const struct engine *e, uint32_t id, uint32_t resource)
{
    const struct line *line = claim_line(e, id);

    for (uint32_t i = 0; i < line_count(e, line); i++)
        if (line_resource(e, line, i) == resource)
            return line_amount(e, line, i);
    return 0;
}

/* What it waits for: room for it, or, where that is not what it lacks, for the first of its queue.
 * False: nothing that anybody gives back. */
static bool find_shortfall(const struct engine *e, uint32_t id, struct position *place,
                           struct shortfall *ret)
{
    uint32_t queue = claim_queue(e, id), first = line_first_of(e, queue);
    struct lack of_first = {0};

    if (place->on.is)
        return true;
    return first != 0 && find_lack(e, first, &of_first, ret);
}

void position_none(struct position *ret)
{
    ret->position = ret->ahead_count = 0;
    ret->at_least = false;
    ret->on = (struct lack){0};
    ret->estimate = ret->earliest = ret->latest = -1;
    ret->basis[0] = '\0';
}

/* Why there is no estimate. */
static void say_none(struct position *place, const char *why)
{
    struct sentence say;

    sentence_init(&say, place->basis, sizeof(place->basis));
    sentence_str(&say, why);
}

void position_find(const struct engine *e, uint32_t id, enum reason reason, struct position *ret)
{
    uint32_t queue = claim_queue(e, id);
    struct shortfall shortfall = {0};
    struct before before = {0};
    bool waits;

    position_none(ret);
    if (reason == REASON_QUEUE_CAPACITY)
        find_lack(e, id, &ret->on, &shortfall);
    waits = find_shortfall(e, id, ret, &shortfall);
    before.resource = shortfall.resource;
    before.passes = queue_at(e, queue)->strict ? INT64_MAX : amount_of(e, id, shortfall.resource);
    count_ahead(e, id, ret, &before);
    if (queue_stops(e, queue) != REASON_NONE)
        say_none(ret, "its queue lets nobody in");
    else if (fit_never(e, claim_at(e, id)->line))
        say_none(ret, "it can never fit");
    else if (!waits)
        say_none(ret, "it waits for nothing that others hold");
    if (ret->basis[0] != '\0')
        return;
    shortfall.least += before.not_passed + amount_of(e, id, shortfall.resource);
    shortfall.others = queue_at(e, queue)->strict ? before.not_passed : shortfall.least;
    shortfall.first = find_first(e, queue, &shortfall);
    shortfall.alike = before.all > 0 ? before.squares / before.all : 0;
    shortfall.most += before.all + amount_of(e, id, shortfall.resource);
    if (shortfall.least > 0)
        outlook_find(e, queue, &shortfall, ret);
    else
        say_none(ret, "there is room, and it waits for its turn");
}

uint32_t position_demand(const struct engine *e, uint32_t id, struct quota_row *ret)
{
    const struct line *line = line_at(e, claim_at(e, id)->line);

    for (uint32_t i = 0; i < line_count(e, line); i++)
        ret[i] = (struct quota_row){.resource = name_text(e, line_resource(e, line, i)),
                                    .usage = line_amount(e, line, i)};
    return line_count(e, line);
}
