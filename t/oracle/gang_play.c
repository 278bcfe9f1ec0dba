/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/outbox.h"
#include "t/oracle/gang_play.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TICKS = 10000 };

bool gang_one_in(struct gang_play *play, int n)
{
    return random_one_in(&play->random, n);
}

int gang_below(struct gang_play *play, int n)
{
    return random_below(&play->random, n);
}

void gang_say(struct gang_play *play, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (play->trace)
        vprintf(format, args), printf("\n");
    va_end(args);
}

static void rest(struct gang_play *play)
{
    const char *wrong;
    int ticks = 0;

    while (engine_more(play->engine) && ticks++ < MOST_TICKS)
        engine_tick(play->engine);
    wrong = ticks < MOST_TICKS ? engine_check(play->engine) : "it comes to no rest";
    if (wrong != NULL)
        differ(play->broken, "%s", wrong);
}

void gang_show_pod(struct gang_play *play, const struct gang_pod *pod)
{
    struct pod_facts facts;

    if (pod->version == 0)
        return;
    if (play->pods[pod->number].shown != pod->life) /* another one has its name now */
        engine_lose_pod(play->engine,
                        text_of(gang_world_uid(pod->number, play->pods[pod->number].shown)));
    play->pods[pod->number].shown = pod->life;
    gang_world_pod_facts(&play->world, pod, &facts);
    gang_say(play, "see %s v%d%s%s%s", facts.uid.at, (int)pod->version, pod->is ? "" : " gone",
             pod->unschedulable ? " unschedulable" : "", pod->bound ? " bound" : "");
    if (!pod->is)
        engine_lose_pod(play->engine, facts.uid);
    else if (engine_see_pod(play->engine, &facts) < 0)
        differ(play->broken, "a pod is refused");
    rest(play);
}

void gang_show_group(struct gang_play *play, const struct gang_group *group)
{
    int place = gang_world_place(group);
    struct group_facts facts;

    if (group->version == 0)
        return;
    /* Another one is there now. */
    if (strcmp(play->groups[place].name, group->name) != 0 ||
        play->groups[place].life != group->life)
        engine_lose_group(play->engine, play->world.kind, text_of("space"),
                          text_of(play->groups[place].name), text_of(""));
    memcpy(play->groups[place].name, group->name, GANG_TEXT);
    play->groups[place].life = group->life;
    gang_world_group_facts(&play->world, group, &facts);
    gang_say(play, "see %s v%d%s", group->name, (int)group->version, group->is ? "" : " gone");
    if (!group->is)
        engine_lose_group(play->engine, facts.kind, facts.space, facts.name, facts.uid);
    else if (engine_see_group(play->engine, &facts) < 0)
        differ(play->broken, "a group is refused");
    rest(play);
}

void gang_show_queue(struct gang_play *play, int queue, int64_t cpu, enum queue_state stop)
{
    struct queue_facts facts = {.kind = QUEUE_VOLCANO,
                                .name = text_of(gang_world_queues[queue]),
                                .stop = stop,
                                .capability = {1, {{text_of("cpu"), cpu}}}};

    gang_say(play, "queue %s cpu=%d stop=%d", gang_world_queues[queue], (int)cpu, (int)stop);
    if (engine_see_queue(play->engine, &facts) < 0)
        differ(play->broken, "a queue is refused");
    rest(play);
}

/* The host hears of a change now, or later. */
void gang_hear(struct gang_play *play, int pod, int group)
{
    if (!play->calm && gang_one_in(play, 4))
        return;
    if (pod >= 0)
        gang_show_pod(play, &play->world.pods[pod]);
    if (group >= 0)
        gang_show_group(play, &play->world.groups[group]);
}

void gang_lead(struct gang_play *play, bool leads)
{
    gang_say(play, "lead %d", leads);
    play->leads = leads;
    engine_set_leader(play->engine, leads);
    rest(play);
}

void gang_show_all(struct gang_play *play)
{
    for (int n = 0; n < GANG_GROUPS; n++)
        gang_show_group(play, &play->world.groups[n]);
    for (int n = 0; n < GANG_PODS; n++)
        gang_show_pod(play, &play->world.pods[n]);
}

void gang_open(struct gang_play *play)
{
    if (engine_create(&play->config, &play->supply.mem, &play->engine) < 0)
        abort();
    engine_set_time(play->engine, play->world.now);
}

void gang_close(struct gang_play *play)
{
    engine_destroy(play->engine);
    if (play->supply.bytes != 0)
        differ(play->broken, "the engine leaks %zu bytes", play->supply.bytes);
}

/* The scheduler begins anew with the engine: it looks at all pods once. */
void gang_restart(struct gang_play *play)
{
    gang_say(play, "restart");
    gang_close(play);
    gang_open(play);
    play->count = 0;
    for (int queue = 0; queue < GANG_QUEUES; queue++)
        gang_show_queue(play, queue, 6 + queue * 3, QUEUE_OPEN);
    for (int n = 0; n < GANG_PODS; n++) {
        play->pods[n].active = play->world.pods[n].is && !play->world.pods[n].bound;
        play->pods[n].at_permit = 0;
    }
    memset(play->groups, 0, sizeof(play->groups));
    gang_show_all(play);
    engine_set_synced(play->engine);
    gang_lead(play, play->leads);
}

static void wait_in_vain(struct gang_play *play, int n)
{
    struct gang_pod *pod = &play->world.pods[n];

    play->pods[n].at_permit = 0;
    engine_unreserve(play->engine, text_of(gang_world_uid(n, pod->life)));
    rest(play);
    if (!pod->unschedulable)
        gang_world_change(&play->world, n)->unschedulable = true;
    gang_hear(play, n, -1);
}

static void bind_pod(struct gang_play *play, int n)
{
    struct gang_pod *pod = &play->world.pods[n];
    struct text uid = text_of(gang_world_uid(n, pod->life));
    struct removal_patch patch;

    play->pods[n].at_permit = 0;
    engine_bind(play->engine, uid, &patch);
    if (!play->calm && gang_one_in(play, 6)) { /* the patch, or the binding itself, fails */
        engine_unreserve(play->engine, uid);
        play->pods[n].active = true;
        rest(play);
        return;
    }
    pod = gang_world_change(&play->world, n);
    if (patch.gates != 0)
        pod->stamp = patch.stamp, pod->granted_in = gang_world_find_queue(patch.queue);
    pod->gated = pod->unschedulable = false;
    pod->bound = true;
    gang_say(play, "bind %s", uid.at);
    engine_post_bind(play->engine, uid);
    rest(play);
    gang_hear(play, n, -1);
}

/* A scheduling cycle of a pod. */
void gang_schedule(struct gang_play *play, int n)
{
    const struct gang_pod *pod = &play->world.pods[n];
    struct text uid = text_of(gang_world_uid(n, pod->life));
    bool nodes_matter, unschedulable, finds = play->calm || !gang_one_in(play, 4);
    struct verdict verdict;
    struct pod_facts facts;
    int64_t until;

    if (!pod->is || pod->bound || pod->finished || !play->pods[n].active)
        return;
    play->pods[n].active = false;
    gang_world_pod_facts(&play->world, pod, &facts);
    if (engine_pre_enqueue(play->engine, &facts, true, &verdict) < 0)
        differ(play->broken, "pre_enqueue is refused");
    rest(play);
    gang_say(play, "pre_enqueue %s: %s", uid.at,
             verdict.pass ? "pass" : reason_name(verdict.reason));
    if (!verdict.pass)
        return;
    engine_pre_filter(play->engine, uid, &verdict, &nodes_matter, &unschedulable);
    rest(play);
    if (verdict.pass && finds)
        engine_reserve(play->engine, uid, false, &verdict);
    else if (verdict.pass)
        engine_post_filter(play->engine, uid);
    rest(play);
    if (!verdict.pass && !unschedulable) {
        play->pods[n].active = true; /* an error: again, soon */
    } else if (!verdict.pass || !finds) {
        if (!pod->unschedulable)
            gang_world_change(&play->world, n)->unschedulable = true;
        gang_say(play, "no node for %s", uid.at);
        gang_hear(play, n, -1);
    } else if (engine_permit(play->engine, uid, &until)) {
        rest(play);
        bind_pod(play, n);
    } else {
        rest(play);
        gang_say(play, "%s waits in Permit", uid.at);
        play->pods[n].at_permit = until == 0 ? play->world.now + 60 * SECOND : until;
    }
}

/* The scheduler looks again at who found no node. */
void gang_try_again(struct gang_play *play, int n)
{
    play->pods[n].active |= play->world.pods[n].unschedulable && play->pods[n].at_permit == 0;
}

/* No host hears of a pod later than a minute after its scheduler does. */
static void show_new_pods(struct gang_play *play, int64_t now)
{
    for (int n = 0; n < GANG_PODS; n++) {
        const struct gang_pod *pod = &play->world.pods[n];

        if (pod->is && play->pods[n].shown != pod->life && now - pod->created > 50 * SECOND)
            gang_show_pod(play, pod);
    }
}

void gang_pass_time(struct gang_play *play, int64_t now)
{
    show_new_pods(play, now);
    if (now > play->world.now)
        play->world.now = now;
    engine_set_time(play->engine, play->world.now);
    engine_tick(play->engine);
    rest(play);
    for (int n = 0; n < GANG_PODS; n++)
        if (play->pods[n].at_permit != 0 && play->pods[n].at_permit <= play->world.now)
            wait_in_vain(play, n);
}

bool gang_lease(struct gang_play *play)
{
    static struct effect effect; /* large */

    if (play->count == GANG_REQUESTS || outbox_next(engine_outbox(play->engine), &effect) <= 0)
        return false;
    outbox_lease(engine_outbox(play->engine), &effect, 0);
    gang_world_read(&play->world, &effect, &play->requests[play->count++]);
    rest(play);
    return true;
}

/* What is written into no object. */
static enum effect_result tell(struct gang_play *play, const struct gang_request *request)
{
    int n = request->pod;
    const struct gang_pod *pod = &play->world.pods[n];

    if (!pod->is || pod->life != request->life)
        return EFFECT_GONE;
    if (request->kind == EFFECT_ACTIVATE)
        play->pods[n].active = !pod->bound && play->pods[n].at_permit == 0;
    else if (play->pods[n].at_permit != 0 && request->allow)
        bind_pod(play, n);
    else if (play->pods[n].at_permit != 0)
        wait_in_vain(play, n);
    return EFFECT_DONE;
}

void gang_carry(struct gang_play *play, enum carry way)
{
    struct gang_request request;
    enum effect_result result = way == CARRY_REFUSED ? EFFECT_CONFLICT : EFFECT_RETRY;
    int at = play->calm ? 0 : gang_below(play, play->count);
    bool tells;
    int64_t version = 0;

    request = play->requests[at];
    memmove(&play->requests[at], &play->requests[at + 1],
            (size_t)(--play->count - at) * sizeof(request));
    tells = request.kind == EFFECT_ACTIVATE || request.kind == EFFECT_ANSWER_PERMIT;
    gang_say(play, "carry kind %d pod %d group %d %s: %d", (int)request.kind, request.pod,
             request.group, request.name, (int)way);
    if (way == CARRY_NEVER)
        return;
    if (way <= CARRY_DONE_RETRY)
        result = tells ? tell(play, &request) : gang_world_write(&play->world, &request, &version);
    play->writes[request.kind] += result == EFFECT_DONE;
    if (way == CARRY_DONE_RETRY)
        result = EFFECT_RETRY;
    if (way != CARRY_DONE_UNSAID)
        outbox_ack(engine_outbox(play->engine), request.id, result,
                   result == EFFECT_DONE ? version : 0);
    rest(play);
    if (tells)
        return;
    if (request.pod < 0 &&
        (request.kind == EFFECT_CREATE_GROUP || request.kind == EFFECT_CREATE_NATIVE_GROUP))
        request.group = request.owner;
    gang_hear(play, request.pod, request.group);
}
