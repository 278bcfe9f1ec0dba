/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/gang_play.h"

#include <stdio.h>

/* What happens beside the host: owners, a user, pods, messages, time. */

static void edit_owner(struct gang_play *play, int owner)
{
    struct gang_owner *o = &play->world.owners[owner];

    if (o->is && gang_one_in(play, 8)) {
        gang_world_remove_owner(&play->world, owner);
        if (gang_one_in(play, 2))
            gang_show_all(play);
        return;
    }
    o->life += !o->is;
    if (!o->is || gang_one_in(play, 2))
        o->spec = (struct gang_spec){gang_below(play, GANG_QUEUES),
                                     gang_one_in(play, 5) ? 0 : 1 + gang_below(play, 4),
                                     1 + gang_below(play, 3)};
    else if (gang_one_in(play, 2))
        o->spec.queue = gang_below(play, GANG_QUEUES);
    else
        o->spec.minimum = gang_below(play, 4);
    o->is = true;
    gang_say(play, "owner %d: queue %d minimum %d cpu %d", owner, o->spec.queue, o->spec.minimum,
             o->spec.cpu);
}

/* His PodGroup is made, edited, or goes. */
static void user_acts(struct gang_play *play)
{
    struct gang_group *group = &play->world.groups[GANG_USERS];
    int life = group->life + !group->is;

    if (group->is && gang_one_in(play, 4)) {
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
        group->spec = (struct gang_spec){gang_below(play, GANG_QUEUES), 1 + gang_below(play, 3), 0};
    }
    gang_hear(play, -1, GANG_USERS);
}

static void make_pod(struct gang_play *play, int n)
{
    int owner = gang_below(play, GANG_OWNERS);
    struct gang_pod *pod;

    if (!play->world.owners[owner].is)
        return;
    gang_world_make(&play->world, n, owner);
    pod = &play->world.pods[n];
    pod->names_user_group = gang_one_in(play, 5);
    if (pod->names_user_group)
        snprintf(pod->group, sizeof(pod->group), "user");
    play->pods[n].active = true;
    play->pods[n].at_permit = 0;
    if (!gang_one_in(play, 3))
        gang_hear(play, n, -1);
}

/* What becomes of a pod beside our writes. */
static void change_pod(struct gang_play *play, int n)
{
    struct gang_pod *pod = &play->world.pods[n];

    if (!pod->is) {
        make_pod(play, n);
        return;
    }
    pod = gang_world_change(&play->world, n);
    switch (gang_below(play, 6)) {
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
        pod->opted_out = !pod->bound && gang_one_in(play, 3);
        if (pod->opted_out) {
            pod->gated = false;
            if (play->world.kind == GROUP_VOLCANO) { /* else it is of its group for good */
                pod->names_user_group = false;
                pod->group[0] = '\0';
            }
            pod->stamp = 0;
            pod->granted_in = -1;
            pod->generation++;
        }
        break;
    default:
        break;
    }
    if (play->pods[n].at_permit != 0 && !pod->is)
        play->pods[n].at_permit = 0;
    gang_hear(play, n, -1);
}

/* As it is, or as it was before its last change. */
static void show_pod_again(struct gang_play *play, int n)
{
    const struct gang_pod *now = &play->world.pods[n], *before = &play->world.pods_before[n];

    gang_show_pod(play, now->is && before->is && before->life == now->life && gang_one_in(play, 3)
                            ? before
                            : now);
}

static void show_group_again(struct gang_play *play, int n)
{
    const struct gang_group *now = &play->world.groups[n], *before = &play->world.groups_before[n];

    gang_show_group(play, now->is && before->is && before->life == now->life && gang_one_in(play, 3)
                              ? before
                              : now);
}

void gang_step(struct gang_play *play)
{
    int dice = gang_below(play, 100), n = gang_below(play, GANG_PODS);

    if (dice < 4)
        edit_owner(play, gang_below(play, GANG_OWNERS));
    else if (dice < 6)
        user_acts(play);
    else if (dice < 20)
        change_pod(play, n);
    else if (dice < 30)
        show_pod_again(play, n);
    else if (dice < 38)
        show_group_again(play, n % GANG_GROUPS);
    else if (dice < 55)
        gang_schedule(play, n);
    else if (dice < 58)
        gang_try_again(play, n);
    else if (dice < 72)
        gang_lease(play);
    else if (dice < 88)
        (void)(play->count > 0 &&
               (gang_carry(play, gang_one_in(play, 3) ? (enum carry)gang_below(play, CARRIES)
                                                      : CARRY_DONE),
                true));
    else if (dice < 96)
        gang_pass_time(play,
                       play->world.now +
                           gang_below(play, gang_one_in(play, 5) ? 70000 : 3000) * (SECOND / 1000));
    else if (dice < 97)
        gang_show_queue(play, gang_below(play, GANG_QUEUES), 2 + gang_below(play, 14),
                        gang_one_in(play, 4) ? QUEUE_SUSPENDED : QUEUE_OPEN);
    else if (dice < 98 && gang_one_in(play, 3))
        gang_lead(play, !play->leads);
    else if (gang_one_in(play, 6))
        gang_restart(play);
}
