/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"

#include <string.h>

#include <msgpack.h>

enum {
    ARRAY_32 = 0xdd,
    MAP_32 = 0xdf,
};

static void append(struct msg_writer *w, const void *bytes, size_t len)
{
    if (len > 0 && w->length <= w->cap && len <= w->cap - w->length)
        memcpy(w->out + w->length, bytes, len);
    w->length += len;
}

static int append_packed(void *writer, const char *bytes, size_t len)
{
    append(writer, bytes, len);
    return 0;
}

static inline msgpack_packer packer(struct msg_writer *w)
{
    msgpack_packer packer;
    msgpack_packer_init(&packer, w, append_packed);
    return packer;
}

void msg_writer_init(struct msg_writer *w, uint8_t *out, size_t cap)
{
    w->out = out;
    w->cap = cap;
    w->length = 0;
}

size_t msg_writer_length(const struct msg_writer *w)
{
    return w->length;
}

bool msg_writer_fits(const struct msg_writer *w)
{
    return w->length <= w->cap;
}

size_t msg_writer_mark(const struct msg_writer *w)
{
    return w->length;
}

void msg_writer_rewind(struct msg_writer *w, size_t mark)
{
    w->length = mark;
}

void msg_put_map(struct msg_writer *w, uint32_t pairs)
{
    msgpack_packer pk = packer(w);
    msgpack_pack_map(&pk, pairs);
}

void msg_put_array(struct msg_writer *w, uint32_t items)
{
    msgpack_packer pk = packer(w);
    msgpack_pack_array(&pk, items);
}

void msg_put_text(struct msg_writer *w, const char *text, size_t len)
{
    msgpack_packer pk = packer(w);
    msgpack_pack_str(&pk, len);
    append(w, text, len);
}

void msg_put_bin(struct msg_writer *w, const uint8_t *bytes, size_t len)
{
    msgpack_packer pk = packer(w);
    msgpack_pack_bin(&pk, len);
    append(w, bytes, len);
}

void msg_put_int(struct msg_writer *w, int64_t value)
{
    msgpack_packer pk = packer(w);
    msgpack_pack_int64(&pk, value);
}

void msg_put_bool(struct msg_writer *w, bool value)
{
    msgpack_packer pk = packer(w);
    if (value)
        msgpack_pack_true(&pk);
    else
        msgpack_pack_false(&pk);
}

void msg_put_nil(struct msg_writer *w)
{
    msgpack_packer pk = packer(w);
    msgpack_pack_nil(&pk);
}

static size_t put_count_later(struct msg_writer *w, uint8_t first)
{
    uint8_t head[5] = {first};
    append(w, head, sizeof(head));
    return w->length - 4;
}

size_t msg_put_map_later(struct msg_writer *w)
{
    return put_count_later(w, MAP_32);
}

size_t msg_put_array_later(struct msg_writer *w)
{
    return put_count_later(w, ARRAY_32);
}

void msg_set_count(struct msg_writer *w, size_t place, uint32_t count)
{
    if (place > w->cap || w->cap - place < 4)
        return;
    w->out[place] = (uint8_t)(count >> 24);
    w->out[place + 1] = (uint8_t)(count >> 16);
    w->out[place + 2] = (uint8_t)(count >> 8);
    w->out[place + 3] = (uint8_t)count;
}
