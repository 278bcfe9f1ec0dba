/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The random host of t/player, whose decisions are the fuzzer's bytes: the first says which
 * profile. What goes wrong is cut down to a few messages, and told, by `t-player --bytes FILE`.
 */

#include <stdio.h>
#include <stdlib.h>

#include "t/player/play.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct history history;
    static struct witness witness;
    struct draws draws;

    draws_from_bytes(&draws, bytes, len);
    play_history((enum profile)draw(&draws, PROFILES), &draws, &witness, &history);
    if (witness.wrong[0] != '\0') {
        fprintf(stderr, "fuzz_play: %s\n", witness.wrong);
        abort();
    }
    return 0;
}
