/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_BOARD_PAGE_H
#define SLUICE_BOARD_PAGE_H

#include <stddef.h>

/* The page in one piece, as `bundle` made it: what stands before its data, and behind it. */

extern const unsigned char board_page_head[];
extern const size_t board_page_head_len;
extern const unsigned char board_page_tail[];
extern const size_t board_page_tail_len;

#endif
