/* SPDX-License-Identifier: Apache-2.0 */
#include "claim.h"

#include "claim_rest.h"
#include "plugin/base/outbox.h"
#include "plugin/pods/assembly.h"
#include "plugin/pods/booking.h"
#include "plugin/pods/let_go.h"
#include "plugin/queues/queue_life.h"
#include "plugin/state.h"
#include "plugin/telling/journal.h"

/* Records of claims: how they are made, found, compared and freed. */

/* How much of a uid is in the text. */
static size_t long_uid(size_t len)
{
    return len > CLAIM_SHORT_UID ? len : 0;
}

struct text claim_uid(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);

    return (struct text){long_uid(claim->uid_len) == 0
                             ? claim->uid
                             : claim->text + claim->need_count * sizeof(uint16_t),
                         claim->uid_len};
}

struct text claim_name(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    size_t at = claim->need_count * sizeof(uint16_t) + long_uid(claim->uid_len);

    return (struct text){claim->text + at, claim->name_len};
}

uint32_t claim_queue(const struct engine *e, uint32_t id)
{
    return line_queue(e, claim_line(e, id));
}

struct pod_question {
    const struct engine *e;
    struct text name;
    uint32_t space;
};

static bool same_uid(const void *ctx, uint32_t id)
{
    const struct pod_question *q = ctx;

    return text_same(claim_uid(q->e, id), q->name);
}

static bool same_name(const void *ctx, uint32_t id)
{
    const struct pod_question *q = ctx;

    return claim_at(q->e, id)->space == q->space && text_same(claim_name(q->e, id), q->name);
}

uint32_t claim_hash(struct text text, uint32_t space)
{
    return hash_bytes(text.at, text.len, space);
}

uint32_t claim_find(const struct engine *e, struct text uid)
{
    struct pod_question q = {e, uid, 0};

    return index_find(&e->claims_by_uid, claim_hash(uid, 0), same_uid, &q);
}

uint32_t claim_find_named(const struct engine *e, struct text space, struct text name)
{
    struct pod_question q = {e, name, intern_find(&e->names, space.at, space.len)};

    return index_find(&e->claims_by_name, claim_hash(name, q.space), same_name, &q);
}

/* By uid; and where a host gave one uid to a pod and a group, or to two groups, by what else makes
 * them different. */
static int compare_identity(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct claim *x = claim_at(e, a), *y = claim_at(e, b);
    int order = text_compare(claim_uid(e, a), claim_uid(e, b));

    if (order == 0)
        order = (x->flags & CLAIM_GANG) - (y->flags & CLAIM_GANG);
    if (order == 0)
        order = text_compare(claim_name(e, a), claim_name(e, b));
    return order != 0 ? order : text_compare(name_text(e, x->space), name_text(e, y->space));
}

int claim_compare_rank(const struct engine *e, uint32_t a, uint32_t b)
{
    const struct claim *x = claim_at(e, a), *y = claim_at(e, b);

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->created != y->created)
        return x->created < y->created ? -1 : 1;
    return a == b ? 0 : compare_identity(e, a, b);
}

bool claim_is_before(const struct engine *e, uint32_t a, uint32_t b)
{
    return claim_compare_rank(e, a, b) < 0;
}

bool claim_before(const void *e, uint32_t a, uint32_t b)
{
    return claim_is_before(e, a, b);
}

static struct tree_link *claim_link(const void *ctx, uint32_t id)
{
    return &claim_at(ctx, id)->link;
}

static int compare_rank(const void *ctx, uint32_t a, uint32_t b)
{
    return claim_compare_rank(ctx, a, b);
}

static int compare_stamp(const void *ctx, uint32_t a, uint32_t b)
{
    const struct claim *x = claim_at(ctx, a), *y = claim_at(ctx, b);

    if (x->stamp != y->stamp)
        return x->stamp < y->stamp ? -1 : 1;
    return claim_compare_rank(ctx, a, b);
}

const struct tree_type claims_by_rank = {claim_link, compare_rank, NULL};
const struct tree_type claims_by_stamp = {claim_link, compare_stamp, NULL};

static size_t text_size(uint32_t needs, size_t uid_len, size_t name_len)
{
    return needs * sizeof(uint16_t) + long_uid(uid_len) + name_len;
}

static char *new_text(struct engine *e, uint32_t needs, struct text uid, struct text name)
{
    size_t flavors = needs * sizeof(uint16_t);
    char *text = mem_alloc(&e->mem, text_size(needs, uid.len, name.len));

    if (text == NULL)
        return NULL;
    memset(text, 0, flavors);
    memcpy(text + flavors, uid.at, long_uid(uid.len));
    if (name.len > 0)
        memcpy(text + flavors + long_uid(uid.len), name.at, name.len);
    return text;
}

char *claim_new_text(struct engine *e, uint32_t id, uint32_t line)
{
    return new_text(e, line_count(e, line_at(e, line)), claim_uid(e, id), claim_name(e, id));
}

size_t claim_text_size(const struct engine *e, uint32_t id, uint32_t line)
{
    return text_size(line_count(e, line_at(e, line)), claim_uid(e, id).len, claim_name(e, id).len);
}

void claim_release_text(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    mem_free(&e->mem, claim->text, text_size(claim->need_count, claim->uid_len, claim->name_len));
}

void claim_set_line(struct engine *e, uint32_t id, uint32_t line, char *text)
{
    struct claim *claim = claim_at(e, id);
    uint32_t old = claim->line, old_queue = claim_queue(e, id);

    claim_set_flavors(e, id, NULL);
    claim_release_text(e, id);
    claim->text = text;
    claim->line = line;
    claim->need_count = line_count(e, line_at(e, line)) & 63u;
    if (claim_group(e, claim) != 0 && (claim->flags & CLAIM_GANG) == 0 &&
        claim_queue(e, id) != old_queue)
        group_at(e, claim_group(e, claim))->spread = true;
    if (claim->state == CLAIM_HELD) {
        queue_count(e, old_queue, CLAIM_HELD, -1);
        queue_count(e, claim_queue(e, id), CLAIM_HELD, 1);
    }
    line_unref(e, old);
}

void claim_swap_line(struct engine *e, uint32_t id, uint32_t line, char *text)
{
    struct claim *claim = claim_at(e, id);
    uint32_t old = claim->line;

    memcpy(text, claim->text, claim->need_count * sizeof(uint16_t));
    claim_release_text(e, id);
    claim->text = text;
    claim->line = line;
    line_unref(e, old);
}

int claim_create(struct engine *e, const struct pod_facts *pod, uint32_t line, uint32_t *ret_claim)
{
    uint32_t space, id;
    char *text;

    if (slab_reserve(&e->claims, 1) < 0 || index_reserve(&e->claims_by_uid) < 0 ||
        index_reserve(&e->claims_by_name) < 0 ||
        heap_reserve(&e->timers, slab_end(&e->claims) + 1) < 0 ||
        promise_reserve(e, slab_end(&e->claims) + 1) < 0 ||
        intern_get(&e->names, pod->space.at, pod->space.len, &space) < 0)
        return ENGINE_NO_MEMORY;
    text = new_text(e, line_count(e, line_at(e, line)), pod->uid, pod->name);
    if (text == NULL) {
        intern_unref(&e->names, space);
        return ENGINE_NO_MEMORY;
    }

    id = slab_take(&e->claims);
    *claim_at(e, id) = (struct claim){.created = pod->created,
                                      .priority = pod->priority,
                                      .line = line,
                                      .need_count = line_count(e, line_at(e, line)) & 63u,
                                      .text = text,
                                      .since = e->now,
                                      .first_second = (uint32_t)(e->now / SECOND),
                                      .space = space,
                                      .state = CLAIM_HELD,
                                      .reason = REASON_NOT_READY,
                                      .uid_len = (uint8_t)pod->uid.len,
                                      .name_len = (uint8_t)pod->name.len,
                                      .serial = ++e->serials};
    if (long_uid(pod->uid.len) == 0 && pod->uid.len > 0)
        memcpy(claim_at(e, id)->uid, pod->uid.at, pod->uid.len);
    index_put(&e->claims_by_uid, claim_hash(pod->uid, 0), id);
    index_put(&e->claims_by_name, claim_hash(pod->name, space), id);
    queue_count(e, line_queue(e, line_at(e, line)), CLAIM_HELD, 1);
    journal_seen(e, id, pod);
    *ret_claim = id;
    return 0;
}

int claim_create_entry(struct engine *e, uint32_t group, struct text uid, uint32_t line,
                       uint32_t *ret_claim)
{
    const struct group *of = group_at(e, group);
    struct text name = name_text(e, of->name);
    uint32_t id, place;
    char *text;

    if (slab_reserve(&e->claims, 1) < 0 || group_reserve_member(e) < 0 ||
        heap_reserve(&e->timers, slab_end(&e->claims) + 1) < 0 ||
        promise_reserve(e, slab_end(&e->claims) + 1) < 0)
        return ENGINE_NO_MEMORY;
    if ((text = new_text(e, FACTS_MAX_NEEDS, uid, name)) == NULL)
        return ENGINE_NO_MEMORY;
    intern_ref(&e->names, of->space);
    id = slab_take(&e->claims);
    place = slab_take(&e->members);
    *member_at(e, place) = (struct member){.group = group};
    *claim_at(e, id) = (struct claim){.line = line,
                                      .need_count = FACTS_MAX_NEEDS,
                                      .text = text,
                                      .flags = CLAIM_GANG,
                                      .state = CLAIM_HELD,
                                      .reason = REASON_NOT_READY,
                                      .space = of->space,
                                      .uid_len = (uint8_t)uid.len,
                                      .name_len = (uint8_t)name.len,
                                      .member = place};
    if (long_uid(uid.len) == 0 && uid.len > 0)
        memcpy(claim_at(e, id)->uid, uid.at, uid.len);
    e->entries++;
    *ret_claim = id;
    return 0;
}

void claim_destroy_entry(struct engine *e, uint32_t id)
{
    heap_clear(&e->timers, id);
    claim_release_text(e, id);
    intern_unref(&e->names, claim_at(e, id)->space);
    slab_give(&e->members, claim_at(e, id)->member);
    slab_give(&e->claims, id);
    e->entries--;
}

void claim_destroy(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    uint32_t line = claim->line;

    journal_gone(e, id);
    claim_change(e, id, CLAIM_HELD, REASON_NOT_READY);
    group_leave(e, id);
    if ((claim->flags & CLAIM_LET_GO) == 0)
        queue_count(e, line_queue(e, line_at(e, line)), CLAIM_HELD, -1);
    outbox_forget(&e->outbox, EFFECT_OF_POD, id);
    heap_clear(&e->timers, id);
    index_drop(&e->claims_by_uid, claim_hash(claim_uid(e, id), 0), id);
    index_drop(&e->claims_by_name, claim_hash(claim_name(e, id), claim->space), id);
    claim_set_flavors(e, id, NULL);
    claim_release_text(e, id);
    intern_unref(&e->names, claim->space);
    intern_unref(&e->names, claim->node);
    intern_unref(&e->names, claim->a_foreign_gate);
    slab_give(&e->claims, id);
    line_unref(e, line);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t confirm_by(const struct claim *claim)
{
    return ((int64_t)claim->first_second + CLAIM_CONFIRM_SECONDS) * SECOND;
}

int64_t claim_pauses_until(const struct claim *claim)
{
    int doublings = claim->timeouts - 1;
    int most = claim->flags & CLAIM_GANG ? BOOKING_BACKOFF_DOUBLINGS : CLAIM_BACKOFF_DOUBLINGS;

    if (doublings > most)
        doublings = most;
    return claim->since + (CLAIM_BACKOFF_SECONDS * SECOND << doublings);
}

int64_t claim_deadline(const struct engine *e, uint32_t id)
{
    const struct claim *claim = claim_at(e, id);
    int64_t at = INT64_MAX;

    if (claim->flags & CLAIM_GANG)
        return earlier(assembly_deadline(e, id), booking_deadline(e, id));
    if (let_go_is_over(e, id))
        return e->now;
    if (claim->flags & CLAIM_PROVISIONAL)
        at = confirm_by(claim);
    if (claim->flags & (CLAIM_VICTIM | CLAIM_SPARED))
        at = earlier(at, promise_deadline(e, id));
    if (claim->state == CLAIM_RESERVED && !e->config.observe_only &&
        (claim->flags & CLAIM_STOPPED) == 0 && !queue_stops_granted(e, claim_queue(e, id))) {
        if ((claim->flags & CLAIM_SEEN_IN_CYCLE) == 0 && assembly_holds(e, id) == REASON_NONE)
            at = earlier(at, claim->since + CLAIM_CYCLE_SECONDS * SECOND);
        if (e->config.reservation_timeout > 0)
            at = earlier(at, claim->since + e->config.reservation_timeout);
    }
    if (claim->state == CLAIM_HELD && claim->reason == REASON_BACKOFF)
        at = earlier(at, claim_pauses_until(claim));
    return at;
}

void claim_set_timer(struct engine *e, uint32_t id)
{
    int64_t at = claim_deadline(e, id), due = outbox_due(&e->outbox, EFFECT_OF_POD, id);

    if (due != 0)
        at = earlier(at, due);
    if (at == INT64_MAX)
        heap_clear(&e->timers, id);
    else
        heap_set(&e->timers, id, at);
}

void claim_expire(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);

    outbox_expire(&e->outbox, EFFECT_OF_POD, id);
    if (claim_deadline(e, id) > e->now) {
        claim_set_timer(e, id);
        return;
    }
    if ((claim->flags & CLAIM_GANG) != 0 && booking_deadline(e, id) <= e->now) {
        booking_expire(e, id);
    } else if (claim->flags & CLAIM_GANG) {
        assembly_expire(e, id);
    } else if (let_go_is_over(e, id)) {
        claim_destroy(e, id);
    } else if ((claim->flags & CLAIM_PROVISIONAL) && confirm_by(claim) <= e->now) {
        claim_destroy(e, id);
    } else if (promise_deadline(e, id) <= e->now) {
        promise_expire(e, id);
    } else if (claim->state == CLAIM_RESERVED) {
        if (claim->timeouts < CLAIM_MOST_TIMEOUTS)
            claim->timeouts = (claim->timeouts + 1) & CLAIM_MOST_TIMEOUTS;
        claim_change(e, id, CLAIM_HELD, REASON_BACKOFF);
    } else {
        claim_to_rest(e, id);
    }
}
