/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_MANIFEST_H
#define SLUICE_HOOKS_MANIFEST_H

#include "abi/msg/writer.h"

/* The ABI described, for hosts and for the first frame of a recording. */
void put_manifest(struct msg_writer *w);

#endif
