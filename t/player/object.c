/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/object.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "hooks/encode.h"

unsigned kind_field(const struct size_class *kind, const char *key)
{
    unsigned i = 0;

    while (strcmp(kind->fields[i].key, key) != 0) {
        i++;
        assert(i < *kind->field_count);
    }
    return i;
}

static void draw_field(struct object *object, const struct size_class *kind, unsigned i,
                       struct draws *draws)
{
    const struct field *field = &kind->fields[i];
    bool there = field->often == ALWAYS ||
                 (field->often == OFTEN ? draw(draws, 4) != 0 : draw_once_in(draws, 10));

    object->v[i] = there ? (uint8_t)(1 + draw(draws, field->choices)) : 0;
}

void object_draw(struct object *object, const struct size_class *kind, struct draws *draws)
{
    for (unsigned i = 0; i < *kind->field_count; i++)
        draw_field(object, kind, i, draws);
}

void object_change(struct object *object, const struct size_class *kind, struct draws *draws)
{
    for (unsigned times = 1 + draw(draws, 2); times > 0; times--) {
        unsigned i = draw(draws, *kind->field_count);

        if (kind->fields[i].often == SELDOM && draw(draws, 2) == 0) /* what matters changes more */
            i = draw(draws, *kind->field_count);
        if (kind->fields[i].choices == OBJECT_MIXED && object->v[i] != 0 &&
            object->v[i] <= OBJECT_MIXED && draw(draws, 2) == 0)
            object->v[i] =
                (uint8_t)(1 + (object->v[i] - 1u + 16 * (1 + draw(draws, 14))) % OBJECT_MIXED);
        else
            draw_field(object, kind, i, draws);
    }
}

/* The fields of one map are beside each other; the last key of such a path is put into it. */
struct map_open {
    const char *path; /* of the field that opened it */
    size_t len;       /* of its name; 0: none is open */
    size_t place;
    uint32_t count;
};

static void close_map(struct msg_writer *w, struct map_open *open)
{
    if (open->len > 0)
        msg_set_count(w, open->place, open->count);
    open->len = 0;
}

/* Returns how many keys it added to the object's own. */
static uint32_t put_field(struct msg_writer *w, const struct object *object,
                          const struct field *field, unsigned value, struct map_open *open)
{
    const char *slash = strchr(field->key, '/');
    size_t len = slash == NULL || field->key[0] == '/' ? 0 : (size_t)(slash - field->key);
    uint32_t keys = 0;

    /* A map is named by a word; what has a dot or another slash before is a key itself. */
    if (len != 0 && memchr(field->key, '.', len) != NULL)
        len = 0;
    if (open->len != 0 && (open->len != len || memcmp(open->path, field->key, len) != 0))
        close_map(w, open);
    if (len > 0 && open->len == 0) {
        msg_put_text(w, field->key, len);
        *open = (struct map_open){field->key, len, msg_put_map_later(w), 0};
        keys++;
    }
    if (len > 0)
        open->count++;
    else
        keys++;
    msg_put_str(w, len > 0 ? slash + 1 : field->key);
    field->put(w, object, field, value);
    return keys;
}

void object_put(struct msg_writer *w, const struct size_class *kind, const struct object *object,
                unsigned slot, bool whole)
{
    struct map_open open = {0};
    size_t place = msg_put_map_later(w);
    uint32_t keys = kind->put_identity(w, object, slot);

    if (kind->versioned && object->version > 0 && whole) {
        put_key_int(w, "resourceVersion", object->version);
        keys++;
    }
    for (unsigned i = 0; whole && i < *kind->field_count; i++)
        if (object->v[i] != 0)
            keys += put_field(w, object, &kind->fields[i], object->v[i], &open);
    close_map(w, &open);
    msg_set_count(w, place, keys);
}

void put_word(struct msg_writer *w, const struct object *object, const struct field *field,
              unsigned value)
{
    (void)object;
    msg_put_str(w, field->words[value - 1]);
}

void put_number(struct msg_writer *w, const struct object *object, const struct field *field,
                unsigned value)
{
    (void)object, (void)field;
    msg_put_int(w, (int64_t)value - 1);
}

void put_sign(struct msg_writer *w, const struct object *object, const struct field *field,
              unsigned value)
{
    (void)object, (void)field;
    msg_put_int(w, (int64_t)value - 2);
}

void put_truth(struct msg_writer *w, const struct object *object, const struct field *field,
               unsigned value)
{
    (void)object, (void)field;
    msg_put_bool(w, value % 2 == 1);
}

void put_time(struct msg_writer *w, const struct object *object, const struct field *field,
              unsigned value)
{
    (void)field;
    msg_put_int(w,
                value == OBJECT_AS_WRITTEN ? object->time : (int64_t)value * INT64_C(1000000000));
}

void put_resources(struct msg_writer *w, unsigned value)
{
    static const char *const resources[] = {"cpu", "memory", "x/gpu", "pods"};
    static const struct {
        const char *text; /* NULL: the number */
        int64_t number;
    } amounts[] = {{NULL, 0}, {NULL, 1000}, {NULL, 2000}, {"3", 0}, {"500m", 0}, {NULL, INT64_MAX}};
    size_t place = msg_put_map_later(w);
    unsigned number = value * 2654435761u >> 8;
    uint32_t count = 0;

    /* Small values ask for one resource, as most do. */
    for (unsigned i = 0; i < 4; i++, number /= 7) {
        unsigned which = value <= 8 && i > 0 ? 0 : number % 23;

        if (value <= 8 && i == 0)
            which = 1 + value % 5;
        if (which == 0 || which > 6)
            continue;
        if (amounts[which - 1].text != NULL)
            put_key_str(w, resources[i], amounts[which - 1].text);
        else
            put_key_int(w, resources[i], amounts[which - 1].number / (i == 0 ? 1 : 1000));
        count++;
    }
    msg_set_count(w, place, count);
}

void put_some_amounts(struct msg_writer *w, const struct object *object, const struct field *field,
                      unsigned value)
{
    (void)object, (void)field;
    put_resources(w, value);
}

void put_named(struct msg_writer *w, const char *key, const char *prefix, unsigned n)
{
    char name[64];

    snprintf(name, sizeof(name), "%s%u", prefix, n);
    put_key_str(w, key, name);
}
