/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_MSG_ORACLE_H
#define SLUICE_T_MSG_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a message is, told a second time and as plainly as can be: msgpack-c decodes it, and each
 * demand is then looked up in the tree of objects. Slow, and it trusts nothing of abi/msg.
 *
 * A count of its own stands in front, because msgpack-c takes memory for a count before it has seen
 * the items. It says nothing about what is valid beyond that.
 */

/* Whether msg_check should accept these bytes under this limit of depth. */
bool msg_oracle_accepts(const uint8_t *bytes, size_t len, unsigned depth);

/*
 * Reads accepted bytes with the reader and compares each value with msgpack-c's. Returns NULL, or
 * what differs.
 */
const char *msg_oracle_read(const uint8_t *bytes, size_t len);

#endif
