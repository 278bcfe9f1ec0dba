/* SPDX-License-Identifier: Apache-2.0 */
#include "finished.h"

#include "state.h"

struct uid_question {
    const struct engine *e;
    struct text uid;
};

static bool same_uid(const void *ctx, uint32_t id)
{
    const struct uid_question *q = ctx;

    return text_same(name_text(q->e, finished_at(q->e, id)->uid), q->uid);
}

static uint32_t uid_hash(struct text uid)
{
    return hash_bytes(uid.at, uid.len, 0);
}

uint32_t finished_find(const struct engine *e, struct text uid)
{
    const struct uid_question q = {e, uid};

    return index_find(&e->finished_by_uid, uid_hash(uid), same_uid, &q);
}

static void count(struct engine *e, const struct finished *finished, uint32_t one)
{
    struct group *group = group_at(e, finished->group);

    if (finished->failed)
        group->failed += one;
    else
        group->succeeded += one;
    group_touch(e, finished->group);
}

/* The group is found or made by now. */
static int add(struct engine *e, uint32_t group, const struct pod_facts *pod)
{
    uint32_t uid, id;

    if (slab_count(&e->finished) >= e->config.max_pods)
        return ENGINE_FULL;
    if (slab_reserve(&e->finished, 1) < 0 || index_reserve(&e->finished_by_uid) < 0 ||
        name_get(e, pod->uid, &uid) < 0)
        return ENGINE_NO_MEMORY;
    id = slab_take(&e->finished);
    *finished_at(e, id) = (struct finished){group, uid, pod->failed};
    index_put(&e->finished_by_uid, uid_hash(pod->uid), id);
    count(e, finished_at(e, id), 1);
    return 0;
}

int finished_see(struct engine *e, const struct pod_facts *pod)
{
    uint32_t group;
    int error = group_get(e, pod, &group);

    if (error < 0 || group == 0 || finished_find(e, pod->uid) != 0)
        return error;
    error = add(e, group, pod);
    if (error < 0)
        group_drop_unused(e, group);
    return error;
}

void finished_lose(struct engine *e, struct text uid)
{
    uint32_t id = finished_find(e, uid);

    if (id == 0)
        return;
    count(e, finished_at(e, id), UINT32_MAX);
    index_drop(&e->finished_by_uid, uid_hash(uid), id);
    intern_unref(&e->names, finished_at(e, id)->uid);
    slab_give(&e->finished, id);
}
