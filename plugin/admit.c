/* SPDX-License-Identifier: Apache-2.0 */
#include "admit.h"

#include "plugin/base/sentence.h"
#include "plugin/pods/group.h"
#include "plugin/queues/command_effects.h"
#include "state.h"

bool engine_admit_command(const struct engine *e, const struct command_facts *facts,
                          char ret_reason[QUEUE_REFUSAL_MAX])
{
    uint32_t queue = queue_find(e, QUEUE_VOLCANO, facts->target);
    struct sentence say = sentence_in(ret_reason, QUEUE_REFUSAL_MAX);

    if (queue_action_of(facts->action) == QUEUE_ACTIONS) {
        command_say_no_action(&say, facts->action);
        return false;
    }
    if (queue != 0 && queue_at(e, queue)->seen)
        return true;
    command_say_no_queue(&say, facts->target, queue != 0 && queue_at(e, queue)->known);
    return false;
}

/* Whether a queue and all above it take what is new; if not, which of them does not. While they
 * close they take what belongs to something that has begun. */
static bool takes_new(const struct engine *e, uint32_t id, bool begun, const char *what,
                      struct sentence *say)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        enum queue_state state = (enum queue_state)queue_at(e, id)->state;

        if (!queue_state_refuses(state) || (begun && state == QUEUE_CLOSING))
            continue;
        sentence_named(say, "queue ", name_text(e, queue_at(e, id)->name), " is ");
        sentence_str(say, queue_state_name(state));
        sentence_str(say, ": it takes no new ");
        sentence_str(say, what);
        sentence_str(say, " until it is opened");
        return false;
    }
    return true;
}

/* Who made a PodGroup that is left in its queue may wait for its room before making its pods. */
static bool has_begun(const struct engine *e, uint32_t group)
{
    return group != 0 && group_at(e, group)->counts && !group_at(e, group)->ours;
}

bool engine_admit_to_queue(const struct engine *e, const struct pod_facts *pod,
                           char ret_reason[QUEUE_REFUSAL_MAX])
{
    struct text name = pod_queue_name(pod);
    enum queue_kind kind = pod->queue_kind;
    uint32_t group = pod->group.len == 0 || pod->native_group.len > 0
                         ? 0
                         : group_find(e, pod->space, pod->group);
    struct sentence say = sentence_in(ret_reason, QUEUE_REFUSAL_MAX);

    if (group != 0 && group_at(e, group)->said.queue != 0) {
        name = name_text(e, group_at(e, group)->said.queue);
        kind = QUEUE_VOLCANO;
    }
    return kind != QUEUE_VOLCANO ||
           takes_new(e, queue_find(e, kind, name), has_begun(e, group), "pods", &say);
}

bool engine_admit_group(const struct engine *e, const struct group_facts *group,
                        char ret_reason[QUEUE_REFUSAL_MAX])
{
    struct sentence say = sentence_in(ret_reason, QUEUE_REFUSAL_MAX);

    if (group->minimum < 0) {
        sentence_number(&say, "spec.minMember is ", group->minimum,
                        ": want how many pods must run together, or 0 where each goes alone");
        return false;
    }
    return group->queue.len == 0 ||
           takes_new(e, queue_find(e, QUEUE_VOLCANO, group->queue), false, "groups", &say);
}
