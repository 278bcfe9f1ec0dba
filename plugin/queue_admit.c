/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_admit.h"

#include "command_effects.h"
#include "group_home.h"
#include "pod.h"
#include "queue_amounts.h"
#include "say.h"
#include "state.h"

/* Recursion is as deep as the tree. */
static uint32_t levels_below(const struct engine *e, uint32_t id)
{
    uint32_t most = 0;

    for (uint32_t child = id == 0 ? 0 : queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling) {
        uint32_t levels = levels_below(e, child) + 1;

        most = levels > most ? levels : most;
    }
    return most;
}

static uint32_t count_claims(const struct engine *e, uint32_t id)
{
    uint32_t claims = 0;

    for (int state = 0; state < CLAIM_STATES; state++)
        claims += queue_at(e, id)->counts[state];
    return claims;
}

static void say_pods(struct say *say, uint32_t count)
{
    say_number(say, count);
    say_str(say, count == 1 ? " pod" : " pods");
}

/* Only leaves grant: with its first child the parent would grant nothing to its own pods. */
static bool strands_pods(const struct engine *e, struct say *say, uint32_t id, uint32_t parent,
                         struct text name)
{
    bool stays =
        id != 0 && (queue_at(e, id)->parent == parent || queue_at(e, id)->wanted == parent);
    uint32_t claims = count_claims(e, parent);

    if (stays || claims == 0 || queue_at(e, parent)->first_child != 0)
        return false;
    say_str(say, "spec.parent is ");
    say_text(say, name);
    say_str(say, ", which has ");
    say_pods(say, claims);
    say_str(say, " in it: pods go into queues that have none below them");
    return true;
}

static bool misplaced(const struct engine *e, struct say *say, uint32_t id, uint32_t parent,
                      struct text name)
{
    uint32_t depth;

    if (parent == 0 || !queue_at(e, parent)->known) {
        say_str(say, "spec.parent is ");
        say_text(say, name);
        say_str(say, ", which does not exist: create it first");
        return true;
    }
    if (id != 0 && queue_is_below(e, parent, id)) {
        say_str(say, "spec.parent is ");
        say_text(say, name);
        say_str(say, ", which is this queue or below it: parents must not go round");
        return true;
    }
    depth = queue_depth(e, parent) + levels_below(e, id); /* root is no level */
    if (depth > QUEUE_MAX_DEPTH_VOLCANO) {
        say_str(say, "spec.parent is ");
        say_text(say, name);
        say_str(say, ", which makes ");
        say_number(say, depth);
        say_str(say, " levels of queues, more than ");
        say_number(say, QUEUE_MAX_DEPTH_VOLCANO);
        return true;
    }
    return strands_pods(e, say, id, parent, name);
}

bool engine_admit_queue(const struct engine *e, const struct queue_facts *queue,
                        char ret_reason[QUEUE_REFUSAL_MAX])
{
    uint32_t id = queue_find(e, QUEUE_VOLCANO, queue->name), parent;
    struct text name = queue->parent.len == 0 ? text_of("root") : queue->parent;
    struct say say;

    say_init(&say, ret_reason, QUEUE_REFUSAL_MAX);
    if (queue_amounts_contradict_each_other(&say, queue))
        return false;
    if (id == e->volcano_root)
        return true;
    parent = queue_find(e, QUEUE_VOLCANO, name);
    return !misplaced(e, &say, id, parent, name) &&
           !queue_amounts_contradict_tree(e, &say, queue, id, parent) &&
           !queue_amounts_lack_deserved(&say, queue);
}

bool engine_admit_queue_deletion(const struct engine *e, struct text name,
                                 char ret_reason[QUEUE_REFUSAL_MAX])
{
    uint32_t id = queue_find(e, QUEUE_VOLCANO, name);
    struct say say;

    say_init(&say, ret_reason, QUEUE_REFUSAL_MAX);
    if (id == 0)
        return true;
    say_str(&say, "queue ");
    say_text(&say, name);
    if (id == e->volcano_root || id == e->default_queue) {
        say_str(&say, " is built in: it cannot be deleted");
        return false;
    }
    if (queue_at(e, id)->first_child != 0) {
        say_str(&say, " has queues below it, as ");
        say_text(&say, name_text(e, queue_at(e, queue_at(e, id)->first_child)->name));
        say_str(&say, ": delete those first");
        return false;
    }
    if (count_claims(e, id) == 0)
        return true;
    say_str(&say, " has ");
    say_pods(&say, count_claims(e, id));
    say_str(&say, " in it: close it, and wait until it is Closed");
    return false;
}

bool engine_admit_command(const struct engine *e, const struct command_facts *facts,
                          char ret_reason[QUEUE_REFUSAL_MAX])
{
    uint32_t queue = queue_find(e, QUEUE_VOLCANO, facts->target);
    struct say say;

    say_init(&say, ret_reason, QUEUE_REFUSAL_MAX);
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
                      struct say *say)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        enum queue_state state = (enum queue_state)queue_at(e, id)->state;

        if (!queue_state_refuses(state) || (begun && state == QUEUE_CLOSING))
            continue;
        say_str(say, "queue ");
        say_text(say, name_text(e, queue_at(e, id)->name));
        say_str(say, " is ");
        say_str(say, queue_state_name(state));
        say_str(say, ": it takes no new ");
        say_str(say, what);
        say_str(say, " until it is opened");
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
    uint32_t group = pod->group.len == 0 ? 0 : group_find(e, pod->space, pod->group);
    struct say say;

    if (group_names_queue(e, group, &name))
        kind = QUEUE_VOLCANO;
    say_init(&say, ret_reason, QUEUE_REFUSAL_MAX);
    return kind != QUEUE_VOLCANO ||
           takes_new(e, queue_find(e, kind, name), has_begun(e, group), "pods", &say);
}

bool engine_admit_group(const struct engine *e, const struct group_facts *group,
                        char ret_reason[QUEUE_REFUSAL_MAX])
{
    struct say say;

    say_init(&say, ret_reason, QUEUE_REFUSAL_MAX);
    if (group->minimum < 0) {
        say_str(&say, "spec.minMember is ");
        say_number(&say, group->minimum);
        say_str(&say, ": want how many pods must run together, or 0 where each goes alone");
        return false;
    }
    return group->queue.len == 0 ||
           takes_new(e, queue_find(e, QUEUE_VOLCANO, group->queue), false, "groups", &say);
}
