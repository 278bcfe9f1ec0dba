/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/replay_page.h"

#include <string.h>

#include "examples/sim/run.h"

void replay_page_start(struct replay_page *page, const char *path)
{
    const char *name = strrchr(path, '/');

    page->scenario = (struct scenario){.name = name ? name + 1 : path, .file = path};
    page->sim.scenario = &page->scenario;
    page->sim.story.quiet = true;
    page->sim.story.paints = true;
    page->sim.faults.skew = -sim_wall(&page->sim); /* its clock is the wall's */
    page->sim.board.source = "recording";
    board_start(&page->sim.board);
}

void replay_page_finish(struct replay_page *page)
{
    run_finish(&page->sim, &page->scenario);
}

void replay_page_opened(void *who, const msgpack_object *config)
{
    struct replay_page *page = who;

    page->scenario.on_admission = strcmp(value_str(config, "removal", ""), "onAdmission") == 0;
}

void replay_page_moment(void *who, const msgpack_object *request)
{
    struct replay_page *page = who;
    int64_t now = value_int(request, "now", 0);

    if (now <= page->sim.clock.now)
        return;
    if (page->sim.clock.now > 0)
        board_end_moment(&page->sim);
    page->sim.clock.now = now;
}

static void see_pod(struct sim *sim, const msgpack_object *object)
{
    const char *uid = value_str(object, "uid", "");
    struct pod *pod = map_get(&sim->world.by_uid, uid);

    if (!*uid)
        return;
    if (!pod) {
        pod = arena_get(&sim->arena, sizeof(*pod));
        pod->uid = arena_copy(&sim->arena, uid);
        pod->namespace = arena_copy(&sim->arena, value_str(object, "namespace", ""));
        map_put(&sim->world.by_uid, pod->uid, pod);
    }
    board_touch(sim, pod);
}

static void see_workload(struct sim *sim, const msgpack_object *object)
{
    const char *uid = value_str(object, "uid", "");

    if (!*uid || map_get(&sim->workloads.by_ref, uid))
        return;
    struct workload *workload = arena_get(&sim->arena, sizeof(*workload));
    workload->object = arena_get(&sim->arena, sizeof(*workload->object));
    workload->object->uid = arena_copy(&sim->arena, uid);
    workload->object->namespace = arena_copy(&sim->arena, value_str(object, "namespace", ""));
    workload->object->name = arena_copy(&sim->arena, value_str(object, "name", ""));
    map_put(&sim->workloads.by_ref, workload->object->uid, workload);
}

/* Pods that are to go, and why. */
static void tell_evictions(struct sim *sim, const msgpack_object *effects)
{
    for (uint32_t i = 0; i < value_count(effects); i++) {
        const msgpack_object *effect = value_item(effects, i);
        if (strcmp(value_str(effect, "kind", ""), "evictPod") == 0)
            story(sim,
                  arena_format(&sim->arena, "pod/%s/%s", value_str(effect, "namespace", ""),
                               value_str(effect, "name", "")),
                  "evicted", "%s", value_str(effect, "message", ""));
    }
}

void replay_page_saw(void *who, enum loader_hook hook, const msgpack_object *request,
                     const msgpack_object *answer)
{
    struct replay_page *page = who;
    const char *kind = value_str(request, "kind", "");

    if (hook == LOADER_OBSERVE && strcmp(kind, "pod") == 0)
        see_pod(&page->sim, value_map(request, "object"));
    else if (hook == LOADER_OBSERVE && strcmp(kind, "workload") == 0)
        see_workload(&page->sim, value_map(request, "object"));
    else if (hook == LOADER_DRAIN)
        tell_evictions(&page->sim, value_array(answer, "effects"));
    else
        see_pod(&page->sim, value_map(request, "pod"));
}
