/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "examples/sim/library.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/sluice.h"

/* As seen from the folder of the program: in a build, and where both were installed. */
static const char *const places[] = {"sluice.so", SLUICE_INSTALLED};

const char *library_path(const char *given, const char *program, char *out, size_t cap)
{
    const char *named = given ? given : getenv("SLUICE_LIB");
    char self[4096];

    if (named && *named) {
        /* Without a slash dlopen would look in the system's folders only. */
        snprintf(out, cap, "%s%s", strchr(named, '/') ? "" : "./", named);
        return out;
    }
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    snprintf(self + (len > 0 ? len : 0), sizeof(self) - (size_t)(len > 0 ? len : 0), "%s",
             len > 0 ? "" : program);
    char *slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof(places) / sizeof(*places); i++) {
        if (places[i][0] == '/')
            snprintf(out, cap, "%s", places[i]);
        else
            snprintf(out, cap, "%.*s/%s", (int)(slash - self), self, places[i]);
        if (access(out, R_OK) == 0)
            return out;
    }
    snprintf(out, cap, "sluice.so");
    return out;
}

bool library_load(struct library *library, const char *path)
{
    char why[400];

    request_init(&library->request);
    if (loader_open(path, &library->loader, why, sizeof(why)))
        return true;
    /* The system's words begin with the path, others do not. */
    size_t told = strlen(path) + 2;
    bool tells = strncmp(why, path, strlen(path)) == 0 && strlen(why) > told;
    snprintf(library->error, sizeof(library->error),
             "the library %s cannot be used, name another with --lib or SLUICE_LIB: %s", path,
             why + (tells ? told : 0));
    return false;
}

static void forget_answer(struct library *library)
{
    if (library->has_answer)
        answer_finish(&library->answer);
    library->has_answer = false;
}

void library_finish(struct library *library)
{
    if (!library->loader)
        return;
    library_close(library);
    forget_answer(library);
    request_finish(&library->request);
    reply_finish(&library->reply);
    loader_close(library->loader);
    *library = (struct library){0};
}

struct request *library_begin(struct library *library, int64_t now)
{
    request_clear(&library->request);
    r_map(&library->request);
    r_key_int(&library->request, "now", now + (library->creeps ? (int64_t)library->calls : 0));
    return &library->request;
}

const msgpack_object *library_send(struct library *library, enum loader_hook hook,
                                   const uint8_t *bytes, size_t len)
{
    struct reply *reply = &library->reply;

    forget_answer(library);
    library->calls++;
    library->result = loader_ask(library->loader, hook, library->handle, bytes, len, reply);
    if (library->result < 0) {
        reply_explain(reply, library->result, library->error, sizeof(library->error));
        return NULL;
    }
    library->has_answer = answer_read(&library->answer, reply->bytes, reply->len);
    if (!library->has_answer) {
        snprintf(library->error, sizeof(library->error), "the answer is not a message");
        library->result = -(int64_t)SLUICE_BROKEN;
        return NULL;
    }
    const msgpack_object *root = &library->answer.root;
    library->pending = value_int(root, "pending", 0);
    library->next = value_int(root, "next", 0);
    library->more = value_bool(root, "more", false);
    return root;
}

const msgpack_object *library_call(struct library *library, enum loader_hook hook)
{
    struct request *request = &library->request;

    r_end(request);
    if (!request_ok(request)) {
        snprintf(library->error, sizeof(library->error), "the request could not be built");
        library->result = -(int64_t)SLUICE_NO_MEMORY;
        return NULL;
    }
    return library_send(library, hook, request_bytes(request), request_len(request));
}

bool library_open(struct library *library)
{
    struct request *request = &library->request;

    library->result = loader_begin(library->loader, request_bytes(request), request_len(request),
                                   &library->reply);
    if (library->result < 0) {
        reply_explain(&library->reply, library->result, library->error, sizeof(library->error));
        return false;
    }
    library->handle = (uint64_t)library->result;
    library->pending = 0;
    library->next = 0;
    library->more = false;
    return true;
}

void library_close(struct library *library)
{
    if (library->handle)
        loader_end(library->loader, library->handle);
    library->handle = 0;
}

bool library_digest(struct library *library, int64_t now, char *out)
{
    r_key_str(library_begin(library, now), "what", "digest");
    const msgpack_object *answer = library_call(library, LOADER_INSPECT);
    const char *digest = value_str(answer, "digest", "");

    snprintf(out, 17, "%s", digest);
    return *digest != '\0';
}

bool library_recording(struct library *library, int64_t now, FILE *file)
{
    int64_t from = 0;

    do {
        struct request *request = library_begin(library, now);
        r_key_str(request, "what", "recording");
        r_key_int(request, "from", from);
        const msgpack_object *answer = library_call(library, LOADER_INSPECT);
        size_t len = 0;
        const uint8_t *bytes = value_bin(answer, "bytes", &len);
        if (!answer || (bytes && fwrite(bytes, 1, len, file) != len))
            return false;
        from = len > 0 ? value_int(answer, "from", 0) : 0;
    } while (from > 0);
    return true;
}
