/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_FORESEE_H
#define SLUICE_HOOKS_FORESEE_H

#include "plugin/text.h"

#include <stdint.h>

/* The uid that a request seems to be about: text behind the first key `uid` near its beginning, or
 * no text. A guess, made before the request is checked: fit to fetch memory by, nothing else. */
struct text foresee_uid(const uint8_t *req, size_t len);

#endif
