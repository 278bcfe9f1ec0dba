/* SPDX-License-Identifier: Apache-2.0 */
#include "manifest.h"

#include "abi/version.h"
#include "call.h"
#include "encode.h"

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const struct {
    const char *name;
    enum sluice_error code;
} errors[] = {
    {"TOO_SMALL", SLUICE_TOO_SMALL},
    {"NO_HANDLE", SLUICE_NO_HANDLE},
    {"MESSAGE", SLUICE_MESSAGE},
    {"FIELD", SLUICE_FIELD},
    {"UNSUPPORTED", SLUICE_UNSUPPORTED},
    {"NO_MEMORY", SLUICE_NO_MEMORY},
    {"LIMIT", SLUICE_LIMIT},
    {"ARGUMENT", SLUICE_ARGUMENT},
    {"BROKEN", SLUICE_BROKEN},
};
enum { ERROR_COUNT = sizeof(errors) / sizeof(errors[0]) };

void put_manifest(struct msg_writer *w)
{
    msg_put_map(w, 5);
    put_key_int(w, "abi", sluice_abi());
    put_key_str(w, "version", build_version);
    put_key_str(w, "compiler", COMPILER);
    msg_put_key(w, "hooks");
    msg_put_array(w, HOOK_COUNT);
    for (int id = 0; id < HOOK_COUNT; id++) {
        const struct hook *hook = &hook_table[id];

        msg_put_map(w, 4);
        put_key_str(w, "name", hook->name);
        put_key_int(w, "answer", hook->answer);
        put_key_bool(w, "reads", hook->reads);
        msg_put_key(w, "keys");
        hook->put_sample(w);
    }
    msg_put_key(w, "errors");
    msg_put_map(w, ERROR_COUNT);
    for (int i = 0; i < ERROR_COUNT; i++)
        put_key_int(w, errors[i].name, errors[i].code);
}

int64_t sluice_manifest(uint8_t *out, uint64_t cap)
{
    struct msg_writer w;

    if (!call_arguments_valid(NULL, 0, out, cap))
        return call_error(SLUICE_ARGUMENT, 0);
    msg_writer_init(&w, out, cap);
    put_manifest(&w);
    return msg_writer_fits(&w) ? (int64_t)msg_writer_length(&w)
                               : call_error(SLUICE_TOO_SMALL, msg_writer_length(&w));
}
