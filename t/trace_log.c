/* SPDX-License-Identifier: Apache-2.0 */

/* What the verifier said is kept when it refuses a program. */
#include "ebpf/say.h"
#include "t/kit/tap.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>

/* The one file of a folder, which is gone then. */
static char *take_file(const char *folder)
{
    static char text[1 << 16];
    char path[600];
    struct dirent *entry;
    size_t length = 0;
    DIR *dir = opendir(folder);

    while (dir && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);

        FILE *file = fopen(path, "r");

        length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
        if (file)
            fclose(file);
        unlink(path);
    }
    if (dir)
        closedir(dir);
    text[length] = '\0';
    return text;
}

int main(void)
{
    char folder[] = "/tmp/trace-log-XXXXXX";
    const char *build = getenv("SLUICE_BUILD");
    char object[4096];
    struct bpf_object *opened;
    int error;

    snprintf(object, sizeof(object), "%s/t/refused.bpf.o", build ? build : "build");
    if (geteuid() != 0) {
        tap_skip_all("loading programs takes root");
        return tap_done();
    }
    if (!mkdtemp(folder))
        return 1;
    setenv("TMPDIR", folder, 1);
    say_keep_log();
    say_log();
    is_str(take_file(folder), "", "without anything to tell there is no log");
    opened = bpf_object__open_file(object, NULL);
    if (!ok(opened != NULL, "the object is opened: %s", object)) {
        rmdir(folder);
        return tap_done();
    }
    error = bpf_object__load(opened);
    if (error == -EPERM) {
        tap_skip(1, "this kernel lets nobody workload programs");
    } else {
        ok(error < 0, "the kernel refuses the program: %d", error);
        say_log();

        const char *log = take_file(folder);

        ok(strstr(log, "invalid mem access") != NULL, "the log has the verifier's words");
        if (strstr(log, "invalid mem access") == NULL)
            tap_diag("%s", log);
    }
    bpf_object__close(opened);
    say_log_free();
    rmdir(folder);
    return tap_done();
}
