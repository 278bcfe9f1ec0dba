/* SPDX-License-Identifier: Apache-2.0 */
#include "t/kit/recording.h"

#include <stdio.h>
#include <stdlib.h>

#include "hooks/encode.h"
#include "t/kit/peek.h"

uint8_t *recording_load(const char *path, size_t *ret_len)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long len;

    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (len = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0) {
        *ret_len = (size_t)len;
        bytes = malloc(*ret_len + 1);
        if (bytes != NULL && fread(bytes, 1, *ret_len, file) < *ret_len) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

bool recording_next(const uint8_t **at, const uint8_t *end, struct recording_frame *ret)
{
    const uint8_t *from = *at;
    struct msg_reader r;
    struct msg_array array;
    size_t len;

    if (end - from < 4)
        return false;
    len = from[0] | (size_t)from[1] << 8 | (size_t)from[2] << 16 | (size_t)from[3] << 24;
    if (len > (size_t)(end - from - 4))
        return false;
    msg_reader_init(&r, from + 4, len);
    if (!msg_open_array(&r, &array) || !msg_next_item(&r, &array) ||
        !msg_get_text(&r, 1, 32, &ret->hook) || !msg_next_item(&r, &array) ||
        !msg_get_bin(&r, 0, SIZE_MAX, &ret->request) || !msg_next_item(&r, &array) ||
        !msg_get_int(&r, INT64_MIN, INT64_MAX, &ret->result) || !msg_next_item(&r, &array) ||
        !msg_get_bin(&r, 0, SIZE_MAX, &ret->answer))
        return false;
    *at = from + 4 + len;
    return true;
}

enum hook_id recording_hook(const struct recording_frame *frame)
{
    int hook = 0;

    while (hook < HOOK_COUNT && !msg_text_is(frame->hook, hook_table[hook].name))
        hook++;
    return (enum hook_id)hook;
}

struct msg_bin recording_request(const struct recording_frame *frame,
                                 uint8_t drain[RECORDING_DRAIN])
{
    struct msg_reader request, answer, effects;
    struct msg_array array = {.left = 0};
    struct msg_writer w;

    if (recording_hook(frame) != HOOK_DRAIN)
        return frame->request;
    msg_reader_init(&request, frame->request.at, frame->request.len);
    msg_reader_init(&answer, frame->answer.at, frame->answer.len);
    if (peek(&answer, "effects", &effects))
        msg_open_array(&effects, &array);
    msg_writer_init(&w, drain, RECORDING_DRAIN);
    msg_put_map(&w, 2);
    put_key_int(&w, "now", peek_int(&request, "now", 0));
    put_key_int(&w, "max", array.left > 0 ? array.left : peek_int(&request, "max", 64));
    return (struct msg_bin){drain, msg_writer_length(&w)};
}
