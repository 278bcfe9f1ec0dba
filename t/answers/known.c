/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "t/answers/known.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { ENTRIES = 500, LINE = 400, PATTERN = 100 };

struct entry {
    unsigned line;
    uint32_t occurred;
    enum known_then then;
    char story[PATTERN], mode[PATTERN], call[PATTERN], key[PATTERN];
    char text[LINE];
};

struct known {
    unsigned count;
    struct entry entries[ENTRIES];
};

/* NULL, or what is wrong with the line. */
static const char *read_entry(struct entry *entry)
{
    char then[8];
    int reason = 0;

    if (sscanf(entry->text, "%99s %99s %99s %99s %7s %n", entry->story, entry->mode, entry->call,
               entry->key, then, &reason) < 5)
        return "want: story, mode, call, key, then, reason";
    if (strcmp(then, "on") != 0 && strcmp(then, "ends") != 0)
        return "the fifth word is neither `on` nor `ends`";
    if (reason == 0 || entry->text[reason] == '\0')
        return "it gives no reason";
    entry->then = strcmp(then, "on") == 0 ? KNOWN_ON : KNOWN_ENDS;
    return NULL;
}

struct known *known_load(const char *path, char *why, size_t cap)
{
    struct known *known =
        mmap(NULL, sizeof(*known), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FILE *file = fopen(path, "r");
    const char *wrong = file == NULL ? "it cannot be opened" : NULL;
    char text[LINE];

    if (known == MAP_FAILED) {
        snprintf(why, cap, "no memory");
        return NULL;
    }
    for (unsigned line = 1; wrong == NULL && fgets(text, sizeof(text), file) != NULL; line++) {
        struct entry *entry = &known->entries[known->count];

        text[strcspn(text, "\n")] = '\0';
        if (text[strspn(text, " ")] == '\0' || text[0] == '#')
            continue;
        *entry = (struct entry){.line = line};
        memcpy(entry->text, text, sizeof(text));
        wrong = ++known->count == ENTRIES ? "too many entries" : read_entry(entry);
        if (wrong != NULL)
            snprintf(why, cap, "%s:%u: %s", path, line, wrong);
    }
    if (file == NULL)
        snprintf(why, cap, "%s: %s", path, wrong);
    else
        fclose(file);
    return wrong == NULL ? known : NULL;
}

enum known_then known_look_up(struct known *known, const char *story, const char *mode,
                              const char *call, const char *path)
{
    for (unsigned i = 0; i < known->count; i++) {
        struct entry *entry = &known->entries[i];

        if (fnmatch(entry->story, story, 0) == 0 && fnmatch(entry->mode, mode, 0) == 0 &&
            fnmatch(entry->call, call, 0) == 0 && fnmatch(entry->key, path, 0) == 0) {
            entry->occurred++;
            return entry->then;
        }
    }
    return KNOWN_NOT;
}

unsigned known_next_unused(const struct known *known, bool of_histories, unsigned *line,
                           const char **ret_text)
{
    for (unsigned i = 0; i < known->count; i++) {
        const struct entry *entry = &known->entries[i];

        if (entry->line > *line && entry->occurred == 0 &&
            (strncmp(entry->story, "history-", 8) == 0) == of_histories) {
            *line = entry->line;
            *ret_text = entry->text;
            return entry->line;
        }
    }
    return 0;
}
