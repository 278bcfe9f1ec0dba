/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/request.h"

#include <string.h>

enum {
    MAP_32 = 0xdf,
    ARRAY_32 = 0xdd,
    HEAD_BYTES = 5, /* the type, and a count of four bytes, set when the container ends */
};

void request_init(struct request *r)
{
    *r = (struct request){0};
    msgpack_sbuffer_init(&r->bytes);
    msgpack_packer_init(&r->packer, &r->bytes, msgpack_sbuffer_write);
}

void request_clear(struct request *r)
{
    msgpack_sbuffer_clear(&r->bytes);
    r->depth = 0;
    r->failed = false;
}

void request_finish(struct request *r)
{
    msgpack_sbuffer_destroy(&r->bytes);
}

bool request_ok(const struct request *r)
{
    return !r->failed && r->depth == 0;
}

const uint8_t *request_bytes(const struct request *r)
{
    return (const uint8_t *)r->bytes.data;
}

size_t request_len(const struct request *r)
{
    return r->bytes.size;
}

/* Notes that one more value stands in the container that is open, if it was packed. */
static void packed(struct request *r, int error)
{
    r->failed |= error != 0;
    if (r->depth > 0)
        r->open[r->depth - 1].items++;
}

static void open_container(struct request *r, uint8_t type)
{
    const char head[HEAD_BYTES] = {(char)type};
    size_t at = r->bytes.size;

    packed(r, msgpack_sbuffer_write(&r->bytes, head, sizeof(head)));
    if (r->failed || r->depth == REQUEST_DEPTH) {
        r->failed = true;
        return;
    }
    r->open[r->depth].head = at;
    r->open[r->depth].items = 0;
    r->depth++;
}

void r_map(struct request *r)
{
    open_container(r, MAP_32);
}

void r_array(struct request *r)
{
    open_container(r, ARRAY_32);
}

void r_end(struct request *r)
{
    if (r->failed || r->depth == 0) {
        r->failed = true;
        return;
    }
    r->depth--;
    uint8_t *head = (uint8_t *)r->bytes.data + r->open[r->depth].head;
    uint32_t count = r->open[r->depth].items;
    if (head[0] == MAP_32) {
        r->failed |= count % 2 != 0;
        count /= 2;
    }
    for (int i = 0; i < 4; i++)
        head[1 + i] = (uint8_t)(count >> (24 - 8 * i));
}

void r_str(struct request *r, const char *text)
{
    r_text(r, text, strlen(text));
}

void r_text(struct request *r, const char *text, size_t len)
{
    packed(r, msgpack_pack_str(&r->packer, len) || msgpack_pack_str_body(&r->packer, text, len));
}

void r_bin(struct request *r, const uint8_t *bytes, size_t len)
{
    packed(r, msgpack_pack_bin(&r->packer, len) || msgpack_pack_bin_body(&r->packer, bytes, len));
}

void r_int(struct request *r, int64_t value)
{
    packed(r, msgpack_pack_int64(&r->packer, value));
}

void r_bool(struct request *r, bool value)
{
    packed(r, value ? msgpack_pack_true(&r->packer) : msgpack_pack_false(&r->packer));
}

void r_nil(struct request *r)
{
    packed(r, msgpack_pack_nil(&r->packer));
}

void r_value(struct request *r, const msgpack_object *value)
{
    packed(r, msgpack_pack_object(&r->packer, *value));
}

void r_key_map(struct request *r, const char *key)
{
    r_str(r, key);
    r_map(r);
}

void r_key_array(struct request *r, const char *key)
{
    r_str(r, key);
    r_array(r);
}

void r_key_str(struct request *r, const char *key, const char *text)
{
    r_str(r, key);
    r_str(r, text);
}

void r_key_int(struct request *r, const char *key, int64_t value)
{
    r_str(r, key);
    r_int(r, value);
}

void r_key_bool(struct request *r, const char *key, bool value)
{
    r_str(r, key);
    r_bool(r, value);
}

void r_key_value(struct request *r, const char *key, const msgpack_object *value)
{
    r_str(r, key);
    r_value(r, value);
}
