/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "able.h"
#include "say.h"
#include "skeleton.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <linux/types.h>

#include "gate_latency.h"

static void configure(struct gate_latency_bpf *skeleton, const struct session_plan *plan)
{
    if (plan->queues > 0)
        bpf_map__set_max_entries(skeleton->maps.gate_stages, plan->queues * STAGES);
    skeleton->rodata->watching = plan->pod != NULL;
    bpf_program__set_autoload(skeleton->progs.gate_pod, plan->pod != NULL);
    if (plan->pod == NULL)
        return;
    snprintf((char *)(uintptr_t)skeleton->rodata->wanted_space, SPACE_NAME, "%s", plan->space);
    snprintf((char *)(uintptr_t)skeleton->rodata->wanted_name, POD_NAME, "%s", plan->pod);
}

/* The section says which probe: "uprobe/sluice_probe_seen". */
static bool attach(struct session *session, struct bpf_program *program,
                   const struct target *target)
{
    const char *probe = strchr(bpf_program__section_name(program), '/') + 1;
    LIBBPF_OPTS(bpf_uprobe_opts, opts, .func_name = probe);
    struct bpf_link *link;

    if (!bpf_program__autoload(program) || !target_has(target, probe))
        return true;
    link = bpf_program__attach_uprobe_opts(program, target->pid, target->path, 0, &opts);
    if (!link) {
        int error = errno;

        say("%s of %s: %s", probe, target->name, strerror(error));
        able_to_guess(error);
        return false;
    }
    session->links[session->link_count].program = bpf_program__name(program);
    session->links[session->link_count++].link = link;
    return true;
}

bool session_attach(const struct target *target, const struct session_plan *plan,
                    struct session *ret)
{
    struct gate_latency_bpf *skeleton = gate_latency_bpf__open();
    struct bpf_program *program;
    int error;

    *ret = (struct session){.skeleton = skeleton};
    if (!skeleton)
        return say("the programs cannot be opened: %s", strerror(errno));
    configure(skeleton, plan);
    error = gate_latency_bpf__load(skeleton);
    if (error != 0) {
        say("the kernel refuses the programs: %s", strerror(-error));
        able_to_guess(-error);
        say_log();
        session_close(ret);
        return false;
    }
    ret->stages = bpf_map__fd(skeleton->maps.gate_stages);
    ret->totals = bpf_map__fd(skeleton->maps.gate_totals);
    ret->hooks = bpf_map__fd(skeleton->maps.gate_hooks);
    ret->engines = bpf_map__fd(skeleton->maps.gate_engines);
    ret->lost = bpf_map__fd(skeleton->maps.gate_lost);
    ret->pods = plan->pod ? bpf_map__fd(skeleton->maps.gate_pods) : -1;
    bpf_object__for_each_program(program, skeleton->obj)
    {
        if (!attach(ret, program, target)) {
            say_log();
            session_close(ret);
            return false;
        }
    }
    return true;
}

static bool open_map(const char *folder, const char *name, size_t value, int *ret_fd)
{
    struct bpf_map_info info = {0};
    __u32 length = sizeof(info);
    char path[4200];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    *ret_fd = bpf_obj_get(path);
    if (*ret_fd < 0)
        return say("%s: %s", path, strerror(errno));
    if (bpf_obj_get_info_by_fd(*ret_fd, &info, &length) != 0 || info.value_size != value)
        return say("%s was pinned by another version: --detach it, and --pin it again", path);
    return true;
}

bool session_open(const char *folder, struct session *ret)
{
    *ret = (struct session){
        .stages = -1, .totals = -1, .hooks = -1, .engines = -1, .lost = -1, .pods = -1};
    if (open_map(folder, "gate_stages", sizeof(struct stage_times), &ret->stages) &&
        open_map(folder, "gate_totals", sizeof(struct stage_times), &ret->totals) &&
        open_map(folder, "gate_hooks", sizeof(struct hook_times), &ret->hooks) &&
        open_map(folder, "gate_engines", sizeof(struct engine_counts), &ret->engines) &&
        open_map(folder, "gate_lost", sizeof(struct lost_counts), &ret->lost))
        return true;
    session_close(ret);
    return false;
}

void session_close(struct session *session)
{
    int fds[] = {session->stages, session->totals, session->hooks, session->engines, session->lost};

    for (int i = 0; i < session->link_count; i++) {
        if (session->pinned)
            bpf_link__disconnect(session->links[i].link);
        bpf_link__destroy(session->links[i].link);
    }
    if (session->skeleton) {
        gate_latency_bpf__destroy(session->skeleton);
        return;
    }
    for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}
