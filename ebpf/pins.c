/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"
#include "session.h"

#include "skeleton.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

/* What a folder of pins is called until it is whole. */
static void unfinished(const char *folder, char *out, size_t cap)
{
    snprintf(out, cap, "%.4000s_unfinished", folder);
}

/* Removes what is named like ours, and the folder. No such folder is no failure. */
static bool remove_pins(const char *folder)
{
    struct dirent *entry;
    DIR *dir = opendir(folder);

    if (!dir)
        return errno == ENOENT || say("%s: %s", folder, strerror(errno));
    while ((entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, "gate_", 5) == 0 && unlinkat(dirfd(dir), entry->d_name, 0) != 0)
            say("%s/%s: %s", folder, entry->d_name, strerror(errno));
    }
    closedir(dir);
    return rmdir(folder) == 0 || say("%s: %s", folder, strerror(errno));
}

/* What a reader wants: the rest lives as long as the programs. */
static bool is_for_readers(const char *map)
{
    static const char *const names[] = {"gate_stages", "gate_totals", "gate_hooks", "gate_engines",
                                        "gate_lost"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(map, names[i]) == 0)
            return true;
    }
    return false;
}

/* bpftool finds the maps by their names; the links by their programs'. */
static bool pin_all(const struct session *session, const char *folder)
{
    struct bpf_map *map;
    char path[4200];

    bpf_object__for_each_map(map, session->skeleton->obj)
    {
        snprintf(path, sizeof(path), "%.4000s/%s", folder, bpf_map__name(map));
        if (is_for_readers(bpf_map__name(map)) && bpf_map__pin(map, path) != 0)
            return say("%s: %s", path, strerror(errno));
    }
    for (int i = 0; i < session->link_count; i++) {
        snprintf(path, sizeof(path), "%.4000s/%s_link", folder, session->links[i].program);
        if (bpf_link__pin(session->links[i].link, path) != 0)
            return say("%s: %s", path, strerror(errno));
    }
    return true;
}

static bool pin(const struct session *session, const char *folder)
{
    char first[4200];

    unfinished(folder, first, sizeof(first));
    if (!remove_pins(first))
        return false;
    if (mkdir(first, 0700) != 0)
        return say("%s: %s", first, strerror(errno));
    if (pin_all(session, first) && rename(first, folder) == 0)
        return true;
    say("%s: %s", folder, strerror(errno));
    remove_pins(first);
    return false;
}

/* In a process of its own, which whoever kills this one does not know. */
bool session_pin(struct session *session, const char *folder)
{
    pid_t child = fork();
    int status;

    if (child < 0)
        return say("fork: %s", strerror(errno));
    if (child == 0) {
        setsid();
        _exit(pin(session, folder) ? 0 : 1);
    }
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return false;
    }
    session->pinned = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return session->pinned;
}

bool session_is_pinned(const char *folder)
{
    char path[4200];

    snprintf(path, sizeof(path), "%.4000s/gate_stages", folder);
    return access(path, F_OK) == 0;
}

bool session_unpin(const char *folder)
{
    char first[4200];

    unfinished(folder, first, sizeof(first));
    if (!session_is_pinned(folder) && access(first, F_OK) != 0)
        return say("nothing is pinned in %s", folder);
    return remove_pins(first) && remove_pins(folder);
}
