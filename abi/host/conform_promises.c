/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_promises.h"

/* Of the first request: any other time would do. */
#define BEGIN INT64_C(1700000000000000000)

struct telling {
    struct subject *subject;
    const struct promise *promise;
};

static void check_promise(struct points *points, void *arg)
{
    const struct telling *telling = arg;
    struct probe probe;
    struct story story = {.probe = &probe, .now = BEGIN};

    if (!probe_init(&probe, points, telling->subject))
        return;
    point_begin(points, "%s", telling->promise->name);
    s_open(&story, "{}");
    telling->promise->tell(&story);
    s_finish(&story);
    point_end(points);
}

void promises_run(struct tally *tally, struct subject *subject)
{
    static const struct promise *const tables[] = {
        promises_of_time,      promises_of_effects,  promises_of_digest, promises_of_limits,
        promises_of_whole,     promises_of_record,   promises_of_lead,   promises_of_pods,
        promises_of_framework, promises_of_admit,    promises_of_queues, promises_of_flavors,
        promises_of_views,     promises_of_commands, promises_of_groups, promises_of_native_groups,
        promises_of_workers,   promises_of_fleet,    promises_of_open,   promises_of_writes,
        promises_of_acks,
    };

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (const struct promise *promise = tables[i]; promise->name; promise++) {
            struct telling telling = {subject, promise};

            points_run(tally, promise->name, check_promise, &telling);
        }
}
