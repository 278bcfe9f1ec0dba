/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/outbox.h"
#include "t/oracle/gang_play.h"

#include <string.h>

/* When all is calm: a naive look at each object. */

enum { ROUNDS = 300 };

/* The newest of the pods that ask for a PodGroup says what it is to say. */
static const struct gang_pod *newest_asker(const struct gang_play *play,
                                           const struct gang_group *group)
{
    const struct gang_pod *newest = NULL;

    for (int n = 0; n < GANG_PODS; n++) {
        const struct gang_pod *pod = &play->world.pods[n];
        char asked[GANG_TEXT];

        if (!pod->is || pod->finished || gang_world_asked(pod, asked) == NULL ||
            strcmp(asked, group->name) != 0)
            continue;
        if (newest == NULL || pod->created > newest->created ||
            (pod->created == newest->created &&
             strcmp(gang_world_uid(n, pod->life), gang_world_uid(newest->number, newest->life)) >
                 0))
            newest = pod;
    }
    return newest;
}

static void look_at_group(struct gang_play *play, const struct gang_group *group)
{
    const struct gang_pod *asker = newest_asker(play, group);
    uint32_t id =
        engine_find_group(play->engine, play->world.kind, text_of("space"), text_of(group->name));
    struct group_report report;
    struct gang_spec asked;

    if (id == 0) {
        differ(play->broken, "%s is not known", group->name);
        return;
    }
    engine_report_group(play->engine, id, &report);
    if (strcmp(report.phase, group->phase) != 0)
        differ(play->broken, "%s says %s, wanted %s", group->name, group->phase, report.phase);
    if (asker == NULL || group->owner < 0)
        return;
    asked = gang_world_spec(&play->world, &asker->spec);
    if (group->spec.queue != asked.queue || group->spec.minimum != asked.minimum ||
        group->spec.cpu != asked.cpu)
        differ(play->broken, "%s: queue %d, minimum %d, cpu %d; its newest pod asks for %d, %d, %d",
               group->name, group->spec.queue, group->spec.minimum, group->spec.cpu, asked.queue,
               asked.minimum, asked.cpu);
}

static void look_at_pod(struct gang_play *play, const struct gang_pod *pod)
{
    const char *uid = gang_world_uid(pod->number, pod->life);
    uint32_t id = engine_find_pod(play->engine, text_of(uid));
    struct pod_report report;
    char asked[GANG_TEXT];

    if (!pod->is || pod->finished)
        return;
    if (pod->bound && pod->gated)
        differ(play->broken, "%s is bound, and has its gate", uid);
    if (!pod->bound && gang_world_asked(pod, asked) != NULL &&
        (strcmp(pod->group, asked) != 0 || gang_world_group(&play->world, asked) == NULL))
        differ(play->broken, "%s asks for %s, names \"%s\", and there is %s", uid, asked,
               pod->group, gang_world_group(&play->world, asked) == NULL ? "none" : "one");
    if (pod->opted_out && !pod->bound) {
        if (id != 0)
            differ(play->broken, "%s opted out, and makes a claim", uid);
        return;
    }
    if (id == 0) {
        if (!pod->bound || !pod->opted_out)
            differ(play->broken, "%s makes no claim", uid);
        return;
    }
    engine_report_pod(play->engine, id, &report);
    if (pod->bound != (report.state == CLAIM_ALLOCATED))
        differ(play->broken, "%s is %sbound, and %s", uid, pod->bound ? "" : "not ",
               report.state == CLAIM_ALLOCATED ? "allocated" : "not allocated");
    if (!pod->bound && report.state == CLAIM_RESERVED)
        differ(play->broken, "%s is reserved for ever", uid);
    if (!pod->bound && pod->unschedulable)
        differ(play->broken, "%s waits (%s), and says Unschedulable", uid,
               reason_name(report.why.reason));
}

/* Also what waits for its next attempt. */
static bool wants_something(const struct gang_play *play)
{
    static struct effect effect; /* large */
    uint32_t cursor = 0;

    return outbox_next_live(engine_outbox(play->engine), &cursor, &effect);
}

/* All that there is to do is done, until nothing changes any more. */
void gang_calm_down(struct gang_play *play)
{
    int idle = 0;

    play->calm = true;
    if (!play->leads)
        gang_lead(play, true);
    for (int queue = 0; queue < GANG_QUEUES; queue++)
        gang_show_queue(play, queue, 6 + queue * 3, QUEUE_OPEN);
    gang_show_all(play);
    for (int round = 0; idle < 3; round++) {
        int64_t version = play->world.version, next;
        bool any = play->count > 0;

        if (round == ROUNDS) {
            differ(play->broken, "it never calms down");
            return;
        }
        while (gang_lease(play))
            any = true;
        while (play->count > 0)
            gang_carry(play, CARRY_DONE);
        gang_show_all(play);
        for (int n = 0; n < GANG_PODS; n++) {
            gang_try_again(play, n);
            gang_schedule(play, n);
            any = any || play->pods[n].at_permit != 0;
        }
        next = engine_next(play->engine);
        any = any || play->world.version != version;
        idle = any || wants_something(play) ? 0 : idle + 1;
        gang_pass_time(play, !any && next > play->world.now && next < play->world.now + 700 * SECOND
                                 ? next
                                 : play->world.now + SECOND);
    }
}

/* Its queue kept room for members that nobody made in time. */
static bool pauses(const struct gang_group *group)
{
    bool pauses = false;

    for (int n = 0; n < FACTS_GROUP_CONDITION; n++)
        pauses = pauses || strstr(group->condition[n], "gave its room back for a while") != NULL;
    return pauses;
}

/* Who was granted without a gate has no stamp: a group that has moved since leaves it where it was,
 * and nothing says where that is. */
static bool is_left_behind(const struct gang_play *play, const struct gang_pod *pod, uint32_t id)
{
    struct pod_report report;

    if (!pod->bound || pod->stamp != 0)
        return false;
    engine_report_pod(play->engine, id, &report);
    return !text_is(report.queue, gang_world_queues[pod->spec.queue]);
}

/* Whether the objects say all that is so: who gave back what it was granted once looks as if it
 * had it still, and nothing says that a group pauses whose members nobody makes. */
static bool all_is_written(const struct gang_play *play)
{
    for (int n = 0; n < GANG_PODS; n++) {
        const struct gang_pod *pod = &play->world.pods[n];
        uint32_t id =
            engine_find_pod(play->engine, text_of(gang_world_uid(pod->number, pod->life)));

        if (id != 0 && ((!pod->bound && !pod->gated) || is_left_behind(play, pod, id)))
            return false;
    }
    for (int n = 0; n < GANG_GROUPS; n++)
        if (play->world.groups[n].is && play->world.groups[n].owner < 0 &&
            pauses(&play->world.groups[n]))
            return false;
    return true;
}

void gang_look(struct gang_play *play)
{
    uint64_t before = engine_digest(play->engine, false);
    bool same = all_is_written(play);
    static struct effect effect; /* large */

    for (int n = 0; n < GANG_GROUPS; n++)
        if (play->world.groups[n].is)
            look_at_group(play, &play->world.groups[n]);
    for (int n = 0; n < GANG_PODS; n++)
        look_at_pod(play, &play->world.pods[n]);
    gang_restart(play);
    if (!same)
        return;
    if (engine_digest(play->engine, false) != before)
        differ(play->broken, "the state after a restart is another");
    if (outbox_peek(engine_outbox(play->engine), &effect))
        differ(play->broken, "after a restart there is an effect of kind %d: %s", (int)effect.kind,
               effect.message);
}
