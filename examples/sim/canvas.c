/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/canvas.h"

#include <inttypes.h>
#include <stdarg.h>

#include "examples/sim/clock.h"
#include "examples/sim/text.h"

static const char style[] =
    "text{font-family:'DejaVu Sans',Helvetica,Arial,sans-serif;font-size:13px;fill:#222}"
    ".title{font-size:21px;font-weight:bold}.head{font-size:15px;font-weight:bold}"
    ".small{font-size:11px;fill:#555}.end{text-anchor:end}.middle{text-anchor:middle}"
    ".number{font-size:11px;font-weight:bold;fill:#fff;text-anchor:middle}"
    ".limit{stroke:#c0392b;stroke-width:2;stroke-dasharray:7 5;fill:none}"
    ".share{stroke:#2fb344;stroke-width:2.5;stroke-dasharray:2 3;fill:none}"
    ".wait{fill:#e8a33d;stroke:#b9770e;stroke-width:1}"
    "text.head,text.small{paint-order:stroke;stroke:#fff;stroke-width:4px}"
    ".moment{stroke:#888;stroke-width:1;stroke-dasharray:2 4}"
    ".frame{fill:#fafafa;stroke:#ccc}";

double canvas_x(const struct canvas *canvas, int64_t at)
{
    return CANVAS_LEFT + (double)at / (double)canvas->end * CANVAS_WIDTH;
}

static double y_of(struct band band, int64_t value)
{
    return band.y + band.height - (double)value / (double)band.most * band.height;
}

void canvas_begin(struct canvas *canvas, double height)
{
    int width = CANVAS_LEFT + CANVAS_WIDTH + CANVAS_RIGHT;

    fprintf(canvas->out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %.0f' width='%d' "
            "height='%.0f'>\n<style>%s</style>\n"
            "<defs><pattern id='hatch' width='7' height='7' patternUnits='userSpaceOnUse' "
            "patternTransform='rotate(45)'><rect width='7' height='7' fill='#dbe6f4'/>"
            "<line x1='0' y1='0' x2='0' y2='7' stroke='#3b6fb6' stroke-width='3'/></pattern>"
            "</defs>\n<rect width='100%%' height='100%%' fill='#fff'/>\n",
            width, height, width, height, style);
}

void canvas_text(struct canvas *canvas, double x, double y, const char *class, const char *text,
                 ...)
{
    char line[1024];
    va_list args;

    va_start(args, text);
    vsnprintf(line, sizeof(line), text, args);
    va_end(args);
    fprintf(canvas->out, "<text x='%.1f' y='%.1f' class='%s'>", x, y, class);
    text_xml(canvas->out, line);
    fputs("</text>\n", canvas->out);
}

void canvas_frame(struct canvas *canvas, double y, double height)
{
    fprintf(canvas->out, "<rect x='%d' y='%.1f' width='%d' height='%.1f' class='frame'/>\n",
            CANVAS_LEFT, y, CANVAS_WIDTH, height);
}

static double next_x(const struct canvas *canvas, const struct line *line, size_t i)
{
    int64_t at = i + 1 < line->count ? line->at(line->points, i + 1) : canvas->end;

    return canvas_x(canvas, at < canvas->end ? at : canvas->end);
}

void canvas_area(struct canvas *canvas, const struct line *line, struct band band,
                 const char *attributes)
{
    double last = CANVAS_LEFT;

    fprintf(canvas->out, "<path %s d='M%d,%.1f", attributes, CANVAS_LEFT, y_of(band, 0));
    for (size_t i = 0; i < line->count; i++) {
        double x = canvas_x(canvas, line->at(line->points, i));
        fprintf(canvas->out, " L%.1f,%.1f", x,
                i ? y_of(band, line->value(line->points, i - 1)) : y_of(band, 0));
        fprintf(canvas->out, " L%.1f,%.1f", x, y_of(band, line->value(line->points, i)));
        last = next_x(canvas, line, i);
        fprintf(canvas->out, " L%.1f,%.1f", last, y_of(band, line->value(line->points, i)));
    }
    fprintf(canvas->out, " L%.1f,%.1f Z'/>\n", last, y_of(band, 0));
}

void canvas_steps(struct canvas *canvas, const struct line *line, struct band band,
                  const char *attributes)
{
    bool down = false;

    fprintf(canvas->out, "<path %s d='M%d,%.1f", attributes, CANVAS_LEFT, y_of(band, 0));
    for (size_t i = 0; i < line->count; i++) {
        int64_t value = line->value(line->points, i);
        if (value >= 0) {
            double y = y_of(band, value);
            fprintf(canvas->out, " %c%.1f,%.1f L%.1f,%.1f", down ? 'L' : 'M',
                    canvas_x(canvas, line->at(line->points, i)), y, next_x(canvas, line, i), y);
        }
        down = value >= 0;
    }
    fputs("'/>\n", canvas->out);
}

void canvas_axis(struct canvas *canvas, struct band band, int64_t value, const char *label)
{
    canvas_text(canvas, CANVAS_LEFT - 8, y_of(band, value) + 4, "end", "%s", label);
    fprintf(canvas->out, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#999'/>\n",
            CANVAS_LEFT - 4, y_of(band, value), CANVAS_LEFT, y_of(band, value));
}

void canvas_badge(struct canvas *canvas, double x, double y, size_t number)
{
    fprintf(canvas->out, "<circle cx='%.1f' cy='%.1f' r='8.5' fill='#444'/>\n", x, y);
    canvas_text(canvas, x, y + 4, "number", "%zu", number);
}

/* The least of the usual steps that leaves at most twelve ticks. */
static int64_t tick_of(int64_t end)
{
    static const int64_t seconds[] = {1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600};

    for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++)
        if (end / (seconds[i] * SECOND) <= 12)
            return seconds[i] * SECOND;
    return end / 12 / (3600 * SECOND) * 3600 * SECOND + 3600 * SECOND;
}

void canvas_time_axis(struct canvas *canvas, double y)
{
    int64_t tick = tick_of(canvas->end);

    for (int64_t at = 0; at <= canvas->end; at += tick) {
        double x = canvas_x(canvas, at);
        fprintf(canvas->out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#999'/>\n", x,
                y, x, y + 5);
        if (tick % MINUTE == 0)
            canvas_text(canvas, x, y + 19, "middle", "%" PRId64 " min", at / MINUTE);
        else
            canvas_text(canvas, x, y + 19, "middle", "%" PRId64 " s", at / SECOND);
    }
    canvas_text(canvas, CANVAS_LEFT + CANVAS_WIDTH, y + 36, "small end",
                "time since the beginning");
}
