/* SPDX-License-Identifier: Apache-2.0 */
#include "preemption_memory.h"

#include "fleet_state.h"

#define NOBODY "-" /* the uid of a replica that is not known any more */

/* What is before this character, or all that is left; the rest begins behind it. */
static struct text take_until(struct text *rest, char end)
{
    struct text part = {rest->at, 0};
    size_t all;

    while (part.len < rest->len && rest->at[part.len] != end)
        part.len++;
    all = part.len < rest->len ? part.len + 1 : part.len;
    rest->at += all;
    rest->len -= all;
    return part;
}

static bool parse_time(struct text digits, int64_t *ret)
{
    int64_t value = 0;

    if (digits.len == 0)
        return false;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.at[i] < '0' || digits.at[i] > '9' || value > INT64_MAX / 10 - 1)
            return false;
        value = value * 10 + (digits.at[i] - '0');
    }
    *ret = value;
    return true;
}

bool preemption_memory_parse_head(struct text *rest, int64_t *ret_past)
{
    return text_is(take_until(rest, ' '), "v1") && parse_time(take_until(rest, ' '), ret_past);
}

bool preemption_memory_parse_note(struct text *rest, struct opening *ret)
{
    struct text behind = *rest, word = take_until(&behind, ' ');
    struct opening note = {.worker = take_until(&word, ',')};

    note.uid = take_until(&word, ',');
    if (note.worker.len == 0 || note.uid.len == 0 ||
        !parse_time(take_until(&word, ','), &note.signal) || !parse_time(word, &note.opened))
        return false;
    *rest = behind;
    *ret = note;
    return true;
}

/* Of a text that is there. */
static bool readable(struct text text)
{
    struct opening note;
    int64_t past;

    if (!preemption_memory_parse_head(&text, &past))
        return false;
    while (preemption_memory_parse_note(&text, &note))
        continue;
    return text.len == 0;
}

static int64_t at_most(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void remember_past(struct dispatch *d, int64_t until)
{
    if (until > d->past)
        d->past = until;
    dispatch_count(d, d->past);
}

/* Managers' clocks may differ: what was written in the future happened now. */
static void take_opening(struct fleet *f, uint32_t id, uint32_t replica, const struct opening *note)
{
    struct dispatch *d = dispatch_at(f, id);
    struct replica *r = replica_at(f, replica);
    uint64_t uid = replica_uid_hash(note->uid);
    int64_t at = at_most(note->opened, f->now);

    if (r->opened == at && (r->opened_uid == uid || text_is(note->uid, NOBODY)))
        return; /* our own, or read before */
    if (d->phase == PHASE_WRITING && d->target == replica && d->opening == at)
        return; /* our own, seen before its ack: nothing is opened until that comes */
    if (replica_is(r, REPLICA_UNEXPLAINED) && r->opened_uid == uid)
        replica_set(r, REPLICA_UNEXPLAINED, false);
    else if (at < r->opened)
        return;
    else
        replica_set(r, REPLICA_ASKED, true);
    r->opened = at;
    r->opened_uid = uid;
    if (at + OPENING_WINDOW > d->counted)
        d->fresh = replica;
    dispatch_count(d, at + OPENING_WINDOW);
}

static void take_note(struct fleet *f, uint32_t id, const struct opening *note, bool with_signals)
{
    struct dispatch *d = dispatch_at(f, id);
    uint32_t replica = replica_find(f, id, note->worker);

    if (with_signals && note->signal != 0 && (d->noted == 0 || note->signal < d->noted))
        d->noted = note->signal;
    if (replica == 0) {
        if (note->opened != 0)
            remember_past(d, at_most(note->opened, f->now) + OPENING_WINDOW);
        return;
    }

    struct replica *r = replica_at(f, replica);

    if (with_signals && note->signal != 0) {
        r->noted = at_most(note->signal, f->now);
        r->noted_uid = replica_uid_hash(note->uid);
        if (r->signal != 0 && r->noted_uid == replica_uid_hash(fleet_text(f, r->uid)))
            r->signal = r->noted;
    }
    if (note->opened != 0)
        take_opening(f, id, replica, note);
    replica_rank(f, replica);
}

void preemption_memory_read(struct fleet *f, uint32_t id, struct text text)
{
    struct dispatch *d = dispatch_at(f, id);
    uint64_t hash = hash_bytes64(text.at, text.len, 2);
    bool with_signals = !fleet_leads(f) || !dispatch_is(d, DISPATCH_READ);
    struct opening note;
    int64_t past;

    if (dispatch_is(d, DISPATCH_READ) && d->memory == hash)
        return;
    dispatch_set(d, DISPATCH_READ, true);
    d->memory = hash;
    if (text.len == 0)
        return;
    if (!readable(text)) {
        remember_past(d, f->now);
        return;
    }
    preemption_memory_parse_head(&text, &past);
    remember_past(d, at_most(past, f->now + OPENING_WINDOW));
    while (preemption_memory_parse_note(&text, &note))
        take_note(f, id, &note, with_signals);
}

/* Counts what does not fit, and does not write it. */
struct pen {
    char *out;
    size_t cap, len;
};

static void put(struct pen *pen, struct text text)
{
    if (pen->len < pen->cap && text.len <= pen->cap - pen->len && text.len > 0)
        memcpy(pen->out + pen->len, text.at, text.len);
    pen->len += text.len;
}

static void put_number(struct pen *pen, int64_t number)
{
    char digits[24];
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    put(pen, (struct text){digits + at, sizeof(digits) - at});
}

static void put_note(struct pen *pen, const struct fleet *f, const struct replica *r,
                     struct text uid, int64_t signal, int64_t opened)
{
    put(pen, text_of(" "));
    put(pen, worker_name(f, r->worker));
    put(pen, text_of(","));
    put(pen, uid);
    put(pen, text_of(","));
    put_number(pen, signal);
    put(pen, text_of(","));
    put_number(pen, opened);
}

size_t fleet_memory_text(const struct fleet *f, uint32_t id, char *out, size_t cap)
{
    const struct dispatch *d = dispatch_at(f, id);
    struct pen pen = {out, cap, 0};

    put(&pen, text_of("v1 "));
    put_number(&pen, d->past);
    for (uint32_t at = 0; fleet_next_replica(f, id, &at);) {
        const struct replica *r = replica_at(f, at);
        struct text uid = fleet_text(f, r->uid);
        bool chosen = d->phase == PHASE_WRITING && d->target == at;
        int64_t opened = chosen ? d->opening : r->opened;

        if (opened != 0 && !chosen && (uid.len == 0 || r->opened_uid != replica_uid_hash(uid))) {
            put_note(&pen, f, r, text_of(NOBODY), 0, opened);
            opened = 0;
        }
        if (opened != 0 || r->signal != 0)
            put_note(&pen, f, r, uid, r->signal, opened);
    }
    return pen.len;
}
