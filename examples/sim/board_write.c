/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "examples/board/board_page.h"
#include "examples/sim/sim.h"

/* All that the story has been, and how it ended. */
void board_put(struct sim *sim, FILE *out, bool passed)
{
    bool is_story = strcmp(sim->board.source, "story") == 0;
    const struct tree *about = is_story ? tree_find(sim->scenario->tree, "spec/about") : NULL;
    struct json json = {.out = out};

    json_begin(&json, NULL, '{');
    json_text(&json, "format", "sluice.sh/board/v1");
    json_text(&json, "source", sim->board.source);
    json_text(&json, "clock", is_story ? "story" : "wall");
    json_text(&json, "title", sim->scenario->name);
    if (about && about->type == TREE_TEXT)
        json_text(&json, "about", about->text);
    json_text(&json, "removal", sim->scenario->on_admission ? "onAdmission" : "onBind");
    if (is_story)
        json_bool(&json, "passed", passed);
    json_begin(&json, "frames", '[');
    board_put_frames(sim, out);
    json_end(&json, ']');
    json_end(&json, '}');
}

bool board_write(struct sim *sim, const char *path, bool passed)
{
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    board_put(sim, file, passed);
    fputc('\n', file);
    return fclose(file) == 0;
}

/* A page reads its data as text up to the next tag, whatever JSON says: there must be none. The
 * character for which one is escaped stands nowhere in JSON but in texts. */
static void put_without_tags(FILE *out, const char *text, size_t len)
{
    for (const char *end = text + len; text < end;) {
        const char *tag = memchr(text, '<', (size_t)(end - text));
        fwrite(text, 1, (size_t)((tag ? tag : end) - text), out);
        if (tag)
            fputs("\\u003c", out);
        text = tag ? tag + 1 : end;
    }
}

bool board_page(const char *path, struct board_part *document)
{
    FILE *file = fopen(path, "w");

    if (file) {
        fflush(document->json.out);
        fwrite(board_page_head, 1, board_page_head_len, file);
        put_without_tags(file, document->text, document->len);
        fwrite(board_page_tail, 1, board_page_tail_len, file);
    }
    bool is_written = file && fclose(file) == 0;
    int why = errno;
    board_part_close(document);
    errno = why;
    return is_written;
}

bool board_write_page(struct sim *sim, const char *path, bool passed)
{
    struct board_part document;

    board_part_open(&document);
    board_put(sim, document.json.out, passed);
    return board_page(path, &document);
}
