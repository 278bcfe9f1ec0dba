/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "hooks/encode.h"
#include "t/player/host.h"

/* What the host does next, and what has happened in its world before. */

static enum cast draw_kind(struct host *host)
{
    static const uint8_t often[PROFILES][CAST_KINDS] = {
        [PROFILE_PODS] = {[CAST_POD] = 30,
                          [CAST_QUEUE] = 12,
                          [CAST_NODE] = 4,
                          [CAST_FLAVOR] = 3,
                          [CAST_COMMAND] = 5},
        [PROFILE_GROUPS] = {[CAST_POD] = 32,
                            [CAST_QUEUE] = 6,
                            [CAST_NODE] = 3,
                            [CAST_GROUP] = 10,
                            [CAST_NATIVE] = 8,
                            [CAST_COMMAND] = 2},
        [PROFILE_WORKLOADS] = {[CAST_POD] = 5,
                               [CAST_QUEUE] = 12,
                               [CAST_NODE] = 2,
                               [CAST_FLAVOR] = 4,
                               [CAST_WORKLOAD] = 25,
                               [CAST_LOCAL_QUEUE] = 6,
                               [CAST_CHECK] = 3},
        [PROFILE_FLEET] = {[CAST_CLUSTER] = 6, [CAST_DISPATCH] = 14, [CAST_REPLICA] = 18},
        [PROFILE_ALL] = {30, 12, 4, 4, 6, 4, 18, 4, 2, 3, 8, 8, 5},
    };
    const uint8_t *weights = often[host->profile];
    unsigned sum = 0, at, kind;

    for (kind = 0; kind < CAST_KINDS; kind++)
        sum += weights[kind];
    at = draw(host->draws, sum);
    for (kind = 0; at >= weights[kind]; kind++)
        at -= weights[kind];
    return (enum cast)kind;
}

/* Half of those that come are like one that is there: so there are gangs, queues of one tree. */
static void draw_like_another(struct host *host, enum cast kind, struct object *object)
{
    const struct size_class *cast = &cast_kinds[kind];
    const struct object *other = &host->objects[kind][draw(host->draws, cast->slots)];
    struct object was;

    if (!other->there || other == object || draw(host->draws, 2) == 0) {
        object_draw(object, cast, host->draws);
        return;
    }
    was = *object;
    *object = *other;
    object->incarnation = was.incarnation;
    object->version = was.version;
    memcpy(object->name, was.name, sizeof(was.name));
    if (draw(host->draws, 2) == 0) {
        object_change(object, cast, host->draws);
        return;
    }
    if (kind == CAST_POD || kind == CAST_WORKLOAD) /* asks for more, or comes before it */
        object->v[kind_field(cast, "priority")] = (uint8_t)draw(host->draws, 4);
    if (kind == CAST_POD && draw(host->draws, 2) == 0)
        object->v[kind_field(cast, "requests")] = (uint8_t)(1 + draw(host->draws, 4));
    if (kind == CAST_WORKLOAD && draw(host->draws, 2) == 0)
        object->v[kind_field(cast, "podSets")] = (uint8_t)(1 + draw(host->draws, 250));
}

/* An object comes, changes, goes, is shown again as it is or as it was. */
static void move_slot(struct host *host, enum cast kind, unsigned slot)
{
    const struct size_class *cast = &cast_kinds[kind];
    struct object *object = &host->objects[kind][slot], was = *object;
    unsigned what = draw(host->draws, 16);

    if (!object->there) {
        if (what > 13) {
            host_show(host, kind, slot); /* gone, or never there */
            return;
        }
        object->there = true;
        if (draw(host->draws, 4) != 0)
            object->incarnation = (uint8_t)((object->incarnation + 1) % 4);
        draw_like_another(host, kind, object);
        host_write(host, kind, slot);
    } else if (what < 9) {
        object_change(object, cast, host->draws);
        host_write(host, kind, slot);
    } else if (what < 11) {
        object->there = false;
    } else if (what == 11) { /* another one under the same name, before the first is known gone */
        object->incarnation = (uint8_t)((object->incarnation + 1) % 4);
        object_draw(object, cast, host->draws);
        host_write(host, kind, slot);
    } else if (what == 12) { /* as it was */
        object_change(object, cast, host->draws);
        object->version -= 1 + draw(host->draws, 3);
        if (object->version < 0)
            object->version = 0;
        host_show(host, kind, slot);
        *object = was;
        return;
    } else if (what == 13) {
        object->version = 0;
        host_show(host, kind, slot);
        *object = was;
        return;
    }
    host_show(host, kind, slot);
}

static void move_object(struct host *host, enum cast kind)
{
    move_slot(host, kind, draw(host->draws, cast_kinds[kind].slots));
}

void host_announce(struct host *host, const char *kind, bool gone)
{
    struct msg_writer w;

    host_begin(&w, gone ? 3 : 2, host->now);
    put_key_str(&w, "kind", kind);
    if (gone)
        put_key_bool(&w, "gone", true);
    host_send(host, HOOK_OBSERVE, &w);
}

/* What an effect is about, by its uid. */
static bool find_object(const struct ack_line *line, enum cast *ret_kind, unsigned *ret_slot)
{
    static const enum cast kinds[] = {CAST_POD,     CAST_QUEUE,    CAST_GROUP, CAST_COMMAND,
                                      CAST_REPLICA, CAST_DISPATCH, CAST_NATIVE};
    static const char prefixes[] = "pqgcrwn";
    const char *uid = strchr(line->effect, '|'), *prefix;

    if (uid == NULL || sscanf(uid + 2, "u%u.", ret_slot) != 1)
        return false;
    prefix = strchr(prefixes, uid[1]);
    if (prefix == NULL || *prefix == '\0')
        return false;
    *ret_kind = kinds[prefix - prefixes];
    if (strncmp(line->effect, "writeWorkload|", 14) == 0)
        *ret_kind = CAST_WORKLOAD;
    return *ret_slot < cast_kinds[*ret_kind].slots;
}

/* Something happens to what an effect is about while that is under way, and somebody looks. */
static void move_under_way(struct host *host)
{
    struct msg_writer w;
    enum cast kind;
    unsigned slot;

    if (!find_object(&host->owed[draw(host->draws, host->owed_count)], &kind, &slot))
        return;
    move_slot(host, kind, slot);
    if (draw(host->draws, 2) == 0)
        return;
    host_begin(&w, 2, host->now);
    put_key_str(&w, "what", "effects");
    host_send(host, HOOK_INSPECT, &w);
}

/* What is due when time has passed is done in the first call that says so, whichever that is. */
static void say_anything(struct host *host)
{
    switch (draw(host->draws, 6)) {
    case 0:
        host_announce(host, "leader", host->witness->leads);
        break;
    case 1:
        host_drain(host);
        break;
    case 2:
        host_acknowledge(host);
        break;
    default:
        move_object(host, draw_kind(host));
    }
}

static void move_time(struct host *host)
{
    static const int64_t steps[] = {1,
                                    100000000,
                                    INT64_C(1000000000),
                                    INT64_C(7000000000),
                                    INT64_C(61000000000),
                                    INT64_C(310000000000),
                                    INT64_C(3600000000000)};
    int64_t step = steps[draw(host->draws, sizeof(steps) / sizeof(steps[0]))];

    if (draw_once_in(host->draws, 8))
        step = -step;
    if (draw(host->draws, 3) == 0 && host->witness->next > 0)
        step = host->witness->next - host->now; /* to when something is due */
    if (host->now + step >= 0)
        host->now += step;
    if (draw(host->draws, 2) == 0)
        host_tick(host);
    else
        say_anything(host);
}

static void move(struct host *host)
{
    static const enum hook_id hooks[] = {
        HOOK_PRE_ENQUEUE, HOOK_PRE_ENQUEUE, HOOK_PRE_FILTER, HOOK_FILTER, HOOK_POST_FILTER,
        HOOK_RESERVE,     HOOK_UNRESERVE,   HOOK_PERMIT,     HOOK_BIND,   HOOK_POST_BIND};
    unsigned what = draw(host->draws, 100);

    if (host->owed_count > 0 && draw_once_in(host->draws, 12))
        move_under_way(host);
    else if (what < 40 || (host->profile == PROFILE_FLEET && what >= 52 && what < 64))
        move_object(host, draw_kind(host));
    else if (what < 50)
        host_show_changed(host);
    else if (what < 52)
        host_go_on(host);
    else if (what < 58)
        host_cycle(host, draw(host->draws, cast_kinds[CAST_POD].slots));
    else if (what < 64)
        host_ask(host, hooks[draw(host->draws, 10)], draw(host->draws, cast_kinds[CAST_POD].slots));
    else if (what < 74)
        host_drain(host);
    else if (what < 84)
        host_acknowledge(host);
    else if (what < 88)
        host_tick(host);
    else if (what < 91)
        move_time(host);
    else if (what < 93)
        host_ask_admission(host);
    else if (what < 98)
        host_inspect(host);
    else if (!host->witness->synced || draw_once_in(host->draws, 40))
        host_announce(host, "synced", false);
    else
        host_announce(host, draw_once_in(host->draws, 60) ? "other" : "leader",
                      host->witness->leads && draw(host->draws, 3) == 0);
}

/* A call that fails must leave the time as it was: so some that will fail come from the future. */
void host_move(struct host *host)
{
    int64_t now;

    if (draw(host->draws, 4) != 0)
        host->now += draw(host->draws, 50) * INT64_C(1000000);
    now = host->now;
    host->early = draw_once_in(host->draws, 40);
    if (host->early)
        host->now += INT64_C(4000000000000);
    move(host);
    if (host->early && host->witness->now < host->now)
        host->now = host->witness->now > now ? host->witness->now : now;
    host->early = false;
}
