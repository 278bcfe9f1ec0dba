/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/draws.h"

void draws_from_seed(struct draws *draws, uint64_t seed)
{
    *draws = (struct draws){.state = seed};
}

void draws_from_bytes(struct draws *draws, const uint8_t *bytes, size_t len)
{
    static const uint8_t none;

    *draws = len == 0 ? (struct draws){.at = &none, .end = &none}
                      : (struct draws){.at = bytes, .end = bytes + len};
}

bool draws_over(const struct draws *draws)
{
    return draws->at != NULL && draws->at == draws->end;
}

/* splitmix64 */
static uint64_t next_random(struct draws *draws)
{
    uint64_t mixed = draws->state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

static unsigned next_byte(struct draws *draws)
{
    return draws->at == draws->end ? 0 : *draws->at++;
}

unsigned draw(struct draws *draws, unsigned below)
{
    unsigned number;

    if (below <= 1)
        return 0;
    if (draws->at == NULL)
        return (unsigned)(next_random(draws) % below);
    number = next_byte(draws);
    if (below > 256)
        number = number << 8 | next_byte(draws);
    return number % below;
}

bool draw_once_in(struct draws *draws, unsigned times)
{
    return draw(draws, times) == times - 1;
}
