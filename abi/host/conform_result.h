/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_RESULT_H
#define SLUICE_HOST_CONFORM_RESULT_H

#include "abi/host/conform_probe.h"

/* What must hold of every call, whatever it is about; each tells what does not. */

/* The memory around the buffers of the call, and the request in it. */
void result_guards(struct probe *probe, const char *function, const uint8_t *req, size_t len);

/* A negative result, and the error map if there is one. */
void result_error(struct probe *probe, const char *function, int64_t result, size_t cap);

/* An answer of len bytes. */
void result_answer(struct probe *probe, const char *function, uint64_t len, size_t cap);

#endif
