/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/host.h"

#include "hooks/encode.h"

/* What a handle is opened with: what the profile needs, and any of the rest. */

static const char *const of_groups[] = {"answerPermit",   "setGroup",    "createGroup",
                                        "setGroupStatus", "changeGroup", "createNativeGroup"};
static const char *const of_queues[] = {"queueStatus", "event", "deleteCommand"};

static void put_effects(struct msg_writer *w, enum profile profile, struct draws *draws)
{
    bool groups = profile == PROFILE_GROUPS || profile == PROFILE_ALL;
    unsigned of = groups ? 4 + draw(draws, 3) : 0; /* the last two are newer than the others */
    size_t place;
    uint32_t count = 0;

    msg_put_key(w, "effects");
    place = msg_put_array_later(w);
    for (unsigned i = 0; i < of; i++, count++)
        msg_put_str(w, of_groups[i]);
    for (unsigned i = 0, all = draw(draws, 3); i < 3 && all != 0; i++, count++)
        msg_put_str(w, of_queues[i]);
    if (profile != PROFILE_FLEET && draw(draws, 2) == 1) {
        msg_put_str(w, "evictPod");
        count++;
    }
    if (profile == PROFILE_WORKLOADS || profile == PROFILE_ALL) {
        msg_put_str(w, "writeWorkload");
        count++;
    }
    msg_set_count(w, place, count);
}

static void put_multikueue(struct msg_writer *w, struct draws *draws)
{
    static const int64_t a_second = INT64_C(1000000000);

    msg_put_key(w, "multiKueue");
    msg_put_map(w, 4);
    put_key_bool(w, "orchestratedPreemption", draw(draws, 4) != 3);
    put_key_int(w, "singleClusterPreemptionTimeout", a_second * (1 + (int64_t)draw(draws, 400)));
    put_key_int(w, "workerLostTimeout", a_second * (1 + (int64_t)draw(draws, 900)));
    put_key_int(w, "preferNoPreemption", a_second * draw(draws, 3));
}

/* Limits that a small cluster reaches. */
static void put_limits(struct msg_writer *w, struct draws *draws)
{
    static const char *const limits[] = {"pods", "queues", "nodes", "workloads", "clusters"};
    size_t place;
    uint32_t count = 0;

    msg_put_key(w, "limits");
    place = msg_put_map_later(w);
    for (unsigned i = 0; i < 5; i++) {
        if (draw(draws, 4) != 0)
            continue;
        put_key_int(w, limits[i], 1 + (int64_t)draw(draws, 12));
        count++;
    }
    msg_set_count(w, place, count);
}

size_t host_configure(enum profile profile, struct draws *draws, uint8_t *out, size_t cap)
{
    static const int64_t timeouts[] = {0, INT64_C(50000000), INT64_C(90000000000)};
    bool fleet = profile == PROFILE_FLEET || profile == PROFILE_ALL;
    unsigned ceiling = draw(draws, 3);
    struct msg_writer w;
    size_t place;
    uint32_t keys = 6;

    msg_writer_init(&w, out, cap);
    place = msg_put_map_later(&w);
    put_key_str(&w, "removal", draw(draws, 2) ? "onAdmission" : "onBind");
    put_key_str(&w, "manage", draw(draws, 3) == 0 ? "all" : "optedIn");
    put_key_int(&w, "now", INT64_C(1000000000));
    put_key_int(&w, "reservationTimeout", timeouts[draw(draws, 3)]);
    put_key_int(&w, "headGuard", timeouts[draw(draws, 3)]);
    put_effects(&w, profile, draws);
    if (fleet) {
        put_multikueue(&w, draws);
        keys++;
    }
    if (ceiling > 0) {
        msg_put_key(&w, "rootCeiling");
        if (ceiling == 1)
            msg_put_str(&w, "cluster");
        else
            put_resources(&w, 1 + draw(draws, 40));
        keys++;
    }
    if (draw(draws, 3) == 0) {
        put_key_str(&w, "undeclared", "unlimited");
        keys++;
    }
    if (draw(draws, 2) == 0) {
        put_key_int(&w, "record", 1 << 20);
        keys++;
    }
    if (draw(draws, 2) == 0) {
        put_key_bool(&w, "preemptionGates", true);
        put_key_bool(&w, "waitingReasons", true);
        put_key_bool(&w, "podEvents", true);
        keys += 3;
        if (draw(draws, 2) == 0) {
            int64_t limit = draw(draws, 3) * 5;

            put_key_int(&w, "waitingReasonsAfter", timeouts[draw(draws, 3)]);
            put_key_int(&w, "waitingReasonsPerSecond", limit);
            put_key_int(&w, "queueStatusesPerSecond", limit);
            keys += 3;
        }
    }
    if (draw(draws, 3) == 0) {
        put_key_bool(&w, "partialGroups", true);
        keys++;
    }
    if (draw_once_in(draws, 10)) {
        put_key_bool(&w, "observeOnly", true);
        keys++;
    }
    if (draw(draws, 4) == 0) {
        put_limits(&w, draws);
        keys++;
    }
    msg_set_count(&w, place, keys);
    return msg_writer_length(&w);
}
