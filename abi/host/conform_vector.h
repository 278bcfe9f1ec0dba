/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_VECTOR_H
#define SLUICE_HOST_CONFORM_VECTOR_H

#include "abi/host/conform_checks.h"

/*
 * The golden vectors: every file *.json in the folder and the folders in it, each in a worker and a
 * point of its own. abi/vectors/README.md says how they are written.
 *
 * With write, a step without an answer gets the one that the library gives, and the file is
 * written anew; steps that have theirs are left as they are.
 */
void vectors_run(struct tally *tally, struct subject *subject, const char *folder, bool write);

#endif
