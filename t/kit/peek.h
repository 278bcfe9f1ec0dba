/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PEEK_H
#define SLUICE_T_PEEK_H

#include "abi/msg/reader.h"

/* One value of an answer, looked up by its key. The answer has passed msg_check. */

/* A reader that stands before the value of this key of the map at `at`; false: it has none. */
bool peek(const struct msg_reader *at, const char *key, struct msg_reader *ret);

int64_t peek_int(const struct msg_reader *at, const char *key, int64_t otherwise);
bool peek_bool(const struct msg_reader *at, const char *key, bool otherwise);

/* The text, cut to size - 1 bytes and ended by a zero byte; empty if there is none. */
void peek_text(const struct msg_reader *at, const char *key, char *ret, size_t size);

#endif
