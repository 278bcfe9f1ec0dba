/* SPDX-License-Identifier: Apache-2.0 */
#include "group_home.h"

#include "plugin/queues/queue_tree.h"
#include "plugin/records/queue_count.h"
#include "plugin/state.h"

/* One that somebody made may get pods at any time. One that we made has lost those that it was made
 * for: its owner wants none any more. */
static bool is_left(const struct group *group)
{
    return group->home != 0 && !group_is_over(group) && (!group->ours || group->members > 0);
}

void group_count_home(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    bool counts = is_left(group);

    if (counts == group->counts)
        return;
    group->counts = counts;
    queue_count_groups(e, group->home, counts ? 1 : -1);
}

void group_set_home(struct engine *e, uint32_t id, uint32_t queue)
{
    struct group *group = group_at(e, id);
    uint32_t before = group->home;

    queue_hold(e, queue);
    if (group->counts)
        queue_count_groups(e, before, -1);
    group->counts = false;
    group->home = queue;
    group_count_home(e, id);
    queue_let_go(e, before);
}

void group_candidates_changed(struct engine *e, uint32_t id)
{
    struct group *group = group_at(e, id);
    uint32_t queue = group->claims.first == 0 ? 0 : claim_queue(e, group->claims.first);

    if (queue == 0)
        return;
    queue_candidates_changed(e, queue);
    if (!group->spread)
        return;
    group->spread = false;
    for (uint32_t at = group->claims.first; at != 0; at = member_after(e, at)) {
        if (claim_queue(e, at) == queue)
            continue;
        group->spread = true;
        queue_candidates_changed(e, claim_queue(e, at));
    }
}

const char *group_check_home(const struct engine *e, uint32_t id)
{
    const struct group *group = group_at(e, id);

    if ((group->home != 0) != (group->known && group->said.queue != 0))
        return "a group that is there has the queue that it names";
    return group->counts != is_left(group) ? "a group is left in its queue until it is over" : NULL;
}
