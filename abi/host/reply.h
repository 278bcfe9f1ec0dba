/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_REPLY_H
#define SLUICE_HOST_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A buffer for answers that grows and is used again for the next call.
 *
 *     struct reply reply = {0};
 *     int64_t r = loader_ask(lib, LOADER_TICK, handle, req, len, &reply);
 *     if (r < 0)
 *         reply_explain(&reply, r, text, sizeof(text));
 *     reply_finish(&reply);
 */
struct reply {
    uint8_t *bytes;
    size_t len; /* of the answer, or of the error map */
    size_t cap;
};

/* Room for at least cap bytes; what was in it may be gone. False: no memory, nothing changed. */
bool reply_grow(struct reply *reply, size_t cap);
void reply_finish(struct reply *reply);

/* "FIELD", "TOO_SMALL", ...; "an unknown error" for what sluice.h does not list. */
const char *reply_error_name(int code);

/*
 * What a failed call (result < 0) means, as a sentence: "FIELD: pod.gates[2] is 3, want a name".
 * The text is cut where it does not fit, and always ends with a zero byte.
 */
void reply_explain(const struct reply *reply, int64_t result, char *text, size_t cap);

#endif
