/* SPDX-License-Identifier: Apache-2.0 */
#include "place.h"

#include "group.h"
#include "plugin/order/fit.h"
#include "plugin/queues/queue_tree.h"
#include "plugin/state.h"
#include "stamp.h"

/* Who does not lead believes what a leader wrote. */
bool place_is_kept(const struct engine *e, uint32_t claim, bool bound)
{
    return e->synced && e->leads && claim_holds(claim_at(e, claim)) &&
           (bound || claim_at(e, claim)->state == CLAIM_ALLOCATED);
}

/* Where its stamp says that it was granted; 0: it has lost that since, or the stamp tells
 * nothing. */
static int find_granted(struct engine *e, uint32_t claim, const struct pod_facts *pod,
                        uint32_t *ret_queue)
{
    bool leads = e->synced && e->leads;
    bool has_lost = claim != 0 && leads && pod->node.len == 0 &&
                    (claim_at(e, claim)->flags & CLAIM_RESTORING) == 0;

    if (!stamp_names_queue(pod))
        return 0;
    if (claim != 0 && leads && claim_holds(claim_at(e, claim))) {
        *ret_queue = claim_queue(e, claim);
        return 0;
    }
    return has_lost ? 0 : queue_get(e, pod->stamped_kind, pod->stamped_queue, ret_queue);
}

/* What a pod says of its queue. */
struct word {
    struct text name;
    enum queue_kind kind;
    bool barred; /* that queue is not for its namespace */
};

/* The queue that its group names comes first, unless we made that for it and it is bound: then it
 * does not follow that any more. */
static struct word read_word(const struct engine *e, uint32_t id, const struct pod_facts *pod)
{
    const struct group *group = id == 0 ? NULL : group_at(e, id);
    bool ours = group != NULL && group->known && group->ours && pod->node.len > 0;

    if (group != NULL && group->said.queue != 0 && !ours)
        return (struct word){name_text(e, group->said.queue), QUEUE_VOLCANO, group->not_selected};
    return (struct word){pod_queue_name(pod), pod->queue_kind, pod->not_selected};
}

/* Whether it is bound to a node in a queue that it may not use, and was granted nowhere. */
static bool is_stray(const struct pod_facts *pod, const struct word *word)
{
    return word->barred && pod->node.len > 0 && !stamp_names_queue(pod);
}

static int find_queue_of(struct engine *e, uint32_t id, uint32_t claim, const struct pod_facts *pod,
                         uint32_t *ret_queue)
{
    struct word word = read_word(e, id, pod);
    bool is_kept = claim != 0 && place_is_kept(e, claim, pod->node.len > 0);
    int error = 0;

    *ret_queue = 0;
    if (is_stray(pod, &word) &&
        (!is_kept || queue_find(e, word.kind, word.name) == claim_queue(e, claim)))
        *ret_queue = e->queues.default_queue;
    else if (is_kept)
        *ret_queue = claim_queue(e, claim);
    else if (id == 0 || pod->node.len > 0)
        error = find_granted(e, claim, pod, ret_queue);
    return error < 0 || *ret_queue != 0 ? error : queue_get(e, word.kind, word.name, ret_queue);
}

bool place_misleads(const struct engine *e, uint32_t claim, const struct pod_facts *pod)
{
    struct word word = read_word(e, claim_group(e, claim_at(e, claim)), pod);
    uint32_t queue =
        is_stray(pod, &word) ? e->queues.default_queue : queue_find(e, word.kind, word.name);

    if (stamp_names_queue(pod))
        return queue_find(e, pod->stamped_kind, pod->stamped_queue) != claim_queue(e, claim);
    return pod->node.len > 0 && queue != claim_queue(e, claim);
}

static int find_line(struct engine *e, const struct pod_facts *pod, uint32_t queue,
                     uint32_t *ret_line)
{
    /* Its group may name another kind of queue by now than it does, or no more. */
    bool flavored = pod->queue_kind == QUEUE_CLUSTER || queue_at(e, queue)->kind == QUEUE_CLUSTER;
    bool bare = flavored && pod->gates.ours == 0;
    int error = line_get(e, queue, &pod->requests, bare, ret_line);

    if (error < 0)
        queue_drop_unused(e, queue);
    return error;
}

/* Who has what it was granted stays in its queue, unless the one that it names by now has room for
 * it. */
static int try_named(struct engine *e, uint32_t id, uint32_t claim, const struct pod_facts *pod,
                     uint32_t *ret_line)
{
    struct word word = read_word(e, id, pod);
    uint32_t line, queue = queue_find(e, word.kind, word.name);
    uint16_t flavors[FACTS_MAX_NEEDS];
    int error;

    if (word.barred || !claim_holds(claim_at(e, claim)) || !engine_grants(e) || queue == 0 ||
        queue == claim_queue(e, claim) || queue_stops(e, queue) != REASON_NONE)
        return 0;
    error = find_line(e, pod, queue, &line);
    if (error == 0 && fit_line(e, line, flavors)) {
        uint32_t stays = *ret_line;

        *ret_line = line;
        line = stays;
    }
    if (error == 0)
        line_unref(e, line);
    return error;
}

int place_find_line(struct engine *e, uint32_t id, uint32_t claim, const struct pod_facts *pod,
                    uint32_t *ret_line)
{
    const struct group *group = id == 0 ? NULL : group_at(e, id);
    uint32_t queue;
    int error = find_queue_of(e, id, claim, pod, &queue);

    if (error == 0)
        error = find_line(e, pod, queue, ret_line);
    if (error < 0 || claim == 0 || (group != NULL && (!group->known || group->ours)) ||
        (!place_is_kept(e, claim, pod->node.len > 0) && (group != NULL || !stamp_names_queue(pod))))
        return error;
    return try_named(e, id, claim, pod, ret_line);
}
