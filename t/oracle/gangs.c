/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Pods that ask for a group, and a host whose writes end in every way at any time: gates, conditions,
 * names of groups, PodGroups made, changed and their statuses, answers in Permit. Owners are edited,
 * roll out and go, a user has a PodGroup of his own, messages are late or old, the lead is lost, the
 * engine begins anew. Whatever happens the engine's invariants hold; and when all calms down nothing
 * is left to write, and every object says what a naive look at its owner says.
 */
#include "t/oracle/argument.h"
#include "t/oracle/gang_world.h"
#include "t/tap.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REQUESTS = 48, STEPS = 400, ROUNDS = 300, MOST_TICKS = 10000, USERS = GANG_GROUPS - 1 };

/* How a write ends. Who lost a race hears so whatever is said here. */
enum way { DONE, DONE_UNSAID, DONE_RETRY, NEVER, RETRY, REFUSED, WAYS };

#define SECOND INT64_C(1000000000)

struct play {
    struct random random;
    struct gang_world world;
    struct mem mem;
    struct engine *engine;
    struct engine_config config;
    bool leads, trace, calm;
    int count;
    struct gang_request requests[REQUESTS]; /* under way */
    struct {
        bool active;       /* in the scheduler's queue of those to look at */
        int64_t at_permit; /* waits there until then; 0: does not */
        int shown;         /* the life that the host has heard of */
    } pods[GANG_PODS];
    struct {
        char name[GANG_TEXT];
        int life;
    } groups[GANG_GROUPS]; /* those that the host has heard of */
    uint64_t writes[EFFECT_KINDS];
    char broken[256];
};

static bool one_in(struct play *play, int n)
{
    return random_one_in(&play->random, n);
}

static int below(struct play *play, int n)
{
    return random_below(&play->random, n);
}

__attribute__((format(printf, 2, 3))) static void fail(struct play *play, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (play->broken[0] == '\0')
        vsnprintf(play->broken, sizeof(play->broken), format, args);
    va_end(args);
}

__attribute__((format(printf, 2, 3))) static void say(struct play *play, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (play->trace)
        vprintf(format, args), printf("\n");
    va_end(args);
}

static void rest(struct play *play)
{
    const char *wrong;
    int ticks = 0;

    while (engine_more(play->engine) && ticks++ < MOST_TICKS)
        engine_tick(play->engine);
    wrong = ticks < MOST_TICKS ? engine_check(play->engine) : "it comes to no rest";
    if (wrong != NULL)
        fail(play, "%s", wrong);
}

static void show_pod(struct play *play, const struct gang_pod *pod)
{
    struct pod_facts facts;

    if (pod->version == 0)
        return;
    if (play->pods[pod->number].shown != pod->life) /* another one has its name now */
        engine_lose_pod(play->engine,
                        text_of(gang_world_uid(pod->number, play->pods[pod->number].shown)));
    play->pods[pod->number].shown = pod->life;
    gang_world_pod_facts(&play->world, pod, &facts);
    say(play, "see %s v%d%s%s%s", facts.uid.at, (int)pod->version, pod->is ? "" : " gone",
        pod->unschedulable ? " unschedulable" : "", pod->bound ? " bound" : "");
    if (!pod->is)
        engine_lose_pod(play->engine, facts.uid);
    else if (engine_see_pod(play->engine, &facts) < 0)
        fail(play, "a pod is refused");
    rest(play);
}

static void show_group(struct play *play, const struct gang_group *group)
{
    int place = gang_world_place(group);
    struct group_facts facts;

    if (group->version == 0)
        return;
    /* Another one is there now. */
    if (strcmp(play->groups[place].name, group->name) != 0 ||
        play->groups[place].life != group->life)
        engine_lose_group(play->engine, text_of("space"), text_of(play->groups[place].name),
                          text_of(""));
    memcpy(play->groups[place].name, group->name, GANG_TEXT);
    play->groups[place].life = group->life;
    gang_world_group_facts(group, &facts);
    say(play, "see %s v%d%s", group->name, (int)group->version, group->is ? "" : " gone");
    if (!group->is)
        engine_lose_group(play->engine, facts.space, facts.name, facts.uid);
    else if (engine_see_group(play->engine, &facts) < 0)
        fail(play, "a group is refused");
    rest(play);
}

static void show_queue(struct play *play, int queue, int64_t cpu, enum queue_state stop)
{
    struct queue_facts facts = {.kind = QUEUE_VOLCANO,
                                .name = text_of(gang_world_queue(queue)),
                                .stop = stop,
                                .capability = {1, {{text_of("cpu"), cpu}}}};

    say(play, "queue %s cpu=%d stop=%d", gang_world_queue(queue), (int)cpu, (int)stop);
    if (engine_see_queue(play->engine, &facts) < 0)
        fail(play, "a queue is refused");
    rest(play);
}

/* The host hears of a change now, or later. */
static void hear(struct play *play, int pod, int group)
{
    if (!play->calm && one_in(play, 4))
        return;
    if (pod >= 0)
        show_pod(play, &play->world.pods[pod]);
    if (group >= 0)
        show_group(play, &play->world.groups[group]);
}

static void lead(struct play *play, bool leads)
{
    say(play, "lead %d", leads);
    play->leads = leads;
    engine_set_leader(play->engine, leads);
    rest(play);
}

static void show_all(struct play *play)
{
    for (int n = 0; n < GANG_GROUPS; n++)
        show_group(play, &play->world.groups[n]);
    for (int n = 0; n < GANG_PODS; n++)
        show_pod(play, &play->world.pods[n]);
}

static void open_engine(struct play *play)
{
    if (engine_create(&play->config, &play->mem, &play->engine) < 0)
        abort();
    engine_set_time(play->engine, play->world.now);
}

/* The scheduler begins anew with the engine: it looks at all pods once. */
static void restart(struct play *play)
{
    say(play, "restart");
    engine_destroy(play->engine);
    open_engine(play);
    play->count = 0;
    for (int queue = 0; queue < GANG_QUEUES; queue++)
        show_queue(play, queue, 6 + queue * 3, QUEUE_OPEN);
    for (int n = 0; n < GANG_PODS; n++) {
        play->pods[n].active = play->world.pods[n].is && !play->world.pods[n].bound;
        play->pods[n].at_permit = 0;
    }
    memset(play->groups, 0, sizeof(play->groups));
    show_all(play);
    engine_set_synced(play->engine);
    lead(play, play->leads);
}

static void wait_in_vain(struct play *play, int n)
{
    struct gang_pod *pod = &play->world.pods[n];

    play->pods[n].at_permit = 0;
    engine_unreserve(play->engine, text_of(gang_world_uid(n, pod->life)));
    rest(play);
    if (!pod->unschedulable)
        gang_world_change(&play->world, n)->unschedulable = true;
    hear(play, n, -1);
}

static void bind_pod(struct play *play, int n)
{
    struct gang_pod *pod = &play->world.pods[n];
    struct text uid = text_of(gang_world_uid(n, pod->life));
    struct removal_patch patch;

    play->pods[n].at_permit = 0;
    engine_bind(play->engine, uid, &patch);
    if (!play->calm && one_in(play, 6)) { /* the patch, or the binding itself, fails */
        engine_unreserve(play->engine, uid);
        play->pods[n].active = true;
        rest(play);
        return;
    }
    pod = gang_world_change(&play->world, n);
    if (patch.gates != 0)
        pod->stamp = patch.stamp;
    pod->gated = pod->unschedulable = false;
    pod->bound = true;
    say(play, "bind %s", uid.at);
    engine_post_bind(play->engine, uid);
    rest(play);
    hear(play, n, -1);
}

/* A scheduling cycle of a pod. */
static void schedule(struct play *play, int n)
{
    const struct gang_pod *pod = &play->world.pods[n];
    struct text uid = text_of(gang_world_uid(n, pod->life));
    bool nodes_matter, unschedulable, finds = play->calm || !one_in(play, 4);
    struct verdict verdict;
    struct pod_facts facts;
    int64_t until;

    if (!pod->is || pod->bound || pod->finished || !play->pods[n].active)
        return;
    play->pods[n].active = false;
    gang_world_pod_facts(&play->world, pod, &facts);
    if (engine_pre_enqueue(play->engine, &facts, true, &verdict) < 0)
        fail(play, "pre_enqueue is refused");
    rest(play);
    say(play, "pre_enqueue %s: %s", uid.at, verdict.pass ? "pass" : reason_name(verdict.reason));
    if (!verdict.pass)
        return;
    engine_pre_filter(play->engine, uid, &verdict, &nodes_matter, &unschedulable);
    rest(play);
    if (verdict.pass && finds)
        engine_reserve(play->engine, uid, &verdict);
    else if (verdict.pass)
        engine_post_filter(play->engine, uid);
    rest(play);
    if (!verdict.pass && !unschedulable) {
        play->pods[n].active = true; /* an error: again, soon */
    } else if (!verdict.pass || !finds) {
        if (!pod->unschedulable)
            gang_world_change(&play->world, n)->unschedulable = true;
        say(play, "no node for %s", uid.at);
        hear(play, n, -1);
    } else if (engine_permit(play->engine, uid, &until)) {
        rest(play);
        bind_pod(play, n);
    } else {
        rest(play);
        say(play, "%s waits in Permit", uid.at);
        play->pods[n].at_permit = until == 0 ? play->world.now + 60 * SECOND : until;
    }
}

/* No host hears of a pod later than a minute after its scheduler does. */
static void show_new_pods(struct play *play, int64_t now)
{
    for (int n = 0; n < GANG_PODS; n++) {
        const struct gang_pod *pod = &play->world.pods[n];

        if (pod->is && play->pods[n].shown != pod->life && now - pod->created > 50 * SECOND)
            show_pod(play, pod);
    }
}

static void pass_time(struct play *play, int64_t now)
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

static bool lease(struct play *play)
{
    static struct effect effect; /* large */

    if (play->count == REQUESTS || engine_next_effect(play->engine, &effect) <= 0)
        return false;
    engine_lease(play->engine, &effect, 0);
    gang_world_read(&play->world, &effect, &play->requests[play->count++]);
    rest(play);
    return true;
}

/* What is written into no object. */
static enum effect_result tell(struct play *play, const struct gang_request *request)
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

static void carry(struct play *play, enum way way)
{
    struct gang_request request;
    enum effect_result result = way == REFUSED ? EFFECT_CONFLICT : EFFECT_RETRY;
    int at = play->calm ? 0 : below(play, play->count);
    bool tells;
    int64_t version = 0;

    request = play->requests[at];
    memmove(&play->requests[at], &play->requests[at + 1],
            (size_t)(--play->count - at) * sizeof(request));
    tells = request.kind == EFFECT_ACTIVATE || request.kind == EFFECT_ANSWER_PERMIT;
    say(play, "carry kind %d pod %d group %d %s: %d", (int)request.kind, request.pod, request.group,
        request.name, (int)way);
    if (way == NEVER)
        return;
    if (way <= DONE_RETRY)
        result = tells ? tell(play, &request) : gang_world_write(&play->world, &request, &version);
    play->writes[request.kind] += result == EFFECT_DONE;
    if (way == DONE_RETRY)
        result = EFFECT_RETRY;
    if (way != DONE_UNSAID)
        engine_ack(play->engine, request.id, result, result == EFFECT_DONE ? version : 0);
    rest(play);
    if (tells)
        return;
    if (request.pod < 0 && request.kind == EFFECT_CREATE_GROUP)
        request.group = request.owner;
    hear(play, request.pod, request.group);
}

static void edit_owner(struct play *play, int owner)
{
    struct gang_owner *o = &play->world.owners[owner];

    if (o->is && one_in(play, 8)) {
        gang_world_remove_owner(&play->world, owner);
        if (one_in(play, 2))
            show_all(play);
        return;
    }
    o->life += !o->is;
    if (!o->is || one_in(play, 2))
        o->spec = (struct gang_spec){below(play, GANG_QUEUES),
                                     one_in(play, 5) ? 0 : 1 + below(play, 4), 1 + below(play, 3)};
    else if (one_in(play, 2))
        o->spec.queue = below(play, GANG_QUEUES);
    else
        o->spec.minimum = below(play, 4);
    o->is = true;
    say(play, "owner %d: queue %d minimum %d cpu %d", owner, o->spec.queue, o->spec.minimum,
        o->spec.cpu);
}

/* His PodGroup is made, edited, or goes. */
static void user_acts(struct play *play)
{
    struct gang_group *group = &play->world.groups[USERS];
    int life = group->life + !group->is;

    if (group->is && one_in(play, 4)) {
        gang_world_change_group(&play->world, group)->is = false;
    } else {
        group = gang_world_change_group(&play->world, group);
        if (!group->is)
            *group =
                (struct gang_group){.version = play->world.version, .created = play->world.now};
        group->is = true;
        group->life = life;
        group->owner = -1;
        snprintf(group->name, sizeof(group->name), "user");
        group->spec = (struct gang_spec){below(play, GANG_QUEUES), 1 + below(play, 3), 0};
    }
    hear(play, -1, USERS);
}

static void make_pod(struct play *play, int n)
{
    int owner = below(play, GANG_OWNERS);
    struct gang_pod *pod;

    if (!play->world.owners[owner].is)
        return;
    gang_world_make(&play->world, n, owner);
    pod = &play->world.pods[n];
    pod->names_user_group = one_in(play, 5);
    if (pod->names_user_group)
        snprintf(pod->group, sizeof(pod->group), "user");
    play->pods[n].active = true;
    play->pods[n].at_permit = 0;
    if (!one_in(play, 3))
        hear(play, n, -1);
}

/* What becomes of a pod beside our writes. */
static void change_pod(struct play *play, int n)
{
    struct gang_pod *pod = &play->world.pods[n];

    if (!pod->is) {
        make_pod(play, n);
        return;
    }
    pod = gang_world_change(&play->world, n);
    switch (below(play, 6)) {
    case 0:
        pod->is = false;
        break;
    case 1:
        pod->finished = pod->bound;
        break;
    case 2:
        pod->generation++; /* somebody edits it */
        break;
    case 3:
        pod->opted_out = !pod->bound && one_in(play, 3);
        if (pod->opted_out) {
            pod->gated = pod->names_user_group = false;
            pod->group[0] = '\0';
            pod->stamp = 0;
            pod->generation++;
        }
        break;
    default:
        break;
    }
    if (play->pods[n].at_permit != 0 && !pod->is)
        play->pods[n].at_permit = 0;
    hear(play, n, -1);
}

/* As it is, or as it was before its last change. */
static void show_pod_again(struct play *play, int n)
{
    const struct gang_pod *now = &play->world.pods[n], *before = &play->world.pods_before[n];

    show_pod(play,
             now->is && before->is && before->life == now->life && one_in(play, 3) ? before : now);
}

static void show_group_again(struct play *play, int n)
{
    const struct gang_group *now = &play->world.groups[n], *before = &play->world.groups_before[n];

    show_group(play, now->is && before->is && before->life == now->life && one_in(play, 3) ? before
                                                                                           : now);
}

/* The scheduler looks again at who found no node. */
static void try_again(struct play *play, int n)
{
    play->pods[n].active |= play->world.pods[n].unschedulable && play->pods[n].at_permit == 0;
}

static void step(struct play *play)
{
    int dice = below(play, 100), n = below(play, GANG_PODS);

    if (dice < 4)
        edit_owner(play, below(play, GANG_OWNERS));
    else if (dice < 6)
        user_acts(play);
    else if (dice < 20)
        change_pod(play, n);
    else if (dice < 30)
        show_pod_again(play, n);
    else if (dice < 38)
        show_group_again(play, n % GANG_GROUPS);
    else if (dice < 55)
        schedule(play, n);
    else if (dice < 58)
        try_again(play, n);
    else if (dice < 72)
        lease(play);
    else if (dice < 88)
        (void)(play->count > 0 &&
               (carry(play, one_in(play, 3) ? (enum way)below(play, WAYS) : DONE), true));
    else if (dice < 96)
        pass_time(play,
                  play->world.now + below(play, one_in(play, 5) ? 70000 : 3000) * (SECOND / 1000));
    else if (dice < 97)
        show_queue(play, below(play, GANG_QUEUES), 2 + below(play, 14),
                   one_in(play, 4) ? QUEUE_SUSPENDED : QUEUE_OPEN);
    else if (dice < 98 && one_in(play, 3))
        lead(play, !play->leads);
    else if (one_in(play, 6))
        restart(play);
}

/* The newest of the pods that ask for a PodGroup says what it is to say. */
static const struct gang_pod *newest_asker(const struct play *play, const struct gang_group *group)
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

static void look_at_group(struct play *play, const struct gang_group *group)
{
    const struct gang_pod *asker = newest_asker(play, group);
    uint32_t id = engine_find_group(play->engine, text_of("space"), text_of(group->name));
    struct group_report report;

    if (id == 0) {
        fail(play, "%s is not known", group->name);
        return;
    }
    engine_report_group(play->engine, id, &report);
    if (strcmp(report.phase, group->phase) != 0)
        fail(play, "%s says %s, wanted %s", group->name, group->phase, report.phase);
    if (asker == NULL || group->owner < 0)
        return;
    if (group->spec.queue != asker->spec.queue || group->spec.minimum != asker->spec.minimum ||
        group->spec.cpu != asker->spec.cpu)
        fail(play, "%s: queue %d, minimum %d, cpu %d; its newest pod asks for %d, %d, %d",
             group->name, group->spec.queue, group->spec.minimum, group->spec.cpu,
             asker->spec.queue, asker->spec.minimum, asker->spec.cpu);
}

static void look_at_pod(struct play *play, const struct gang_pod *pod)
{
    const char *uid = gang_world_uid(pod->number, pod->life);
    uint32_t id = engine_find_pod(play->engine, text_of(uid));
    struct pod_report report;
    char asked[GANG_TEXT];

    if (!pod->is || pod->finished)
        return;
    if (pod->bound && pod->gated)
        fail(play, "%s is bound, and has its gate", uid);
    if (!pod->bound && gang_world_asked(pod, asked) != NULL &&
        (strcmp(pod->group, asked) != 0 || gang_world_group(&play->world, asked) == NULL))
        fail(play, "%s asks for %s, names \"%s\", and there is %s", uid, asked, pod->group,
             gang_world_group(&play->world, asked) == NULL ? "none" : "one");
    if (pod->opted_out && !pod->bound) {
        if (id != 0)
            fail(play, "%s opted out, and makes a claim", uid);
        return;
    }
    if (id == 0) {
        if (!pod->bound || !pod->opted_out)
            fail(play, "%s makes no claim", uid);
        return;
    }
    engine_report_pod(play->engine, id, &report);
    if (pod->bound != (report.state == CLAIM_ALLOCATED))
        fail(play, "%s is %sbound, and %s", uid, pod->bound ? "" : "not ",
             report.state == CLAIM_ALLOCATED ? "allocated" : "not allocated");
    if (!pod->bound && report.state == CLAIM_RESERVED)
        fail(play, "%s is reserved for ever", uid);
    if (!pod->bound && pod->unschedulable)
        fail(play, "%s waits (%s), and says Unschedulable", uid, reason_name(report.why.reason));
}

/* Also what waits for its next attempt. */
static bool wants_something(const struct play *play)
{
    static struct effect effect; /* large */
    uint32_t cursor = 0;

    return engine_next_live_effect(play->engine, &cursor, &effect);
}

/* All that there is to do is done, until nothing changes any more. */
static void calm_down(struct play *play)
{
    int idle = 0;

    play->calm = true;
    if (!play->leads)
        lead(play, true);
    for (int queue = 0; queue < GANG_QUEUES; queue++)
        show_queue(play, queue, 6 + queue * 3, QUEUE_OPEN);
    show_all(play);
    for (int round = 0; idle < 3; round++) {
        int64_t version = play->world.version, next;
        bool any = play->count > 0;

        if (round == ROUNDS) {
            fail(play, "it never calms down");
            return;
        }
        while (lease(play))
            any = true;
        while (play->count > 0)
            carry(play, DONE);
        show_all(play);
        for (int n = 0; n < GANG_PODS; n++) {
            try_again(play, n);
            schedule(play, n);
            any = any || play->pods[n].at_permit != 0;
        }
        next = engine_next(play->engine);
        any = any || play->world.version != version;
        idle = any || wants_something(play) ? 0 : idle + 1;
        pass_time(play, !any && next > play->world.now && next < play->world.now + 700 * SECOND
                            ? next
                            : play->world.now + SECOND);
    }
}

/* Whether the objects say all that is so. Who runs stays where it was granted, and no object says
 * where that was; who gave back what it was granted once looks as if it had it still. */
static bool all_is_written(const struct play *play)
{
    for (int n = 0; n < GANG_PODS; n++) {
        const struct gang_pod *pod = &play->world.pods[n];
        uint32_t id =
            engine_find_pod(play->engine, text_of(gang_world_uid(pod->number, pod->life)));
        struct pod_report report;

        if (id != 0 && !pod->bound && !pod->gated)
            return false;
        if (id == 0 || !pod->bound || pod->names_user_group)
            continue;
        engine_report_pod(play->engine, id, &report);
        if (!text_is(report.queue, gang_world_queue(pod->spec.queue)))
            return false;
    }
    return true;
}

static void look(struct play *play)
{
    uint64_t before = engine_digest(play->engine, false);
    bool same = all_is_written(play);
    static struct effect effect; /* large */

    for (int n = 0; n < GANG_GROUPS; n++)
        if (play->world.groups[n].is)
            look_at_group(play, &play->world.groups[n]);
    for (int n = 0; n < GANG_PODS; n++)
        look_at_pod(play, &play->world.pods[n]);
    restart(play);
    if (!same)
        return;
    if (engine_digest(play->engine, false) != before)
        fail(play, "the state after a restart is another");
    if (engine_peek_effect(play->engine, &effect))
        fail(play, "after a restart there is an effect of kind %d: %s", (int)effect.kind,
             effect.message);
}

static void *take(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static void give_back(void *ctx, void *p, size_t size)
{
    (void)ctx;
    (void)size;
    free(p);
}

static bool play_history(struct play *play, uint64_t seed)
{
    const uint32_t effects = 1u << EFFECT_ANSWER_PERMIT | 1u << EFFECT_SET_GROUP |
                             1u << EFFECT_CREATE_GROUP | 1u << EFFECT_SET_GROUP_STATUS |
                             1u << EFFECT_CHANGE_GROUP;
    uint64_t writes[EFFECT_KINDS];
    bool trace = play->trace;

    memcpy(writes, play->writes, sizeof(writes));
    memset(play, 0, sizeof(*play));
    memcpy(play->writes, writes, sizeof(writes));
    play->trace = trace;
    play->random.state = seed;
    play->world.now = 1000 * SECOND;
    play->mem = (struct mem){take, give_back, NULL, NULL};
    play->config = (struct engine_config){
        .removal = one_in(play, 2) ? REMOVE_ON_BIND : REMOVE_ON_ADMISSION, .effects = effects};
    open_engine(play);
    play->leads = true;
    restart(play);
    for (int n = 0; n < STEPS && play->broken[0] == '\0'; n++) {
        step(play);
        if (play->broken[0] == '\0' && one_in(play, 100)) {
            calm_down(play);
            if (play->broken[0] == '\0')
                look(play);
            play->calm = false;
        }
    }
    if (play->broken[0] != '\0')
        tap_diag("seed %" PRIu64 ": %s", seed, play->broken);
    return play->broken[0] == '\0';
}

int main(int argc, char **argv)
{
    static const char *const kinds[EFFECT_KINDS] = {[EFFECT_ACTIVATE] = "activate",
                                                    [EFFECT_REMOVE_GATES] = "removeGates",
                                                    [EFFECT_SET_CONDITION] = "setCondition",
                                                    [EFFECT_ANSWER_PERMIT] = "answerPermit",
                                                    [EFFECT_SET_GROUP] = "setGroup",
                                                    [EFFECT_CREATE_GROUP] = "createGroup",
                                                    [EFFECT_SET_GROUP_STATUS] = "setGroupStatus",
                                                    [EFFECT_CHANGE_GROUP] = "changeGroup"};
    uint64_t first = 1, count = 300, digests = 0;
    static struct play play; /* large */
    long broken = 0;
    bool good = true;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--trace") == 0)
            play.trace = true;
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            good = argument_number(argv[++i], 0, &first);
        else if (i + 1 < argc && strcmp(argv[i], "--histories") == 0)
            good = argument_number(argv[++i], 1, &count);
        else
            good = false;
        if (!good)
            return fputs("usage: t-gang-oracle [--seed N] [--histories N] [--trace]\n", stderr), 2;
    }
    for (uint64_t seed = first; seed < first + count && broken < 10; seed++) {
        broken += !play_history(&play, seed);
        digests += engine_digest(play.engine, true);
        engine_destroy(play.engine);
    }
    tap_diag("%" PRIu64 " histories of %d steps, digests %016" PRIx64, count, STEPS, digests);
    ok(broken == 0, "whatever becomes of writes, all objects say in the end what they should");
    for (int kind = 0; kind < EFFECT_KINDS; kind++)
        if (kinds[kind] != NULL)
            ok(play.writes[kind] > 0, "%s: %" PRIu64 " were done", kinds[kind], play.writes[kind]);
    return tap_done();
}
