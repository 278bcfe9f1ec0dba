/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_BENCH_POD_H
#define SLUICE_BENCH_POD_H

#include "plugin/base/facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pod as the budgets describe it: a UID of 36 bytes, a namespace of 12, a name of 30. All of it
 * follows from a serial number. */
enum { UID_BYTES = 36, SPACE_BYTES = 12, NAME_BYTES = 30, QUEUE_BYTES = 16, REQUEST_BYTES = 640 };
enum { POD_VERSION = 1 };

#define BENCH_EPOCH INT64_C(1700000000000000000)

struct pod {
    char uid[UID_BYTES], space[SPACE_BYTES], name[NAME_BYTES];
    char queue[QUEUE_BYTES];
    int64_t created, cpu, memory;
    bool bound;
};

/* Fills in what names it and when it was created: later serials are younger. */
void pod_name(struct pod *pod, uint32_t serial);

/* As the engine sees it. facts was zeroed once and then only used here. */
void pod_tell(const struct pod *pod, struct pod_facts *facts);

/* As a request: for pre_enqueue in its long and in its short form, or for observe (`gone`: that it
 * is gone). Returns the length. */
size_t pod_ask_request(const struct pod *pod, int64_t now, uint8_t *out, size_t cap);
size_t pod_name_request(const struct pod *pod, int64_t now, uint8_t *out, size_t cap);
size_t pod_see_request(const struct pod *pod, bool gone, int64_t now, uint8_t *out, size_t cap);

/* Numbers for the benchmarks to be random by. */
uint64_t mix(uint64_t n);

#endif
