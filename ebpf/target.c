/* SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char a_probe[] = "sluice_probe_hook_entry";

static bool section_has(Elf *elf, Elf_Scn *section, const char *symbol)
{
    GElf_Shdr header;
    Elf_Data *data = NULL;
    GElf_Sym found;

    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || header.sh_entsize == 0)
        return false;
    data = elf_getdata(section, data);
    for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; i++) {
        const char *name;

        if (!gelf_getsym(data, (int)i, &found) || found.st_shndx == SHN_UNDEF)
            continue;
        name = elf_strptr(elf, header.sh_link, found.st_name);
        if (name && strcmp(name, symbol) == 0)
            return true;
    }
    return false;
}

static bool file_exports(const char *path, const char *symbol)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool has = false;
    Elf *elf;

    if (fd < 0)
        return false;
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        for (Elf_Scn *at = elf_nextscn(elf, NULL); at && !has; at = elf_nextscn(elf, at))
            has = section_has(elf, at, symbol);
    }
    elf_end(elf);
    close(fd);
    return has;
}

bool target_has(const struct target *target, const char *probe)
{
    return file_exports(target->path, probe);
}

bool target_library(const char *path, struct target *ret)
{
    if (access(path, R_OK) != 0)
        return say("%s: %s: name the sluice.so that the scheduler loads, or use --pid", path,
                   strerror(errno));
    if (!realpath(path, ret->path))
        return say("%s: %s", path, strerror(errno));
    snprintf(ret->name, sizeof(ret->name), "%s", path);
    ret->pid = -1;
    if (!file_exports(ret->path, a_probe))
        return say("%s has no probes: it exports no %s. It is no sluice.so, or one built with "
                   "-Dprobes=disabled",
                   path, a_probe);
    return true;
}

/* One line of /proc/PID/maps: executable, and of a file. */
static bool read_mapping(const char *line, char *range, size_t cap, const char **ret_name)
{
    char from[32], to[32], rights[8];
    int name_at = 0;

    if (sscanf(line, "%31[0-9a-f]-%31[0-9a-f] %7s %*s %*s %*s %n", from, to, rights, &name_at) <
            3 ||
        rights[2] != 'x' || line[name_at] != '/')
        return false;
    snprintf(range, cap, "%s-%s", from, to);
    *ret_name = line + name_at;
    return true;
}

/* The file behind a mapping: by the mapping, else by its name as the process sees it. */
static bool open_mapping(pid_t pid, const char *range, const char *name, struct target *ret)
{
    snprintf(ret->name, sizeof(ret->name), "%s", name);
    snprintf(ret->path, sizeof(ret->path), "/proc/%d/map_files/%s", (int)pid, range);
    if (file_exports(ret->path, a_probe))
        return true;
    snprintf(ret->path, sizeof(ret->path), "/proc/%d/root%.4000s", (int)pid, name);
    return access("/proc/self/map_files", X_OK) != 0 && file_exports(ret->path, a_probe);
}

bool target_process(pid_t pid, struct target *ret)
{
    char path[64], line[4400], range[64];
    const char *name;
    bool found = false, looked = false;
    FILE *maps;

    ret->pid = pid;
    if (kill(pid, 0) != 0 && errno == ESRCH)
        return say("there is no process %d", (int)pid);
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    maps = fopen(path, "re");
    if (!maps)
        return say("%s: %s: looking into another's process takes CAP_SYS_PTRACE", path,
                   strerror(errno));
    while (!found && fgets(line, sizeof(line), maps)) {
        looked = true;
        line[strcspn(line, "\n")] = '\0';
        found =
            read_mapping(line, range, sizeof(range), &name) && open_mapping(pid, range, name, ret);
    }
    fclose(maps);
    if (!looked)
        return say("%s is empty: looking into another's process takes CAP_SYS_PTRACE", path);
    if (!found)
        return say("process %d has no library with probes mapped: it exports no %s. It has not "
                   "loaded sluice.so, or one built with -Dprobes=disabled",
                   (int)pid, a_probe);
    return true;
}
