/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/deed.h"

#include <stdio.h>
#include <string.h>

uint8_t *deed_field(struct host *host, enum cast kind, unsigned slot, const char *key)
{
    return &host->objects[kind][slot].v[kind_field(&cast_kinds[kind], key)];
}

bool deed_is(const struct msg_reader *effect, const char *key, const char *word)
{
    char text[32];

    peek_text(effect, key, text, sizeof(text));
    return strcmp(text, word) == 0;
}

/* The slot of a uid such as pu3.1, if that object is there. */
bool deed_find(struct host *host, const struct msg_reader *effect, enum cast kind,
               unsigned *ret_slot)
{
    unsigned incarnation;
    char uid[40];

    peek_text(effect, "uid", uid, sizeof(uid));
    return sscanf(uid + (uid[0] != '\0'), "u%u.%u", ret_slot, &incarnation) == 2 &&
           *ret_slot < CAST_SLOTS && host->objects[kind][*ret_slot].there &&
           host->objects[kind][*ret_slot].incarnation == incarnation;
}

/* The value of the word, 0: none of them. */
static uint8_t value_of(enum cast kind, const char *key, const char *word)
{
    const struct field *field = &cast_kinds[kind].fields[kind_field(&cast_kinds[kind], key)];

    for (unsigned i = 0; i < field->choices; i++)
        if (strcmp(field->words[i], word) == 0)
            return (uint8_t)(i + 1);
    return 0;
}

void deed_take_word(struct host *host, enum cast kind, unsigned slot, const char *key,
                    const struct msg_reader *from, const char *name)
{
    char word[64];

    peek_text(from, name, word, sizeof(word));
    *deed_field(host, kind, slot, key) = value_of(kind, key, word);
}

void deed_remove_gates(struct host *host, unsigned slot, const struct msg_reader *effect)
{
    struct object *pod = &host->objects[CAST_POD][slot];
    struct msg_reader gates, annotations;
    struct msg_array array;
    struct msg_text name;

    if (peek(effect, "gates", &gates) && msg_open_array(&gates, &array))
        while (msg_next_item(&gates, &array)) {
            if (!msg_get_text(&gates, 0, SIZE_MAX, &name))
                break;
            *deed_field(host, CAST_POD, slot, "gates") &= (uint8_t) ~(name.at[0] == 's' ? 1u : 2u);
        }
    if (!peek(effect, "annotations", &annotations))
        return;
    peek_text(&annotations, "sluice.sh/granted", pod->granted, sizeof(pod->granted));
    peek_text(&annotations, "sluice.sh/flavors", pod->flavors, sizeof(pod->flavors));
    *deed_field(host, CAST_POD, slot, "annotations/sluice.sh/granted") =
        pod->granted[0] != '\0' ? OBJECT_AS_WRITTEN : 0;
    *deed_field(host, CAST_POD, slot, "annotations/sluice.sh/flavors") =
        pod->flavors[0] != '\0' ? OBJECT_AS_WRITTEN : 0;
}

static unsigned change_pod(struct host *host, const struct msg_reader *effect, int64_t *ret_version)
{
    struct object *pod;
    unsigned slot;

    if (!deed_find(host, effect, CAST_POD, &slot))
        return DEED_GONE;
    pod = &host->objects[CAST_POD][slot];
    if (deed_is(effect, "kind", "answerPermit"))
        host->permits[slot] = peek_bool(effect, "allow", false) ? PERMIT_ALLOWED : PERMIT_REFUSED;
    if (deed_is(effect, "kind", "activate") || deed_is(effect, "kind", "answerPermit"))
        return DEED_DONE;
    if (deed_is(effect, "kind", "setCondition") &&
        peek_int(effect, "resourceVersion", 0) != pod->version)
        return DEED_CONFLICT;
    if (deed_is(effect, "kind", "removeGates")) {
        deed_remove_gates(host, slot, effect);
    } else if (deed_is(effect, "kind", "setCondition")) {
        *deed_field(host, CAST_POD, slot, "unschedulable") = 0;
    } else if (deed_is(effect, "kind", "setGroup")) {
        peek_text(effect, "group", pod->group, sizeof(pod->group));
        *deed_field(host, CAST_POD, slot, "annotations/scheduling.k8s.io/group-name") =
            OBJECT_AS_WRITTEN;
    } else { /* evictPod */
        pod->there = false;
        host_changed(host, CAST_POD, slot);
        return DEED_DONE;
    }
    host_changed(host, CAST_POD, slot);
    *ret_version = pod->version;
    return DEED_DONE;
}

static unsigned write_queue(struct host *host, const struct msg_reader *effect,
                            int64_t *ret_version)
{
    struct msg_reader annotations;
    unsigned slot;

    if (!deed_find(host, effect, CAST_QUEUE, &slot))
        return DEED_GONE;
    deed_take_word(host, CAST_QUEUE, slot, "state", effect, "state");
    if (peek(effect, "annotations", &annotations)) {
        deed_take_word(host, CAST_QUEUE, slot, "annotations/volcano.sh/closed-by-parent",
                       &annotations, "volcano.sh/closed-by-parent");
        deed_take_word(host, CAST_QUEUE, slot, "annotations/volcano.sh/suspended-by-parent",
                       &annotations, "volcano.sh/suspended-by-parent");
    }
    host_changed(host, CAST_QUEUE, slot);
    *ret_version = host->objects[CAST_QUEUE][slot].version;
    return DEED_DONE;
}

/* As a group's field says it. */
static uint8_t minimum_of(const struct msg_reader *effect)
{
    int64_t minimum = peek_int(effect, "minMember", 0);

    return (uint8_t)(minimum < 200 ? minimum + 2 : 202);
}

static unsigned create_group(struct host *host, const struct msg_reader *effect)
{
    struct object *group;
    unsigned slot, free = CAST_SLOTS;
    char name[sizeof(group->name)];

    peek_text(effect, "name", name, sizeof(name));
    for (slot = 0; slot < CAST_SLOTS; slot++) {
        const char *has = host->objects[CAST_GROUP][slot].name;

        if (strcmp(slot < 5 ? cast_group_names[slot] : has, name) == 0) {
            if (host->objects[CAST_GROUP][slot].there)
                return DEED_DONE;
            free = slot;
        } else if (slot >= 5 && free == CAST_SLOTS && !host->objects[CAST_GROUP][slot].there) {
            free = slot;
        }
    }
    if (free == CAST_SLOTS)
        return DEED_RETRY;
    group = &host->objects[CAST_GROUP][free];
    *group = (struct object){.there = true, .incarnation = (uint8_t)(group->incarnation + 1)};
    memcpy(group->name, name, sizeof(name));
    *deed_field(host, CAST_GROUP, free, "created") = 9;
    *deed_field(host, CAST_GROUP, free, "minMember") = minimum_of(effect);
    deed_take_word(host, CAST_GROUP, free, "queue", effect, "queue");
    host_changed(host, CAST_GROUP, free);
    return DEED_DONE;
}

/* Two of the cast's PodGroups are called as pods with a minimum ask for it. */
static unsigned create_native_group(struct host *host, const struct msg_reader *effect)
{
    struct object *group;
    unsigned slot = 0;

    while (slot < CAST_COMPOSITE && !deed_is(effect, "name", cast_group_names[slot]))
        slot++;
    if (slot == CAST_COMPOSITE)
        return DEED_RETRY;
    group = &host->objects[CAST_NATIVE][slot];
    if (group->there)
        return DEED_DONE;
    *group = (struct object){.there = true, .incarnation = (uint8_t)(group->incarnation + 1)};
    *deed_field(host, CAST_NATIVE, slot, "created") = 9;
    *deed_field(host, CAST_NATIVE, slot, "ours") = 1;
    *deed_field(host, CAST_NATIVE, slot, "minMember") = minimum_of(effect);
    host_changed(host, CAST_NATIVE, slot);
    return DEED_DONE;
}

static void change_group(struct host *host, enum cast kind, unsigned slot,
                         const struct msg_reader *effect)
{
    *deed_field(host, kind, slot, "minMember") = minimum_of(effect);
    if (kind == CAST_GROUP)
        deed_take_word(host, kind, slot, "queue", effect, "queue");
}

static void write_group_condition(struct host *host, enum cast kind, unsigned slot,
                                  const struct msg_reader *effect)
{
    struct object *group = &host->objects[kind][slot];
    struct msg_reader conditions;
    struct msg_array array;

    if (!peek(effect, "conditions", &conditions) || !msg_open_array(&conditions, &array) ||
        !msg_next_item(&conditions, &array))
        return;
    peek_text(&conditions, "type", group->granted, sizeof(group->granted));
    peek_text(&conditions, "status", group->flavors, sizeof(group->flavors));
    peek_text(&conditions, "reason", group->group, sizeof(group->group));
    peek_text(&conditions, "message", group->message, sizeof(group->message));
    *deed_field(host, kind, slot, "condition") = OBJECT_AS_WRITTEN;
}

static void write_group_counts(struct host *host, unsigned slot, const struct msg_reader *effect)
{
    deed_take_word(host, CAST_GROUP, slot, "phase", effect, "phase");
    *deed_field(host, CAST_GROUP, slot, "running") = (uint8_t)(1 + peek_int(effect, "running", 0));
    *deed_field(host, CAST_GROUP, slot, "succeeded") =
        (uint8_t)(1 + peek_int(effect, "succeeded", 0));
    *deed_field(host, CAST_GROUP, slot, "failed") = (uint8_t)(1 + peek_int(effect, "failed", 0));
}

static void write_group_status(struct host *host, enum cast kind, unsigned slot,
                               const struct msg_reader *effect)
{
    write_group_condition(host, kind, slot, effect);
    if (kind == CAST_GROUP)
        write_group_counts(host, slot, effect);
}

static unsigned write_group(struct host *host, const struct msg_reader *effect,
                            int64_t *ret_version)
{
    enum cast kind = peek_bool(effect, "native", false) ? CAST_NATIVE : CAST_GROUP;
    unsigned slot;

    if (!deed_find(host, effect, kind, &slot))
        return DEED_GONE;
    if (peek_int(effect, "resourceVersion", 0) != host->objects[kind][slot].version)
        return DEED_CONFLICT;
    if (deed_is(effect, "kind", "changeGroup"))
        change_group(host, kind, slot, effect);
    else
        write_group_status(host, kind, slot, effect);
    host_changed(host, kind, slot);
    *ret_version = host->objects[kind][slot].version;
    return DEED_DONE;
}

static unsigned write_dispatch(struct host *host, const struct msg_reader *effect,
                               int64_t *ret_version)
{
    struct object *workload;
    struct msg_reader annotations;
    unsigned slot;

    if (!deed_find(host, effect, CAST_DISPATCH, &slot))
        return DEED_GONE;
    workload = &host->objects[CAST_DISPATCH][slot];
    if (peek_int(effect, "resourceVersion", 0) != workload->version)
        return DEED_CONFLICT;
    if (deed_is(effect, "kind", "setCluster")) {
        deed_take_word(host, CAST_DISPATCH, slot, "cluster", effect, "cluster");
    } else if (deed_is(effect, "kind", "retryCheck")) {
        *deed_field(host, CAST_DISPATCH, slot, "conditions/Evicted") = 1;
    } else if (peek(effect, "annotations", &annotations)) {
        peek_text(&annotations, "sluice.sh/preemption-memory", workload->granted,
                  sizeof(workload->granted));
        *deed_field(host, CAST_DISPATCH, slot, "annotations/sluice.sh/preemption-memory") =
            OBJECT_AS_WRITTEN;
    }
    host_changed(host, CAST_DISPATCH, slot);
    *ret_version = workload->version;
    return DEED_DONE;
}

static unsigned cluster_of(const struct msg_reader *effect)
{
    return deed_is(effect, "cluster", "east") ? 0 : deed_is(effect, "cluster", "north") ? 1 : 2;
}

static unsigned write_replica(struct host *host, const struct msg_reader *effect)
{
    struct object *replica;
    unsigned slot;
    char name[16];

    peek_text(effect, "name", name, sizeof(name));
    if (sscanf(name, "w%u", &slot) != 1 || slot > 3)
        return DEED_GONE;
    slot += 4 * cluster_of(effect);
    replica = &host->objects[CAST_REPLICA][slot];
    if (deed_is(effect, "kind", "createReplica")) {
        if (replica->there)
            return DEED_CONFLICT;
        *replica = (struct object){.there = true,
                                   .incarnation = (uint8_t)((replica->incarnation + 1) % 4)};
        *deed_field(host, CAST_REPLICA, slot, "gates") = 1;
    } else if (!replica->there) {
        return DEED_GONE;
    } else if (deed_is(effect, "kind", "deleteReplica")) {
        replica->there = false;
    } else {
        if (peek_int(effect, "resourceVersion", 0) != replica->version)
            return DEED_CONFLICT;
        *deed_field(host, CAST_REPLICA, slot, "gateStatus") = 3;
    }
    host_changed(host, CAST_REPLICA, slot);
    return DEED_DONE;
}

unsigned deed_carry_out(struct host *host, const struct msg_reader *effect, int64_t *ret_version)
{
    char kind[24];

    *ret_version = 0;
    peek_text(effect, "kind", kind, sizeof(kind));
    if (strcmp(kind, "event") == 0)
        return DEED_DONE;
    if (strcmp(kind, "queueStatus") == 0)
        return write_queue(host, effect, ret_version);
    if (strcmp(kind, "deleteCommand") == 0) {
        unsigned slot;

        if (!deed_find(host, effect, CAST_COMMAND, &slot))
            return DEED_GONE;
        host->objects[CAST_COMMAND][slot].there = false;
        return DEED_DONE;
    }
    if (strcmp(kind, "createGroup") == 0)
        return create_group(host, effect);
    if (strcmp(kind, "createNativeGroup") == 0)
        return create_native_group(host, effect);
    if (strcmp(kind, "changeGroup") == 0 || strcmp(kind, "setGroupStatus") == 0)
        return write_group(host, effect, ret_version);
    if (strcmp(kind, "writeWorkload") == 0)
        return deed_write_workload(host, effect, ret_version);
    if (strcmp(kind, "writeMemory") == 0 || strcmp(kind, "setCluster") == 0 ||
        strcmp(kind, "retryCheck") == 0)
        return write_dispatch(host, effect, ret_version);
    if (strcmp(kind, "createReplica") == 0 || strcmp(kind, "deleteReplica") == 0 ||
        strcmp(kind, "openGate") == 0)
        return write_replica(host, effect);
    return change_pod(host, effect, ret_version);
}
