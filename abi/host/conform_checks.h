/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_CHECKS_H
#define SLUICE_HOST_CONFORM_CHECKS_H

#include "abi/host/conform_probe.h"
#include "abi/host/conform_result.h"

/*
 * The checks. Each is the body of a worker, with the subject as its argument, or one hook of it.
 * check_load comes first, then check_sample for each hook, which sets subject->use; the others may
 * come in any order.
 */
struct hook_check {
    struct subject *subject;
    enum loader_hook hook;
};

/* Symbols, version, manifest. Without these nothing else can be looked at. */
void check_load(struct points *points, void *subject);

/* The sample request works, or is answered UNSUPPORTED. */
void check_sample(struct points *points, void *hook_check);

/* Configurations that work and that do not. */
void check_open(struct points *points, void *subject);

/* Bytes that are not a message. */
void check_message(struct points *points, void *hook_check);

/* Messages whose keys are wrong, missing, unknown. */
void check_keys(struct points *points, void *hook_check);

/* Sizes of `out`, null pointers, overlapping buffers. */
void check_buffers(struct points *points, void *hook_check);

/* Handles that are made up, closed, stale, from before a fork. */
void check_handles(struct points *points, void *subject);

/* Calls one after another: same answers again, readers that only read, time that steps back. */
void check_calls(struct points *points, void *subject);

/* Several threads, on one handle and on several, and a close in their midst. */
void check_threads(struct points *points, void *subject);

#endif
