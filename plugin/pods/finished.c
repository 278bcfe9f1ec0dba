/* SPDX-License-Identifier: Apache-2.0 */
#include "finished.h"

#include "plugin/state.h"

static uint32_t find(const struct engine *e, struct text uid)
{
    return directory_find(&e->pods.finished_by_uid, text_of(""), uid);
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

    if (slab_count(&e->pods.finished) >= e->config.max_pods)
        return ENGINE_FULL_PODS;
    if (slab_reserve(&e->pods.finished, 1) < 0 ||
        index_reserve(&e->pods.finished_by_uid.index) < 0 || name_get(e, pod->uid, &uid) < 0)
        return ENGINE_NO_MEMORY;
    id = slab_take(&e->pods.finished);
    *finished_at(e, id) = (struct finished){group, uid, pod->failed};
    directory_put(&e->pods.finished_by_uid, id);
    count(e, finished_at(e, id), 1);
    return 0;
}

static void lose(struct engine *e, uint32_t id)
{
    const struct finished *finished = finished_at(e, id);

    count(e, finished, UINT32_MAX);
    directory_drop(&e->pods.finished_by_uid, id);
    intern_unref(&e->names, finished->uid);
    slab_give(&e->pods.finished, id);
}

/* Its group may be another one by now, or it may name none. */
static void see_again(struct engine *e, uint32_t id, uint32_t group, bool failed)
{
    struct finished *finished = finished_at(e, id);

    if (group == 0) {
        lose(e, id);
    } else if (finished->group != group || finished->failed != failed) {
        count(e, finished, UINT32_MAX);
        finished->group = group;
        finished->failed = failed;
        count(e, finished, 1);
    }
}

int finished_see(struct engine *e, const struct pod_facts *pod)
{
    uint32_t group, id = find(e, pod->uid);
    int error = group_get(e, pod, &group);

    if (error == 0 && id != 0)
        see_again(e, id, group, pod->failed);
    else if (error == 0 && group != 0)
        error = add(e, group, pod);
    if (error < 0)
        group_drop_unused(e, group);
    return error;
}

uint32_t finished_group(const struct engine *e, struct text uid)
{
    uint32_t id = find(e, uid);

    return id == 0 ? 0 : finished_at(e, id)->group;
}

bool finished_lose(struct engine *e, struct text uid)
{
    uint32_t id = find(e, uid);

    if (id != 0)
        lose(e, id);
    return id != 0;
}
