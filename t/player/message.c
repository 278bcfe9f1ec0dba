/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/message.h"

#include <string.h>

const char *const message_results[5] = {"done", "gone", "conflict", "retry", NULL};

uint32_t message_room(enum hook_id hook)
{
    return hook_table[hook].answer > 0 ? 2048 : 24 << 10;
}

void history_clear(struct history *history)
{
    history->config_len = history->count = history->used = 0;
}

bool history_add(struct history *history, const struct message *message, const uint8_t *bytes)
{
    struct message *added;

    if (history->count == HISTORY_MESSAGES || message->len > HISTORY_BYTES - history->used)
        return false;
    added = &history->messages[history->count];
    *added = *message;
    added->at = history->used;
    if (message->len > 0)
        memcpy(history->arena + history->used, bytes, message->len);
    history->used += message->len;
    history->count++;
    return true;
}

bool history_has_room(const struct history *history)
{
    return history->count < HISTORY_MESSAGES - 200 && history->used < HISTORY_BYTES - (1 << 20);
}

const uint8_t *history_bytes(const struct history *history, const struct message *message)
{
    return history->arena + message->at;
}

size_t message_damage(struct draws *draws, uint8_t *bytes, size_t len)
{
    size_t at = draw(draws, (unsigned)(len < 60000 ? len : 60000));

    switch (draw(draws, 4)) {
    case 0:
        return at;
    case 1:
        bytes[at] ^= (uint8_t)(1u << draw(draws, 8));
        return len;
    default:
        bytes[at] = (uint8_t)draw(draws, 256);
        return len;
    }
}
