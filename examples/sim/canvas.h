/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_CANVAS_H
#define SLUICE_SIM_CANVAS_H

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* SVG with time from left to right. */

enum {
    CANVAS_LEFT = 90,
    CANVAS_WIDTH = 1020, /* of what is drawn over time */
    CANVAS_RIGHT = 40,
};

struct canvas {
    FILE *out;
    int64_t end; /* of the time that is shown, from 0 on */
};

/* A strip of the picture in which values from 0 to most are drawn. */
struct band {
    double y;
    double height;
    int64_t most;
};

/* Values that stay as they are until the next point. A negative one is not drawn. */
struct line {
    const void *points;
    size_t count;
    int64_t (*at)(const void *points, size_t i);
    int64_t (*value)(const void *points, size_t i);
};

void canvas_begin(struct canvas *canvas, double height);
double canvas_x(const struct canvas *canvas, int64_t at);
void canvas_text(struct canvas *canvas, double x, double y, const char *style, const char *text,
                 ...) __attribute__((format(printf, 5, 6)));
void canvas_frame(struct canvas *canvas, double y, double height);
void canvas_area(struct canvas *canvas, const struct line *line, struct band band,
                 const char *style);
void canvas_steps(struct canvas *canvas, const struct line *line, struct band band,
                  const char *style);
void canvas_axis(struct canvas *canvas, struct band band, int64_t value, const char *label);
void canvas_badge(struct canvas *canvas, double x, double y, size_t number);

/* Ticks with seconds or minutes below y. */
void canvas_time_axis(struct canvas *canvas, double y);

#endif
