/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_words.h"

#include "plugin/base/mix.h"
#include "plugin/state.h"

struct queue_words queue_words_of(const struct engine *e, uint32_t id)
{
    const struct queue *queue = queue_at(e, id);
    uint64_t cells = 0, counts = hash_bytes64(queue->counts, sizeof(queue->counts), 10);

    for (uint32_t i = 0; i < queue->cell_count; i++) {
        const struct cell *cell = &queue->cells[i];

        /* A quota alone changes nothing, and half a count is none. What is beyond all amounts is
         * told as the largest of them. */
        if (!cell->counting && (cell->reserved != 0 || cell->allocated != 0))
            cells += mix(mix(mix(11, cell->resource), amount_clamp(cell->reserved)),
                         amount_clamp(cell->allocated));
    }
    return (struct queue_words){
        .stop = mix(mix(12, queue_stops(e, id)), queue->state) | 1,
        .counts = mix(counts, (wide)cells),
    };
}

bool queue_counts_differ(const struct engine *e, uint32_t id)
{
    return queue_words_of(e, id).counts != queue_at(e, id)->status.written.counts;
}
