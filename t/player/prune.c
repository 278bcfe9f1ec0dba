/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/prune.h"

#include "abi/msg/reader.h"
#include "abi/msg/writer.h"

static void copy_value(struct msg_reader *r, struct msg_writer *w, unsigned *left, bool *pruned);

static bool is_next(unsigned *left, bool *pruned)
{
    if (*pruned || (*left)-- > 0)
        return false;
    *pruned = true;
    return true;
}

static void copy_map(struct msg_reader *r, struct msg_writer *w, unsigned *left, bool *pruned)
{
    size_t place = msg_put_map_later(w);
    struct msg_map map;
    struct msg_text key;
    uint32_t count = 0;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (is_next(left, pruned)) {
            msg_skip_value(r);
            continue;
        }
        msg_put_text(w, key.at, key.len);
        copy_value(r, w, left, pruned);
        count++;
    }
    msg_set_count(w, place, count);
}

static void copy_array(struct msg_reader *r, struct msg_writer *w, unsigned *left, bool *pruned)
{
    size_t place = msg_put_array_later(w);
    struct msg_array array;
    uint32_t count = 0;

    msg_open_array(r, &array);
    while (msg_next_item(r, &array)) {
        if (is_next(left, pruned)) {
            msg_skip_value(r);
            continue;
        }
        copy_value(r, w, left, pruned);
        count++;
    }
    msg_set_count(w, place, count);
}

static void copy_value(struct msg_reader *r, struct msg_writer *w, unsigned *left, bool *pruned)
{
    enum msg_type type = msg_peek_type(r);
    const uint8_t *from = r->at;

    if (type == MSG_MAP) {
        copy_map(r, w, left, pruned);
    } else if (type == MSG_ARRAY) {
        copy_array(r, w, left, pruned);
    } else {
        msg_skip_value(r);
        for (; from < r->at && r->error == 0; from++, w->length++)
            if (w->length < w->cap)
                w->out[w->length] = *from;
    }
}

bool prune(const uint8_t *bytes, size_t len, unsigned nth, uint8_t *out, size_t cap,
           size_t *ret_len)
{
    static const struct msg_limits limits = {MSG_BYTES_DEFAULT, MSG_DEPTH_DEFAULT};
    struct msg_reader r;
    struct msg_writer w;
    bool pruned = false;
    size_t at;

    if (msg_check(bytes, len, &limits, &at) < 0)
        return false;
    msg_reader_init(&r, bytes, len);
    msg_writer_init(&w, out, cap);
    copy_value(&r, &w, &nth, &pruned);
    *ret_len = msg_writer_length(&w);
    return pruned && r.error == 0 && msg_writer_fits(&w);
}
