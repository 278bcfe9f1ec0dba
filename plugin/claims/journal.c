/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include "plugin/state.h"

struct journal_room {
    struct event events[JOURNAL_EVENTS];
    char text[JOURNAL_TEXT];
};

int journal_init(struct journal *journal, struct mem *mem)
{
    *journal = (struct journal){.room = mem_alloc(mem, sizeof(struct journal_room))};
    return journal->room == NULL ? -1 : 0;
}

void journal_finish(struct journal *journal, struct mem *mem)
{
    mem_free(mem, journal->room, sizeof(*journal->room));
    journal->room = NULL;
}

/* [there is room for the text and a NUL] */
static const char *keep(struct journal *journal, struct text text)
{
    char *at = journal->room->text + journal->text_len;

    if (text.len > 0)
        memcpy(at, text.at, text.len);
    at[text.len] = '\0';
    journal->text_len += (uint32_t)text.len + 1;
    return at;
}

static void add(struct engine *e, uint32_t id, enum event_kind kind, int64_t a, int64_t b)
{
    struct journal *journal = &e->journal;
    const struct queue *at = queue_at(e, claim_queue(e, id));
    struct text queue = name_text(e, at->name), space = name_text(e, claim_at(e, id)->space),
                name = claim_name(e, id);
    size_t text = queue.len + space.len + name.len + 3;
    struct event *event, *last;

    if (journal->count == JOURNAL_EVENTS || journal->text_len + text > JOURNAL_TEXT) {
        journal->lost++;
        return;
    }
    event = &journal->room->events[journal->count];
    last = journal->count > journal->first ? event - 1 : NULL;
    journal->count++;
    event->kind = kind;
    /* By the record and by which of its users it is. Not used again within 2^32 objects. */
    event->pod = (uint64_t)claim_at(e, id)->serial << 32 | id;
    event->queue = hash_bytes64(queue.at, queue.len, at->kind);
    event->a = a;
    event->b = b;
    if (last != NULL && last->pod == event->pod) {
        event->space = last->space;
        event->name = last->name;
    } else {
        event->space = keep(journal, space);
        event->name = keep(journal, name);
    }
    event->queue_name =
        last != NULL && last->queue == event->queue ? last->queue_name : keep(journal, queue);
}

static bool is_kept(const struct engine *e, uint32_t id)
{
    return e->journal.room != NULL && (claim_at(e, id)->flags & CLAIM_MANAGED) != 0;
}

/* A pod's creation is told in seconds, by another clock: it may be ahead of ours. */
static int64_t since(const struct engine *e, int64_t at)
{
    return e->now > at ? e->now - at : 0;
}

static int64_t since_grant(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    return claim_holds(claim) ? since(e, claim->stamp) : -1;
}

/* What was there before the engine knew all is no news, and its past is not known. */
void journal_seen(struct engine *e, uint32_t id, const struct pod_facts *pod)
{
    if (e->journal.room != NULL && gate_manages(&e->config, pod) && pod->node.len == 0)
        add(e, id, EVENT_SEEN, e->synced ? since(e, pod->created) : -1, 0);
}

void journal_ungated(struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    if (is_kept(e, id) && claim_holds(claim) && claim->gates != 0 &&
        (claim->flags & (CLAIM_GATES_GONE | CLAIM_BOUND)) == 0)
        add(e, id, EVENT_ACKNOWLEDGED, since_grant(e, id), since(e, claim->queued));
}

/* Nobody can be bound whose gate is on. After post_bind an older version may be seen, without its
 * node: so that it is bound would come twice. */
void journal_bound(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    bool passed_reserve = claim->state == CLAIM_ALLOCATED;

    journal_ungated(e, id);
    if (is_kept(e, id) && (claim->flags & CLAIM_BOUND) == 0 && !claim->was_bound)
        add(e, id, EVENT_BOUND, passed_reserve ? since(e, claim->since) : -1,
            since(e, claim->queued));
    claim->was_bound = 1;
}

void journal_observed(struct engine *e, uint32_t id, const struct pod_facts *pod)
{
    if (pod->gates.ours == 0)
        journal_ungated(e, id);
    if (pod->node.len > 0)
        journal_bound(e, id);
}

/* When it was first named: exactly, unless what holds it has changed since; then to the second. */
static int64_t first_named(const struct claim *claim)
{
    if (claim->since / SECOND == (int64_t)claim->first_second)
        return claim->since;
    return (int64_t)claim->first_second * SECOND;
}

static void tell_waiting(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    add(e, id, EVENT_ELIGIBLE, claim->was_waiting ? -1 : since(e, first_named(claim)), 0);
    claim->was_waiting = 1;
}

void journal_change(struct engine *e, uint32_t id, enum claim_state next)
{
    const struct claim *claim = claim_at(e, id);
    enum claim_state was = claim->state;

    if (e->journal.going == id) {
        e->journal.going = 0;
        return;
    }
    if (next == was || !is_kept(e, id))
        return;
    if (state_holds(was) && !state_holds(next))
        add(e, id, EVENT_RELEASED, since_grant(e, id), was);
    if (next == CLAIM_WAITING)
        tell_waiting(e, id);
    else if (next == CLAIM_RESERVED && !state_holds(was) && (claim->flags & CLAIM_RESTORING) == 0)
        add(e, id, EVENT_GRANTED, was == CLAIM_WAITING ? since(e, claim->since) : -1,
            since(e, claim->queued));
    else if (next == CLAIM_ALLOCATED && was == CLAIM_RESERVED && (claim->flags & CLAIM_BOUND) == 0)
        add(e, id, EVENT_RESERVED, since_grant(e, id), 0);
}

void journal_handed_out(struct engine *e, uint32_t id)
{
    if (is_kept(e, id))
        add(e, id, EVENT_HANDED_OUT, since_grant(e, id), 0);
}

void journal_effect(struct engine *e, uint32_t id, enum event_kind kind, enum effect_kind effect,
                    uint32_t attempts)
{
    if (!is_kept(e, id))
        return;
    add(e, id, kind, effect, attempts);
    if (kind == EVENT_LEASED && effect == EFFECT_REMOVE_GATES)
        journal_handed_out(e, id);
}

void journal_gone(struct engine *e, uint32_t id)
{
    if (!is_kept(e, id))
        return;
    add(e, id, EVENT_RELEASED, since_grant(e, id), claim_at(e, id)->state | POD_GONE);
    e->journal.going = id;
}

bool engine_next_event(struct engine *e, struct event *ret_event)
{
    struct journal *journal = &e->journal;

    if (journal->first == journal->count) {
        journal->first = journal->count = journal->text_len = 0;
        return false;
    }
    *ret_event = journal->room->events[journal->first++];
    return true;
}

uint64_t engine_take_lost_events(struct engine *e)
{
    uint64_t lost = e->journal.lost;

    e->journal.lost = 0;
    return lost;
}

const char *journal_check(const struct engine *e)
{
    const struct journal *journal = &e->journal;

    if (journal->first > journal->count || journal->count > JOURNAL_EVENTS ||
        journal->text_len > JOURNAL_TEXT)
        return "the journal keeps within its room";
    if (journal->room == NULL && (journal->count > 0 || journal->lost > 0))
        return "a journal that is not kept is empty";
    return NULL;
}
