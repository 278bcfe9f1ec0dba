/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_EBPF_SHOW_H
#define SLUICE_EBPF_SHOW_H

#include "picture.h"

#include <stdio.h>

/* A picture for a person: one line for each queue and stage, then hooks and what was counted. */
void show_table(FILE *out, const struct picture *picture);

/* A bar for each power of two, of one queue or, with NULL, of all queues together. */
void show_histograms(FILE *out, const struct picture *picture, const char *queue);

/* The same for a program: one JSON object. */
void show_json(FILE *out, const struct picture *picture);

/* In Prometheus' text format, times in seconds. */
void show_prometheus(FILE *out, const struct picture *picture);

/* Longer is no name of a queue when it is shown, with its zero byte. */
enum { SHOWN_NAME = 4 * QUEUE_NAME + 2 };

/* A name as plugin/base/printable.h shows it, in quotes where that tells where it ends; as much of
 * it as has room. Returns out. */
const char *show_name(char *out, size_t out_cap, const char *name, size_t cap);

/* That in quotes, as JSON and Prometheus' labels want it. */
void show_quoted(FILE *out, const char *name, size_t cap);

#endif
