/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/beside.h"

#include <stdio.h>
#include <stdlib.h>

#include "t/answers/differ.h"
#include "t/answers/known.h"
#include "t/kit/door.h"

static struct {
    struct door door;
    struct known *known; /* NULL: nothing is listed */
    uint64_t handle;     /* 0: none is open, or what comes now is not compared */
    char story[40];
    bool is;
} beside;

bool beside_load(const char *library, const char *list)
{
    char why[500] = "";

    if (list != NULL)
        beside.known = known_load(list, why, sizeof(why));
    if (list != NULL && beside.known == NULL)
        fprintf(stderr, "t-player: %s\n", why);
    beside.is = (list == NULL || beside.known != NULL) && door_load(library, &beside.door);
    return beside.is;
}

void beside_name(const char *profile)
{
    snprintf(beside.story, sizeof(beside.story), "history-%s", profile);
}

void beside_open(const uint8_t *config, size_t len)
{
    uint8_t out[4096];
    int64_t handle = beside.is ? beside.door.open(config, len, out, sizeof(out)) : 0;

    beside.handle = handle > 0 ? (uint64_t)handle : 0;
}

void beside_close(void)
{
    if (beside.handle != 0)
        beside.door.close(beside.handle);
    beside.handle = 0;
}

struct hearing {
    struct witness *witness;
    const char *call;
    bool ends; /* what comes now is not compared any more */
};

static void take_difference(void *context, const struct difference *difference)
{
    struct hearing *hearing = context;
    enum known_then then = KNOWN_NOT;

    if (hearing->ends)
        return;
    if (beside.known != NULL)
        then = known_look_up(beside.known, beside.story, "-", hearing->call, difference->path);
    hearing->ends = then != KNOWN_ON;
    if (then == KNOWN_NOT)
        witness_complain(hearing->witness,
                         "%s: the other library answers something else: %s\tthere %s, here %s",
                         hearing->call, difference->path, difference->was, difference->is);
}

void beside_hear(struct witness *witness, enum hook_id hook, const uint8_t *request, size_t len,
                 size_t cap, int64_t result, const uint8_t *answer)
{
    struct hearing hearing = {.witness = witness};
    char call[QUESTION_NAME];
    struct reply_seen was;
    uint8_t *out;

    if (beside.handle == 0)
        return;
    question_name(hook, request, len, call);
    hearing.call = call;
    out = malloc(cap > 0 ? cap : 1);
    was = (struct reply_seen){beside.door.hooks[hook](beside.handle, request, len, out, cap), out};
    if (question_is_compared(call))
        differ(was, (struct reply_seen){result, answer}, take_difference, &hearing);
    free(out);
    if (hearing.ends)
        beside_close();
}

unsigned beside_unused(void)
{
    unsigned line = 0, count = 0;
    const char *text;

    for (; beside.known != NULL && known_next_unused(beside.known, true, &line, &text) != 0;
         count++)
        printf("# line %u of the list: %s\n", line, text);
    return count;
}
