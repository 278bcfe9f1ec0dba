/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_admit.h"

#include "plugin/base/sentence.h"
#include "plugin/state.h"
#include "queue_amounts.h"

static uint32_t count_claims(const struct engine *e, uint32_t id)
{
    uint32_t claims = 0;

    for (int state = 0; state < CLAIM_STATES; state++)
        claims += queue_at(e, id)->counts[state];
    return claims;
}

static void say_pods(struct sentence *say, uint32_t count)
{
    sentence_number(say, "", count, count == 1 ? " pod" : " pods");
}

/* Only leaves grant: with its first child the parent would grant nothing to its own pods. */
static bool strands_pods(const struct proposal *to, struct text name)
{
    const struct queue *queue = to->id == 0 ? NULL : queue_at(to->e, to->id);
    bool stays = queue != NULL && (queue->parent == to->parent || queue->wanted == to->parent);
    uint32_t claims = count_claims(to->e, to->parent);

    if (stays || claims == 0 || queue_at(to->e, to->parent)->first_child != 0)
        return false;
    sentence_named(to->say, "spec.parent is ", name, ", which has ");
    say_pods(to->say, claims);
    sentence_str(to->say, " in it: pods go into queues that have none below them");
    return true;
}

static bool misplaced(const struct proposal *to, struct text name)
{
    uint32_t depth; /* root is no level */

    if (to->parent == 0 || !queue_at(to->e, to->parent)->known) {
        sentence_named(to->say, "spec.parent is ", name, ", which does not exist: create it first");
        return true;
    }
    if (to->id != 0 && queue_is_below(to->e, to->parent, to->id)) {
        sentence_named(to->say, "spec.parent is ", name,
                       ", which is this queue or below it: parents must not go round");
        return true;
    }
    depth =
        queue_depth(to->e, to->parent) + (to->id == 0 ? 0 : queue_at(to->e, to->id)->height.levels);
    if (depth > QUEUE_MAX_DEPTH_VOLCANO) {
        sentence_named(to->say, "spec.parent is ", name, ", which makes ");
        sentence_number(to->say, "", depth, " levels of queues, more than ");
        sentence_number(to->say, "", QUEUE_MAX_DEPTH_VOLCANO, "");
        return true;
    }
    return strands_pods(to, name);
}

bool engine_admit_queue(const struct engine *e, const struct queue_facts *queue,
                        char ret_reason[QUEUE_REFUSAL_MAX])
{
    struct text name = queue->parent.len == 0 ? text_of("root") : queue->parent;
    struct sentence say = sentence_in(ret_reason, QUEUE_REFUSAL_MAX);
    const struct proposal to = {e, &say, queue, queue_find(e, QUEUE_VOLCANO, queue->name),
                                queue_find(e, QUEUE_VOLCANO, name)};

    if (queue_amounts_contradict_each_other(&to))
        return false;
    return to.id == e->queues.volcano_root ||
           (!misplaced(&to, name) && !queue_amounts_contradict_tree(&to) &&
            !queue_amounts_lack_deserved(&to));
}

bool engine_admit_queue_deletion(const struct engine *e, struct text name,
                                 char ret_reason[QUEUE_REFUSAL_MAX])
{
    uint32_t id = queue_find(e, QUEUE_VOLCANO, name);
    struct sentence say = sentence_in(ret_reason, QUEUE_REFUSAL_MAX);

    if (id == 0)
        return true;
    sentence_named(&say, "queue ", name, "");
    if (id == e->queues.volcano_root || id == e->queues.default_queue) {
        sentence_str(&say, " is built in: it cannot be deleted");
        return false;
    }
    if (queue_at(e, id)->first_child != 0) {
        sentence_named(&say, " has queues below it, as ",
                       name_text(e, queue_at(e, queue_at(e, id)->first_child)->name),
                       ": delete those first");
        return false;
    }
    if (count_claims(e, id) == 0)
        return true;
    sentence_str(&say, " has ");
    say_pods(&say, count_claims(e, id));
    sentence_str(&say, " in it: close it, and wait until it is Closed");
    return false;
}
