/* SPDX-License-Identifier: Apache-2.0 */
#include "recorder.h"

#include "abi/msg/writer.h"
#include "memory.h"

enum { LENGTH_BYTES = 4 };

bool recorder_init(struct recorder *recorder, size_t size)
{
    *recorder = (struct recorder){.size = size};
    if (size == 0)
        return true;
    recorder->bytes = memory_take(size);
    return recorder->bytes != NULL;
}

void recorder_finish(struct recorder *recorder)
{
    memory_give_back(recorder->bytes);
    *recorder = (struct recorder){0};
}

static void put_frame(struct msg_writer *w, const char *hook, const uint8_t *request, size_t len,
                      int64_t result, const uint8_t *answer, size_t answer_len)
{
    msg_put_array(w, 4);
    msg_put_str(w, hook);
    msg_put_bin(w, request, len);
    msg_put_int(w, result);
    msg_put_bin(w, answer, answer_len);
}

/* Within `end` bytes of the recording; false: it would not fit, and nothing was added. */
static bool append(struct recorder *recorder, size_t end, const char *hook, const uint8_t *request,
                   size_t len, int64_t result, const uint8_t *answer, size_t answer_len)
{
    size_t left = end - recorder->used;
    uint8_t *frame = recorder->bytes + recorder->used;
    struct msg_writer w;

    if (left < LENGTH_BYTES)
        return false;
    msg_writer_init(&w, frame + LENGTH_BYTES, left - LENGTH_BYTES);
    put_frame(&w, hook, request, len, result, answer, answer_len);
    if (!msg_writer_fits(&w))
        return false;
    for (size_t i = 0; i < LENGTH_BYTES; i++)
        frame[i] = (uint8_t)(msg_writer_length(&w) >> 8 * i);
    recorder->used += LENGTH_BYTES + msg_writer_length(&w);
    return true;
}

void recorder_add(struct recorder *recorder, const char *hook, const uint8_t *request, size_t len,
                  int64_t result, const uint8_t *answer, size_t answer_len)
{
    struct msg_writer mark;

    if (recorder->size == 0 || recorder->full)
        return;
    msg_writer_init(&mark, NULL, 0);
    put_frame(&mark, "full", NULL, 0, 0, NULL, 0);

    size_t mark_bytes = LENGTH_BYTES + msg_writer_length(&mark);
    if (recorder->size >= mark_bytes && append(recorder, recorder->size - mark_bytes, hook, request,
                                               len, result, answer, answer_len))
        return;
    append(recorder, recorder->size, "full", NULL, 0, 0, NULL, 0);
    recorder->full = true;
}
