/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_FORESEE_H
#define SLUICE_HOOKS_FORESEE_H

#include "plugin/base/text.h"

#include <stdint.h>

/* The pod that a request seems to be about: text behind the first key `uid` near its beginning, and
 * behind the keys `namespace` and `name`, if these follow at once; what is missing is no text. A
 * guess, made before the request is checked: fit to fetch memory by, nothing else. */
struct foreseen {
    struct text uid, space, name;
};

void foresee_pod(const uint8_t *req, size_t len, struct foreseen *ret);

#endif
