/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_MIX_H
#define SLUICE_PLUGIN_BASE_MIX_H

#include "amount.h"
#include "index.h"
#include "text.h"

#include <stdint.h>

/* Parts of a digest: each value is mixed into the hash of those before it. */

static inline uint64_t mix(uint64_t hash, wide number)
{
    uint8_t bytes[16];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (uint8_t)((uint64_t)(number >> (8 * i)) & 0xff);
    return hash_bytes64(bytes, sizeof(bytes), hash);
}

static inline uint64_t mix_text(uint64_t hash, struct text text)
{
    return hash_bytes64(text.at, text.len, mix(hash, (wide)text.len));
}

#endif
