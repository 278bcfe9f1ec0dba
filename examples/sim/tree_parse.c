/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum {
    KEYS_MAX = 4096,
};

struct anchor {
    const char *name;
    const struct tree *tree; /* NULL while it is being read */
    struct anchor *older;
};

struct parse {
    struct arena *arena;
    struct fault *fault;
    const char *file;
    yaml_parser_t parser;
    yaml_event_t event;
    bool has_event;
    struct anchor *anchors;
    size_t weight;
    int depth;
};

static struct tree place_of(const struct parse *p, size_t line)
{
    return (struct tree){.file = p->file, .line = (int)line + 1, .key = ""};
}

static void complain(struct parse *p, const char *what)
{
    struct tree here = place_of(p, p->event.start_mark.line);

    fault_say(p->fault, &here, "%s", what);
}

/* The next event; false after a fault. */
static bool next(struct parse *p)
{
    if (p->has_event)
        yaml_event_delete(&p->event);
    p->has_event = yaml_parser_parse(&p->parser, &p->event);
    if (p->has_event)
        return !p->fault->is;
    struct tree here = place_of(p, p->parser.problem_mark.line);
    const char *problem = p->parser.problem ? p->parser.problem : "it cannot be read";
    fault_say(p->fault, &here, "not YAML: %s", problem);
    memset(&p->event, 0, sizeof(p->event));
    return false;
}

static void weigh(struct parse *p, size_t weight)
{
    p->weight += weight;
    if (p->weight > TREE_WEIGHT)
        complain(p, "the file is too large, counting what its aliases repeat: "
                    "want at most 1048576 values");
}

static struct anchor *anchor_open(struct parse *p, const yaml_char_t *name)
{
    if (!name)
        return NULL;
    struct anchor *anchor = arena_get(p->arena, sizeof(*anchor));
    anchor->name = arena_copy(p->arena, (const char *)name);
    anchor->older = p->anchors;
    p->anchors = anchor;
    return anchor;
}

static const struct tree *alias(struct parse *p)
{
    const char *name = (const char *)p->event.data.alias.anchor;

    for (struct anchor *anchor = p->anchors; anchor; anchor = anchor->older) {
        if (strcmp(anchor->name, name) != 0)
            continue;
        if (!anchor->tree) {
            complain(p, "an alias inside of what it stands for");
            return NULL;
        }
        weigh(p, anchor->tree->weight);
        return anchor->tree;
    }
    complain(p, "an alias without its anchor");
    return NULL;
}

static void check_tag(struct parse *p, const yaml_char_t *tag)
{
    if (tag && strncmp((const char *)tag, "tag:yaml.org,2002:", 18) != 0)
        complain(p, "a tag (an unquoted text that begins with !): write the text in quotes");
}

static bool is_null(const char *text)
{
    return text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0 ||
           strcmp(text, "Null") == 0 || strcmp(text, "NULL") == 0;
}

static void scalar(struct parse *p, struct tree *tree)
{
    const char *text = (const char *)p->event.data.scalar.value;

    check_tag(p, p->event.data.scalar.tag);
    if (strlen(text) != p->event.data.scalar.length)
        complain(p, "a text with a zero byte");
    tree->quoted = p->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    tree->type = tree->quoted || !is_null(text) ? TREE_TEXT : TREE_NULL;
    tree->text = arena_copy(p->arena, text);
}

static const struct tree *value(struct parse *p, const char *key);

static void pair_add(struct parse *p, struct tree *tree, size_t *cap, struct tree_pair pair)
{
    if (tree->count == *cap) {
        size_t room = *cap ? *cap * 2 : 4;
        struct tree_pair *pairs = arena_get(p->arena, room * sizeof(*pairs));
        if (tree->count > 0)
            memcpy(pairs, tree->pairs, tree->count * sizeof(*pairs));
        tree->pairs = pairs;
        *cap = room;
    }
    tree->pairs[tree->count++] = pair;
    tree->weight += pair.value->weight;
}

static void list(struct parse *p, struct tree *tree)
{
    size_t cap = 0;

    tree->type = TREE_LIST;
    check_tag(p, p->event.data.sequence_start.tag);
    while (next(p) && p->event.type != YAML_SEQUENCE_END_EVENT) {
        const struct tree *item = value(p, tree->key);
        if (!item)
            return;
        pair_add(p, tree, &cap, (struct tree_pair){"", item});
    }
}

static bool key_is_new(struct parse *p, const struct tree *map, const char *key)
{
    struct tree here = place_of(p, p->event.start_mark.line);

    if (strcmp(key, "<<") == 0)
        fault_say(p->fault, &here, "merge keys (<<) are not understood: write the keys out");
    if (map->count == KEYS_MAX)
        fault_say(p->fault, &here, "a map with too many keys: want at most %d", KEYS_MAX);
    for (size_t i = 0; i < map->count; i++)
        if (strcmp(map->pairs[i].key, key) == 0)
            fault_say(p->fault, &here, "the key %s is there twice, first in line %d", key,
                      map->pairs[i].value->line);
    return !p->fault->is;
}

static void map(struct parse *p, struct tree *tree)
{
    size_t cap = 0;

    tree->type = TREE_MAP;
    check_tag(p, p->event.data.mapping_start.tag);
    while (next(p) && p->event.type != YAML_MAPPING_END_EVENT) {
        if (p->event.type != YAML_SCALAR_EVENT) {
            complain(p, "a key that is not text");
            return;
        }
        const char *key = arena_copy(p->arena, (const char *)p->event.data.scalar.value);
        if (!key_is_new(p, tree, key) || !next(p))
            return;
        const struct tree *item = value(p, key);
        if (!item)
            return;
        pair_add(p, tree, &cap, (struct tree_pair){key, item});
    }
}

/* The value whose first event has been read. NULL after a fault. */
static const struct tree *value(struct parse *p, const char *key)
{
    struct anchor *anchor = NULL;

    if (p->event.type == YAML_ALIAS_EVENT)
        return alias(p);
    struct tree *tree = arena_get(p->arena, sizeof(*tree));
    *tree = place_of(p, p->event.start_mark.line);
    tree->key = key;
    tree->weight = 1;
    weigh(p, 1);
    if (++p->depth > TREE_DEPTH)
        complain(p, "nested too deep: want at most 64 levels");
    if (p->fault->is)
        return NULL;
    switch (p->event.type) {
    case YAML_SCALAR_EVENT:
        anchor = anchor_open(p, p->event.data.scalar.anchor);
        scalar(p, tree);
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = anchor_open(p, p->event.data.sequence_start.anchor);
        list(p, tree);
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = anchor_open(p, p->event.data.mapping_start.anchor);
        map(p, tree);
        break;
    default:
        complain(p, "a value is missing");
        break;
    }
    p->depth--;
    if (anchor)
        anchor->tree = tree;
    return p->fault->is ? NULL : tree;
}

static const struct tree *documents(struct parse *p)
{
    struct tree *all = arena_get(p->arena, sizeof(*all));
    size_t cap = 0;

    *all = place_of(p, 0);
    all->type = TREE_LIST;
    while (next(p) && p->event.type != YAML_STREAM_END_EVENT) {
        if (p->event.type != YAML_DOCUMENT_START_EVENT)
            continue;
        p->anchors = NULL;
        if (!next(p))
            break;
        const struct tree *document = value(p, "");
        if (!document)
            break;
        if (document->type != TREE_NULL)
            pair_add(p, all, &cap, (struct tree_pair){"", document});
    }
    return p->fault->is ? NULL : all;
}

const struct tree *tree_parse(struct arena *arena, const char *name, const char *bytes, size_t len,
                              struct fault *fault)
{
    struct parse p = {.arena = arena, .fault = fault, .file = name};

    if (fault->is)
        return NULL;
    if (!yaml_parser_initialize(&p.parser)) {
        fault_say(fault, NULL, "%s: no memory to read it", name);
        return NULL;
    }
    yaml_parser_set_input_string(&p.parser, (const unsigned char *)bytes, len);
    const struct tree *all = documents(&p);
    if (p.has_event)
        yaml_event_delete(&p.event);
    yaml_parser_delete(&p.parser);
    return all;
}

const struct tree *tree_load(struct arena *arena, const char *path, struct fault *fault)
{
    FILE *file = fopen(path, "rb");
    const struct tree *all = NULL;
    char *bytes = NULL;

    if (!file) {
        fault_say(fault, NULL, "%s: %s", path, strerror(errno));
        return NULL;
    }
    bytes = malloc(TREE_FILE_BYTES + 1);
    size_t len = bytes ? fread(bytes, 1, TREE_FILE_BYTES + 1, file) : 0;
    if (!bytes || ferror(file))
        fault_say(fault, NULL, "%s: %s", path, strerror(errno));
    else if (len > TREE_FILE_BYTES)
        fault_say(fault, NULL, "%s: is larger than 16 MiB", path);
    else
        all = tree_parse(arena, path, bytes, len, fault);
    free(bytes);
    fclose(file);
    return all;
}
