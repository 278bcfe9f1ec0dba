/* SPDX-License-Identifier: Apache-2.0 */
#include "able.h"

#include "say.h"

#include <errno.h>
#include <libgen.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

/* A link to a uprobe that can be pinned came with 5.15. */
enum { KERNEL_MAJOR = 5, KERNEL_MINOR = 15 };

static bool kernel_is_new_enough(void)
{
    struct utsname name;
    int major = 0, minor = 0;

    if (uname(&name) != 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2)
        return true;
    if (major > KERNEL_MAJOR || (major == KERNEL_MAJOR && minor >= KERNEL_MINOR))
        return true;
    return say("the kernel is too old: it is %s, and links to probes that can be pinned came with "
               "%d.%d",
               name.release, KERNEL_MAJOR, KERNEL_MINOR);
}

static uint64_t capabilities(void)
{
    unsigned long long caps = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "re");

    while (status && fgets(line, sizeof(line), status)) {
        if (sscanf(line, "CapEff: %llx", &caps) == 1)
            break;
    }
    if (status)
        fclose(status);
    return caps;
}

static bool has(uint64_t caps, int which)
{
    return (caps >> which & 1) != 0;
}

static bool capable(bool process)
{
    uint64_t caps = capabilities();
    bool admin = has(caps, CAP_SYS_ADMIN);
    char missing[256] = "";
    const struct {
        const char *name;
        bool there;
    } needed[] = {
        {" CAP_BPF", admin || has(caps, CAP_BPF)},
        {" CAP_PERFMON", admin || has(caps, CAP_PERFMON)},
        {" CAP_SYS_PTRACE", !process || has(caps, CAP_SYS_PTRACE)},
    };

    for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
        if (!needed[i].there)
            strncat(missing, needed[i].name, sizeof(missing) - strlen(missing) - 1);
    }
    if (!missing[0])
        return true;
    return say("not allowed to trace: missing%s. Run it as root, or give it what it lacks "
               "(setcap, or the container's securityContext)",
               missing);
}

static bool file_holds(const char *path, const char *words)
{
    char text[512] = "";
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    if (!fgets(text, sizeof(text), file))
        text[0] = '\0';
    fclose(file);
    return strstr(text, words) != NULL;
}

static bool locked_down(void)
{
    return file_holds("/sys/kernel/security/lockdown", "[confidentiality]");
}

bool able_to_trace(bool process)
{
    if (!kernel_is_new_enough() || !capable(process))
        return false;
    if (locked_down())
        return say("the kernel is locked down (/sys/kernel/security/lockdown: confidentiality): it "
                   "lets nobody trace. It takes a boot with lockdown=integrity or none");
    return true;
}

bool able_to_pin(const char *folder)
{
    char path[4096];
    struct statfs about;

    snprintf(path, sizeof(path), "%s", folder);
    if (statfs(path, &about) != 0) {
        char *parent = dirname(path);

        if (errno != ENOENT || statfs(parent, &about) != 0)
            return say("--pin %s: %s: its parent must exist", folder, strerror(errno));
    }
    if (about.f_type == BPF_FS_MAGIC)
        return true;
    return say("--pin %s: that is not on a BPF file system. Mount one: mount -t bpf bpf "
               "/sys/fs/bpf",
               folder);
}

void able_to_guess(int error)
{
    if (access("/sys/kernel/btf/vmlinux", R_OK) != 0)
        say("the kernel has no BTF (CONFIG_DEBUG_INFO_BTF): old ones without may refuse the types "
            "of maps");
    if (error == EPERM)
        say("the kernel said: not permitted. A security module, or a container's seccomp profile, "
            "may forbid bpf() and perf_event_open()");
}
