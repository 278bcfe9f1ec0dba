/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_OBJECT_H
#define SLUICE_T_PLAYER_OBJECT_H

#include "abi/msg/writer.h"
#include "t/player/draws.h"

/*
 * An object of the player's cluster: a row of small numbers, one for each key that it may have.
 * Number 0 is a key that is not there; a list says what the others stand for. So any object can be
 * drawn, and any key of it changed, without knowing what it means.
 */
enum {
    OBJECT_FIELDS = 40,
    OBJECT_TEXT = 400,
    OBJECT_REASON = 40,
    OBJECT_MIXED =
        240, /* choices: the value's lowest four bits are another matter than the others */
    OBJECT_AS_WRITTEN = 255,       /* the value that the library had written, in the texts below */
    OBJECT_AS_WRITTEN_FALSE = 254, /* of a condition: so, and False */
};

struct object {
    bool there;
    uint8_t incarnation; /* another one under the same name has another uid */
    int64_t version;
    uint8_t v[OBJECT_FIELDS];
    char name[100];
    char granted[OBJECT_TEXT];                  /* as written: a stamp; a manager's memory */
    char flavors[OBJECT_TEXT];                  /* as written: the stamp's flavors */
    char group[OBJECT_TEXT];                    /* as written: a group's name */
    char reasons[OBJECT_FIELDS][OBJECT_REASON]; /* as written: of the conditions, by field */
    char message[OBJECT_TEXT];                  /* as written: of a group's condition */
    int64_t time;                               /* as written: a time */
    uint8_t admission[1024];                    /* as written: a message of its own */
    size_t admission_len;
};

struct field;
typedef void put_value(struct msg_writer *w, const struct object *object, const struct field *field,
                       unsigned value);

enum often { ALWAYS, OFTEN, SELDOM };

struct field {
    const char *key; /* "annotations/x" is the key x of the map annotations */
    enum often often;
    unsigned choices; /* values from 1 to this */
    put_value *put;
    const char *const *words; /* of put_word; the text of value 1 is the first */
};

struct size_class {
    const char *name; /* as observe calls it */
    unsigned slots;
    const struct field *fields;
    const unsigned *field_count; /* a table's length is known where the table is */
    /* The keys that say which object it is; how many. */
    unsigned (*put_identity)(struct msg_writer *w, const struct object *object, unsigned slot);
    bool versioned; /* has a resourceVersion */
};

/* The index of a field. It must be there. */
unsigned kind_field(const struct size_class *kind, const char *key);

/* Draws every field. */
void object_draw(struct object *object, const struct size_class *kind, struct draws *draws);

/* Draws one or two of the fields again. */
void object_change(struct object *object, const struct size_class *kind, struct draws *draws);

/* The object as a map: all of it, or what says which one it is. */
void object_put(struct msg_writer *w, const struct size_class *kind, const struct object *object,
                unsigned slot, bool whole);

/* Values of fields. */
put_value put_word;         /* one of the words */
put_value put_number;       /* value - 1 */
put_value put_sign;         /* -1, 0, 1, ... */
put_value put_truth;        /* true, false */
put_value put_time;         /* some seconds after 1970 */
put_value put_some_amounts; /* a map from resource to amount */

/* A key and a map of amounts, by the same number. */
void put_resources(struct msg_writer *w, unsigned value);

/* A key whose text is the prefix and the number. */
void put_named(struct msg_writer *w, const char *key, const char *prefix, unsigned n);

#endif
