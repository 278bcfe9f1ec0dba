/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_MOMENTS_H
#define SLUICE_SIM_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "examples/sim/canvas.h"

struct sim;

/* The moments of a story that explain the rest, numbered: a line through the picture, and below it
 * what they are. What happens close together is one moment. */
enum { MOMENTS_MOST = 14 };

struct moments {
    struct moment {
        int64_t at;
        const char *text;
        size_t more; /* that the text leaves out */
    } moments[MOMENTS_MOST];
    size_t count;
    size_t left_out;
};

/* small: what happens to single pods explains a small story, and would drown a large one. */
void moments_find(struct moments *moments, struct sim *sim, int64_t end, bool small);

double moments_height(const struct moments *moments);
void moments_draw_lines(const struct moments *moments, struct canvas *canvas, double top,
                        double bottom);

/* Their numbers at the top, and what they are from y on. */
void moments_draw(const struct moments *moments, struct canvas *canvas, double top, double y);

#endif
