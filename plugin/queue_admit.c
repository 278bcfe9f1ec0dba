/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_admit.h"

#include "command_effects.h"
#include "group_home.h"
#include "pod.h"
#include "say.h"
#include "state.h"

static const struct named_amount *find(const struct named_amounts *amounts, struct text resource)
{
    for (uint32_t i = 0; i < amounts->count; i++) {
        if (text_same(amounts->item[i].resource, resource))
            return &amounts->item[i];
    }
    return NULL;
}

/* "spec.deserved.cpu is 4, which is more than spec.capability.cpu of queue p, 2" */
static bool more_than(struct say *say, const char *field, struct text resource, wide amount,
                      const char *other, struct text queue, wide bound)
{
    if (amount <= bound)
        return false;
    say_str(say, field);
    say_text(say, resource);
    say_str(say, " is ");
    say_amount(say, resource, amount);
    say_str(say, ", which is more than ");
    say_str(say, other);
    say_text(say, resource);
    if (queue.len > 0) {
        say_str(say, " of queue ");
        say_text(say, queue);
    }
    say_str(say, ", ");
    say_amount(say, resource, bound);
    return true;
}

static bool is_unset(const struct named_amount *item)
{
    return item->amount == 0 &&
           (text_is(item->resource, "cpu") || text_is(item->resource, "memory"));
}

static bool wrong_in_itself(struct say *say, const struct queue_facts *queue)
{
    static const struct text own = {"", 0};

    for (uint32_t i = 0; i < queue->guarantee.count; i++) {
        const struct named_amount *kept = &queue->guarantee.item[i];
        const struct named_amount *share = find(&queue->deserved, kept->resource);
        const struct named_amount *most = find(&queue->capability, kept->resource);

        if (share != NULL && more_than(say, "spec.guarantee.resource.", kept->resource,
                                       kept->amount, "spec.deserved.", own, share->amount))
            return true;
        if (most != NULL && !is_unset(most) &&
            more_than(say, "spec.guarantee.resource.", kept->resource, kept->amount,
                      "spec.capability.", own, most->amount))
            return true;
    }
    for (uint32_t i = 0; i < queue->deserved.count; i++) {
        const struct named_amount *share = &queue->deserved.item[i];
        const struct named_amount *most = find(&queue->capability, share->resource);

        if (most != NULL && !is_unset(most) &&
            more_than(say, "spec.deserved.", share->resource, share->amount, "spec.capability.",
                      own, most->amount))
            return true;
    }
    return false;
}

static const struct cell *own_cell(const struct engine *e, uint32_t queue, struct text resource)
{
    const struct queue *at = queue_at(e, queue);

    for (uint32_t i = 0; i < at->cell_count; i++) {
        if (at->cells[i].named && text_same(name_text(e, at->cells[i].resource), resource))
            return &at->cells[i];
    }
    return NULL;
}

/* The nearest queue from here up that sets a capability for the resource. */
static bool beyond_above(const struct engine *e, struct say *say, uint32_t from, const char *field,
                         const struct named_amount *item)
{
    for (uint32_t id = from; id != 0; id = queue_at(e, id)->parent) {
        const struct cell *cell = own_cell(e, id, item->resource);

        if (cell != NULL && cell->has_ceiling)
            return more_than(say, field, item->resource, item->amount, "spec.capability.",
                             name_text(e, queue_at(e, id)->name), cell->own_ceiling);
    }
    return false;
}

static bool any_beyond(const struct engine *e, struct say *say, uint32_t from, const char *field,
                       const struct named_amounts *amounts)
{
    for (uint32_t i = 0; i < amounts->count; i++) {
        if (beyond_above(e, say, from, field, &amounts->item[i]))
            return true;
    }
    return false;
}

enum which { SHARES, GUARANTEES };

static wide own_amount(const struct cell *cell, enum which which)
{
    if (cell == NULL)
        return 0;
    return which == SHARES ? cell->own_share : cell->has_kept ? cell->own_kept : 0;
}

/* What the children of a queue have together, with `more` in place of what `but` has. */
static wide sum_below(const struct engine *e, uint32_t id, uint32_t but, struct text resource,
                      enum which which)
{
    wide sum = 0;

    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling)
        sum += child == but ? 0 : own_amount(own_cell(e, child, resource), which);
    return sum;
}

/* root sets nothing of its own; who sets no amount is bound by none. */
static bool sums_beyond(const struct engine *e, struct say *say, uint32_t parent, uint32_t id,
                        const struct named_amounts *amounts, enum which which)
{
    const char *field = which == SHARES ? "the sum of the children's spec.deserved."
                                        : "the sum of the children's spec.guarantee.resource.";
    const char *other = which == SHARES ? "spec.deserved." : "spec.guarantee.resource.";

    for (uint32_t i = 0; i < amounts->count && parent != e->volcano_root; i++) {
        struct text resource = amounts->item[i].resource;
        wide bound = own_amount(own_cell(e, parent, resource), which);

        if (own_cell(e, parent, resource) != NULL && bound > 0 &&
            more_than(say, field, resource,
                      sum_below(e, parent, id, resource, which) + amounts->item[i].amount, other,
                      name_text(e, queue_at(e, parent)->name), bound))
            return true;
    }
    return false;
}

/* An edit must leave room for the children that are there. */
static bool below_children(const struct engine *e, struct say *say, uint32_t id,
                           const struct named_amounts *amounts, enum which which)
{
    const char *field = which == SHARES ? "the sum of the children's spec.deserved."
                                        : "the sum of the children's spec.guarantee.resource.";

    for (uint32_t i = 0; i < amounts->count && id != 0; i++) {
        struct text resource = amounts->item[i].resource;

        if (more_than(say, field, resource, sum_below(e, id, 0, resource, which),
                      which == SHARES ? "spec.deserved." : "spec.guarantee.resource.",
                      (struct text){"", 0}, amounts->item[i].amount))
            return true;
    }
    return false;
}

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
    if (depth <= QUEUE_MAX_DEPTH_VOLCANO)
        return false;
    say_str(say, "spec.parent is ");
    say_text(say, name);
    say_str(say, ", which makes ");
    say_number(say, depth);
    say_str(say, " levels of queues, more than ");
    say_number(say, QUEUE_MAX_DEPTH_VOLCANO);
    return true;
}

bool engine_admit_queue(const struct engine *e, const struct queue_facts *queue,
                        char ret_reason[QUEUE_REFUSAL_MAX])
{
    uint32_t id = queue_find(e, QUEUE_VOLCANO, queue->name), parent;
    struct text name = queue->parent.len == 0 ? text_of("root") : queue->parent;
    struct say say;

    say_init(&say, ret_reason, QUEUE_REFUSAL_MAX);
    if (wrong_in_itself(&say, queue))
        return false;
    if (id == e->volcano_root)
        return true;
    parent = queue_find(e, QUEUE_VOLCANO, name);
    return !(misplaced(e, &say, id, parent, name) ||
             any_beyond(e, &say, parent, "spec.capability.", &queue->capability) ||
             any_beyond(e, &say, parent, "spec.deserved.", &queue->deserved) ||
             any_beyond(e, &say, parent, "spec.guarantee.resource.", &queue->guarantee) ||
             sums_beyond(e, &say, parent, id, &queue->guarantee, GUARANTEES) ||
             sums_beyond(e, &say, parent, id, &queue->deserved, SHARES) ||
             below_children(e, &say, id, &queue->guarantee, GUARANTEES) ||
             below_children(e, &say, id, &queue->deserved, SHARES));
}

bool engine_admit_queue_deletion(const struct engine *e, struct text name,
                                 char ret_reason[QUEUE_REFUSAL_MAX])
{
    uint32_t id = queue_find(e, QUEUE_VOLCANO, name), claims = 0;
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
    for (int state = 0; state < CLAIM_STATES; state++)
        claims += queue_at(e, id)->counts[state];
    if (claims == 0)
        return true;
    say_str(&say, " has ");
    say_number(&say, claims);
    say_str(&say, claims == 1 ? " pod" : " pods");
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

/* Whether a queue and all above it take what is new; if not, which of them does not. */
static bool takes_new(const struct engine *e, uint32_t id, const char *what, struct say *say)
{
    for (; id != 0; id = queue_at(e, id)->parent) {
        enum queue_state state = (enum queue_state)queue_at(e, id)->state;

        if (!queue_state_refuses(state))
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

bool engine_admit_to_queue(const struct engine *e, const struct pod_facts *pod,
                           char ret_reason[QUEUE_REFUSAL_MAX])
{
    struct text name = pod_queue_name(pod);
    enum queue_kind kind = pod->queue_kind;
    struct say say;

    if (pod->group.len > 0 && group_names_queue(e, group_find(e, pod->space, pod->group), &name))
        kind = QUEUE_VOLCANO;
    say_init(&say, ret_reason, QUEUE_REFUSAL_MAX);
    return kind != QUEUE_VOLCANO || takes_new(e, queue_find(e, kind, name), "pods", &say);
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
           takes_new(e, queue_find(e, QUEUE_VOLCANO, group->queue), "groups", &say);
}
