/* SPDX-License-Identifier: Apache-2.0 */
#include "claim_make.h"

#include "claim_change.h"
#include "plugin/notes.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"

static size_t text_size(uint32_t needs, size_t uid_len, size_t name_len)
{
    return needs * sizeof(uint16_t) + claim_long_uid(uid_len) + name_len;
}

static char *new_text(struct engine *e, uint32_t needs, struct text uid, struct text name)
{
    size_t flavors = needs * sizeof(uint16_t);
    char *text = mem_alloc(&e->mem, text_size(needs, uid.len, name.len));

    if (text == NULL)
        return NULL;
    memset(text, 0, flavors);
    memcpy(text + flavors, uid.at, claim_long_uid(uid.len));
    if (name.len > 0)
        memcpy(text + flavors + claim_long_uid(uid.len), name.at, name.len);
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

/* Afterwards the next record can be taken, and has what is kept for each. Negative on error. */
static int reserve_record(struct engine *e)
{
    return slab_reserve(&e->claims.records, 1) < 0 ||
                   heap_reserve(&e->claims.timers, slab_end(&e->claims.records) + 1) < 0 ||
                   pledge_reserve(e) < 0
               ? ENGINE_NO_MEMORY
               : 0;
}

/* A new record, held, with a text of its own. [reserve_record] Negative on error. */
static int take_record(struct engine *e, struct claim claim, struct text uid, struct text name,
                       uint32_t *ret_claim)
{
    claim.text = new_text(e, claim.need_count, uid, name);
    if (claim.text == NULL)
        return ENGINE_NO_MEMORY;
    claim.state = CLAIM_HELD;
    claim.reason = REASON_NOT_READY;
    claim.uid_len = (uint8_t)uid.len;
    claim.name_len = (uint8_t)name.len;
    if (claim_long_uid(uid.len) == 0 && uid.len > 0)
        memcpy(claim.uid, uid.at, uid.len);
    *ret_claim = slab_take(&e->claims.records);
    *claim_at(e, *ret_claim) = claim;
    pledge_begin(e, *ret_claim);
    return 0;
}

int claim_create(struct engine *e, const struct pod_facts *pod, uint32_t line, uint32_t *ret_claim)
{
    struct claim claim = {.queued = pod->created,
                          .priority = pod->priority,
                          .line = line,
                          .need_count = line_count(e, line_at(e, line)) & 63u,
                          .since = e->now,
                          .first_second = (uint32_t)(e->now / SECOND)};
    uint32_t id;

    if (reserve_record(e) < 0 || index_reserve(&e->claims.by_uid) < 0 ||
        index_reserve(&e->claims.by_name) < 0 || name_get(e, pod->space, &claim.space) < 0 ||
        take_record(e, claim, pod->uid, pod->name, &id) < 0) {
        intern_unref(&e->names, claim.space);
        return ENGINE_NO_MEMORY;
    }
    claim_at(e, id)->serial = ++e->claims.serials;
    index_put(&e->claims.by_uid, hash_text(pod->uid, 0), id);
    index_put(&e->claims.by_name, hash_text(pod->name, claim.space), id);
    queue_count(e, line_queue(e, line_at(e, line)), CLAIM_HELD, 1);
    journal_seen(e, id, pod);
    *ret_claim = id;
    return 0;
}

int claim_create_entry(struct engine *e, const struct group *group, struct text uid, uint32_t line,
                       uint32_t *ret_claim)
{
    struct claim claim = {
        .line = line, .need_count = FACTS_MAX_NEEDS, .flags = CLAIM_GANG, .space = group->space};

    if (reserve_record(e) < 0 ||
        take_record(e, claim, uid, name_text(e, group->name), ret_claim) < 0)
        return ENGINE_NO_MEMORY;
    intern_ref(&e->names, group->space);
    e->claims.entries++;
    return 0;
}

/* Its timer, its text and its namespace go with it. */
static void give_record(struct engine *e, uint32_t id)
{
    heap_clear(&e->claims.timers, id);
    claim_release_text(e, id);
    intern_unref(&e->names, claim_at(e, id)->space);
    slab_give(&e->claims.records, id);
}

void claim_destroy_entry(struct engine *e, uint32_t id)
{
    give_record(e, id);
    e->claims.entries--;
}

int claim_create_workload(struct engine *e, struct text space, struct text name, uint32_t *ret)
{
    struct workload workload = {0};
    uint32_t space_word = 0, id;

    if (reserve_record(e) < 0 || slab_reserve(&e->claims.workloads, 1) < 0 ||
        index_reserve(&e->claims.by_name) < 0 || name_get(e, space, &space_word) < 0 ||
        name_get(e, name, &workload.name) < 0) {
        intern_unref(&e->names, space_word);
        return ENGINE_NO_MEMORY;
    }
    id = workload.claim = slab_take(&e->claims.records);
    *claim_at(e, id) =
        (struct claim){.workload = slab_take(&e->claims.workloads), .space = space_word};
    *workload_at(e, id) = workload;
    pledge_begin(e, id);
    index_put(&e->claims.by_name, hash_text(name, space_word), id);
    *ret = id;
    return 0;
}

void claim_destroy_workload(struct engine *e, uint32_t id)
{
    uint32_t hash = hash_text(claim_name(e, id), claim_at(e, id)->space);
    uint32_t place = claim_at(e, id)->workload, word = workload_at(e, id)->name;

    outbox_forget(&e->outbox, EFFECT_OF_WORKLOAD, id);
    index_drop(&e->claims.by_name, hash, id);
    give_record(e, id);
    intern_unref(&e->names, word);
    slab_give(&e->claims.workloads, place);
}

void claim_destroy(struct engine *e, uint32_t id)
{
    struct claim *claim = claim_at(e, id);
    uint32_t line = claim->line;

    journal_gone(e, id);
    claim_change(e, id, CLAIM_HELD, REASON_NOT_READY);
    note_claim_goes(e, id);
    if ((claim->flags & CLAIM_LET_GO) == 0)
        queue_count(e, line_queue(e, line_at(e, line)), CLAIM_HELD, -1);
    outbox_forget(&e->outbox, EFFECT_OF_POD, id);
    index_drop(&e->claims.by_uid, hash_text(claim_uid(e, id), 0), id);
    index_drop(&e->claims.by_name, hash_text(claim_name(e, id), claim->space), id);
    claim_set_flavors(e, id, NULL);
    intern_unref(&e->names, claim->node);
    intern_unref(&e->names, claim->obstacle);
    give_record(e, id);
    line_unref(e, line);
}
