/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
    const char *text;
    const char *at;
};

static _Noreturn void give_up(const struct cursor *c, const char *why)
{
    fprintf(stderr, "sluice-conform: %s at character %td of a message: %s\n", why, c->at - c->text,
            c->text);
    abort();
}

static char next(struct cursor *c)
{
    c->at += strspn(c->at, " \n");
    return *c->at;
}

static json_t *checked(struct cursor *c, json_t *value)
{
    if (!value)
        give_up(c, "there is no value");
    return value;
}

static json_t *word_read(struct cursor *c, size_t len)
{
    static const struct {
        const char *word;
        json_t *(*make)(void);
    } known[] = {{"true", json_true}, {"false", json_false}, {"nil", json_null}};
    const char *word = c->at;
    char *end;

    c->at += len;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i].word) == len && strncmp(word, known[i].word, len) == 0)
            return known[i].make();
    long long number = strtoll(word, &end, 10);
    if (end == c->at && len > 0)
        return json_integer(number);
    return json_stringn(word, len);
}

static json_t *text_read(struct cursor *c)
{
    size_t len;

    if (*c->at != '\'') {
        len = strcspn(c->at, " \n,:{}[]");
        if (len == 0)
            give_up(c, "a word is missing");
        return checked(c, word_read(c, len));
    }
    len = strcspn(++c->at, "'");
    json_t *text = checked(c, json_stringn(c->at, len));
    c->at += len;
    if (*c->at++ != '\'')
        give_up(c, "a text has no end");
    return text;
}

static void key_read(struct cursor *c, char *key, size_t cap)
{
    size_t quote = next(c) == '\'' ? 1 : 0;
    const char *from = c->at + quote;
    size_t len = strcspn(from, quote ? "'" : " \n,:{}[]");

    c->at = from + len + quote;
    if (len >= cap || next(c) != ':')
        give_up(c, "a key is missing");
    memcpy(key, from, len);
    key[len] = '\0';
    c->at++;
}

static json_t *value_read(struct cursor *c)
{
    char key[512];
    char open = next(c);
    bool map = open == '{';

    if (open != '{' && open != '[')
        return text_read(c);
    json_t *items = checked(c, map ? json_object() : json_array());
    c->at++;
    while (next(c) != (map ? '}' : ']')) {
        if (map)
            key_read(c, key, sizeof(key));
        json_t *item = value_read(c);
        if ((map ? json_object_set_new(items, key, item) : json_array_append_new(items, item)) != 0)
            give_up(c, "a value cannot be kept");
        if (next(c) == ',')
            c->at++;
    }
    c->at++;
    return items;
}

json_t *words_read(const char *text)
{
    struct cursor c = {text, text};
    json_t *value = value_read(&c);

    if (next(&c) != '\0')
        give_up(&c, "there is more");
    return value;
}
