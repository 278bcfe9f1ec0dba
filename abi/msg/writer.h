/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_MSG_WRITER_H
#define SLUICE_MSG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Packs a message into the caller's buffer. What does not fit is counted and not stored, so an
 * answer is written without looking, and afterwards
 *
 *     if (!msg_writer_fits(&w))
 *         ...   it needs msg_writer_length(&w) bytes; the bytes in the buffer mean nothing
 *
 * Not a byte behind `cap` is ever touched. To fill what fits and stop at a whole entry:
 *
 *     size_t rows = msg_put_array_later(&w);
 *     uint32_t n = 0;
 *     for (...) {
 *         size_t mark = msg_writer_mark(&w);
 *         put_row(&w, row);
 *         if (!msg_writer_fits(&w)) {
 *             msg_writer_rewind(&w, mark);
 *             break;
 *         }
 *         n++;
 *     }
 *     msg_set_count(&w, rows, n);
 *
 * Maps and arrays are headers only: after msg_put_map(w, n) come n keys, each with its value. That
 * the counts are right is up to the caller. Every value takes its shortest form, but for the counts
 * that are set later, which take four bytes.
 */
struct msg_writer {
    uint8_t *out;
    size_t cap;
    size_t length; /* what was written so far, stored or not */
};

/* out may be NULL if cap is 0: to measure. */
void msg_writer_init(struct msg_writer *w, uint8_t *out, size_t cap);
size_t msg_writer_length(const struct msg_writer *w);
bool msg_writer_fits(const struct msg_writer *w);

/* Takes back all that was written since the mark; marks nest. */
size_t msg_writer_mark(const struct msg_writer *w);
void msg_writer_rewind(struct msg_writer *w, size_t mark);

void msg_put_map(struct msg_writer *w, uint32_t pairs);
void msg_put_array(struct msg_writer *w, uint32_t items);

/* text must be UTF-8; text and binary are shorter than 4 GiB, and may be NULL when empty. */
void msg_put_text(struct msg_writer *w, const char *text, size_t len);
void msg_put_bin(struct msg_writer *w, const uint8_t *bytes, size_t len);
void msg_put_int(struct msg_writer *w, int64_t value);
void msg_put_bool(struct msg_writer *w, bool value);
void msg_put_nil(struct msg_writer *w);

/* Here, so that the length of a literal is known when it is compiled. */
static inline void msg_put_str(struct msg_writer *w, const char *zero_terminated)
{
    msg_put_text(w, zero_terminated, strlen(zero_terminated));
}

/* The same, without a call for what nearly every key is: a literal of less than 32 bytes. */
static inline void msg_put_key(struct msg_writer *w, const char *key)
{
    size_t len = strlen(key);

    if (len >= 32 || w->length > w->cap || len >= w->cap - w->length) {
        msg_put_text(w, key, len);
        return;
    }
    w->out[w->length] = (uint8_t)(0xa0 | len);
    memcpy(w->out + w->length + 1, key, len);
    w->length += 1 + len;
}

/*
 * A map or an array whose count is not known yet: both return the place to give to msg_set_count
 * when it is. Until then the count is 0.
 */
size_t msg_put_map_later(struct msg_writer *w);
size_t msg_put_array_later(struct msg_writer *w);
void msg_set_count(struct msg_writer *w, size_t place, uint32_t count);

#endif
