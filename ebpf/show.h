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

/* A text in quotes, as JSON and Prometheus' labels want it. */
void show_quoted(FILE *out, const char *text, size_t cap);

#endif
