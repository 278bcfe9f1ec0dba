/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/play.h"

#include "t/player/calm.h"
#include "t/player/setting.h"

enum { SHORTEST_HISTORY = 50, LONGEST_HISTORY = 750 };

void play_history(enum profile profile, struct draws *draws, struct witness *witness,
                  struct history *history)
{
    static struct host host;
    unsigned moves;

    history_clear(history);
    history->config_len =
        (uint32_t)host_configure(profile, draws, history->config, sizeof(history->config));
    if (!witness_open(witness, history->config, history->config_len)) {
        witness_complain(witness, "it does not open");
        return;
    }
    host_init(&host, profile, draws, witness, history, history->config, history->config_len);
    if (draw(draws, 3) != 0) {
        setting_show(&host);
        setting_fill(&host, draw(draws, 3));
    }
    moves = SHORTEST_HISTORY + draw(draws, LONGEST_HISTORY - SHORTEST_HISTORY);
    while (moves-- > 0 && witness->wrong[0] == '\0' && !draws_over(draws))
        host_move(&host);
    calm_down(&host);
    calm_look(witness);
    witness_close(witness);
}
