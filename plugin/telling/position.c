/* SPDX-License-Identifier: Apache-2.0 */
#include "position.h"

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

static void count_ahead(const struct engine *e, uint32_t id, struct position *place)
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
    }
}

static void find_lack(const struct engine *e, uint32_t id, struct lack *ret)
{
    const struct line *line = line_at(e, claim_at(e, id)->line);
    uint32_t where, need;
    wide room;

    if (!fit_refused(e, claim_at(e, id)->line, &where, &need, &room))
        return;
    ret->is = true;
    ret->kind = queue_at(e, where)->kind;
    ret->name = name_text(e, queue_at(e, where)->name);
    ret->resource = name_text(e, line_resource(e, line, need));
    ret->room = amount_clamp(wide_max(room, 0));
    ret->asked = line_amount(e, line, need);
    ret->wanted = amount_clamp(backlog_sum(e, where, line_resource(e, line, need)));
}

/* A queue that grants at the pace of its last grants gets to the claim in this time. */
static void estimate(const struct engine *e, uint32_t id, struct position *place)
{
    const struct queue *queue = queue_at(e, claim_queue(e, id));
    struct sentence say;

    sentence_init(&say, place->basis, sizeof(place->basis));
    if (queue->grants < 2) {
        sentence_str(&say, "too few grants in this queue to tell");
        return;
    }
    place->estimate = amount_clamp((wide)place->position * queue->grant_gap);
    sentence_str(&say, place->at_least ? "place at least " : "place ");
    sentence_number(&say, place->position);
    sentence_str(&say, ", at the mean time between the queue's last grants, ");
    sentence_span(&say, queue->grant_gap);
}

void position_none(struct position *ret)
{
    ret->position = ret->ahead_count = 0;
    ret->at_least = false;
    ret->on = (struct lack){0};
    ret->estimate = -1;
    ret->basis[0] = '\0';
}

void position_find(const struct engine *e, uint32_t id, enum reason reason, struct position *ret)
{
    position_none(ret);
    count_ahead(e, id, ret);
    if (reason == REASON_QUEUE_CAPACITY)
        find_lack(e, id, &ret->on);
    estimate(e, id, ret);
}

uint32_t position_demand(const struct engine *e, uint32_t id, struct quota_row *ret)
{
    const struct line *line = line_at(e, claim_at(e, id)->line);

    for (uint32_t i = 0; i < line_count(e, line); i++)
        ret[i] = (struct quota_row){.resource = name_text(e, line_resource(e, line, i)),
                                    .usage = line_amount(e, line, i)};
    return line_count(e, line);
}
