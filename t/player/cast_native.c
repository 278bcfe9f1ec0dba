/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/cast.h"

#include "hooks/encode.h"

/* PodGroups of Kubernetes' own, and a CompositePodGroup above some of them. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const queues[] = {"q0", "q1", "c1", "default", "nowhere"};

/* Directly below the composite group are one or two of the cast's PodGroups; or the first is below
 * another composite group. */
static void put_parts(struct msg_writer *w, const struct object *object, const struct field *field,
                      unsigned value)
{
    bool two = value % 2 == 0, deep = value > 2;

    (void)object, (void)field;
    msg_put_array(w, 1u + two + deep);
    if (deep) {
        msg_put_map(w, 3);
        put_key_str(w, "name", "between");
        put_key_int(w, "depth", 1);
        put_key_bool(w, "composite", true);
    }
    for (unsigned i = 0; i < 1u + two; i++) {
        msg_put_map(w, 3);
        put_key_str(w, "name", cast_group_names[i]);
        put_key_int(w, "depth", deep ? 2 : 1);
        put_key_int(w, "minMember", value % 3);
    }
}

static void put_condition(struct msg_writer *w, const struct object *object,
                          const struct field *field, unsigned value)
{
    (void)field;
    msg_put_map(w, 4);
    put_key_str(w, "type", "sluice.sh/QuotaReserved");
    put_key_str(w, "status", value == OBJECT_AS_WRITTEN ? object->flavors : "False");
    put_key_str(w, "reason", value == OBJECT_AS_WRITTEN ? object->group : "QueueCapacity");
    put_key_str(w, "message", value == OBJECT_AS_WRITTEN ? object->message : "");
}

const struct field native_fields[] = {
    {"created", ALWAYS, 8, put_time, NULL},  {"queue", SELDOM, COUNT(queues), put_word, queues},
    {"minMember", OFTEN, 4, put_sign, NULL}, {"priority", SELDOM, 3, put_sign, NULL},
    {"deleted", SELDOM, 2, put_truth, NULL}, {"ours", SELDOM, 2, put_truth, NULL},
    {"mayUse", SELDOM, 2, put_truth, NULL},  {"goesWhole", SELDOM, 2, put_truth, NULL},
    {"parts", OFTEN, 4, put_parts, NULL},    {"condition", SELDOM, 1, put_condition, NULL},
};
const unsigned native_field_count = COUNT(native_fields);
