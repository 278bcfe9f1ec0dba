/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_FUZZ_OBJECTS_H
#define SLUICE_T_FUZZ_OBJECTS_H

#include <stdint.h>

#include "abi/msg/writer.h"

/* Objects of a small world, drawn from a tape: whatever can collide does. */
struct tape {
    const uint8_t *at, *end;
};

/* A number below this one; 0 at the tape's end. */
unsigned draw(struct tape *tape, unsigned below);

/* A key whose text is the prefix and the number. */
void put_named(struct msg_writer *w, const char *key, const char *prefix, unsigned n);

void put_any_pod(struct msg_writer *w, struct tape *tape);
void put_any_queue(struct msg_writer *w, struct tape *tape);
void put_any_flavor(struct msg_writer *w, struct tape *tape);
void put_any_node(struct msg_writer *w, struct tape *tape);

/* A Command. */
void put_any_order(struct msg_writer *w, struct tape *tape);

#endif
