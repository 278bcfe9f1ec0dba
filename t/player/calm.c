/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/calm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/encode.h"

enum { ROUNDS_MAX = 400, TREE_QUEUES = 64, TREE_AMOUNTS = 24 };

static const int64_t a_minute = INT64_C(60000000000);

static void show_all(struct host *host)
{
    static const enum cast order[] = {CAST_FLAVOR, CAST_CHECK,    CAST_QUEUE,   CAST_LOCAL_QUEUE,
                                      CAST_NODE,   CAST_WORKLOAD, CAST_GROUP,   CAST_NATIVE,
                                      CAST_POD,    CAST_REPLICA,  CAST_CLUSTER, CAST_DISPATCH,
                                      CAST_COMMAND};

    for (unsigned i = 0; i < CAST_KINDS; i++)
        for (unsigned slot = 0; slot < CAST_SLOTS; slot++) {
            if (!host->objects[order[i]][slot].there)
                continue;
            host_write(host, order[i], slot);
            host_show(host, order[i], slot);
        }
}

static void announce(struct host *host, const char *kind)
{
    uint8_t bytes[64];
    struct message message = {.hook = HOOK_OBSERVE};
    struct msg_writer w;

    msg_writer_init(&w, bytes, sizeof(bytes));
    msg_put_map(&w, 2);
    put_key_int(&w, "now", host->now);
    put_key_str(&w, "kind", kind);
    host_say(host, &message, bytes, msg_writer_length(&w));
}

/* Whether nothing is left: of what was asked for, and of what is known to change. */
static bool is_quiet(const struct host *host)
{
    return host->show_count == 0 && host->owed_count == 0 && host->witness->pending == 0 &&
           !host->witness->more;
}

void calm_down(struct host *host)
{
    struct witness *w = host->witness;
    int rounds = 0, waits = 0;

    host->orderly = true;
    host->owed_count = host->show_count = 0;
    host->now = w->now > host->now ? w->now : host->now;
    show_all(host);
    announce(host, "synced");
    announce(host, "leader");
    host->now += 2 * a_minute; /* what is under way from before has ended */
    host_tick(host);
    while (w->wrong[0] == '\0') {
        if (++rounds > ROUNDS_MAX || !history_has_room(host->history)) {
            witness_complain(w, "effects come without an end, though all are done");
            return;
        }
        host_drain(host);
        while (host->owed_count > 0 && w->wrong[0] == '\0')
            host_acknowledge(host);
        while (host->show_count > 0 && w->wrong[0] == '\0')
            host_show_changed(host);
        host_go_on(host);
        host_tick(host);
        if (!is_quiet(host))
            continue;
        if (++waits > 3)
            return;
        host->now += a_minute; /* for what tries again */
        host_tick(host);
    }
}

/* What a queue of the tree has of one resource. */
struct amount_line {
    char resource[32];
    int64_t kept, ceiling, usage;
    bool bounded;
};

struct tree_queue {
    char kind[16], name[64], parent[64], state[16];
    bool leaf;
    int64_t waiting;
    unsigned amounts;
    struct amount_line amount[TREE_AMOUNTS];
};

struct queue_tree {
    unsigned count;
    bool whole; /* each of the numbers is of the one flavor that is there without any */
    struct tree_queue queues[TREE_QUEUES];
};

static void read_amounts(struct queue_tree *tree, struct tree_queue *queue, struct msg_reader row)
{
    struct msg_reader quota;
    struct msg_array array;

    if (!peek(&row, "quota", &quota) || !msg_open_array(&quota, &array))
        return;
    for (; msg_next_item(&quota, &array); msg_skip_value(&quota)) {
        struct amount_line *line = &queue->amount[queue->amounts];
        struct msg_reader ceiling;
        char flavor[32];

        if (queue->amounts == TREE_AMOUNTS) {
            tree->whole = false;
            return;
        }
        peek_text(&quota, "flavor", flavor, sizeof(flavor));
        tree->whole = tree->whole && strcmp(flavor, "default") == 0;
        peek_text(&quota, "resource", line->resource, sizeof(line->resource));
        line->kept = peek_int(&quota, "kept", 0);
        line->usage = peek_int(&quota, "usage", 0);
        line->bounded = peek(&quota, "ceiling", &ceiling) && msg_peek_type(&ceiling) == MSG_INT;
        line->ceiling = peek_int(&quota, "ceiling", 0);
        queue->amounts++;
    }
}

static size_t write_look(uint8_t *bytes, size_t cap, const char *what, const char *key,
                         const char *text, const char *name)
{
    struct msg_writer w;

    msg_writer_init(&w, bytes, cap);
    msg_put_map(&w, name == NULL ? 4 : 5);
    put_key_int(&w, "now", 0);
    put_key_str(&w, "what", what);
    put_key_str(&w, key, text);
    put_key_int(&w, "max", name == NULL ? 65536 : 1);
    if (name != NULL)
        put_key_str(&w, "name", name);
    return msg_writer_length(&w);
}

static bool read_tree(struct witness *w, struct queue_tree *tree)
{
    uint8_t request[128];
    size_t len = write_look(request, sizeof(request), "queues", "kind", "", NULL);
    struct msg_reader answer, rows;
    struct msg_array array;

    tree->count = 0;
    tree->whole = true;
    if (!witness_look(w, request, len, &answer) || !peek(&answer, "queues", &rows) ||
        !msg_open_array(&rows, &array))
        return false;
    for (; msg_next_item(&rows, &array); msg_skip_value(&rows)) {
        struct tree_queue *queue = &tree->queues[tree->count];

        if (tree->count++ == TREE_QUEUES)
            return false;
        memset(queue, 0, sizeof(*queue));
        peek_text(&rows, "kind", queue->kind, sizeof(queue->kind));
        peek_text(&rows, "name", queue->name, sizeof(queue->name));
        peek_text(&rows, "parent", queue->parent, sizeof(queue->parent));
        peek_text(&rows, "state", queue->state, sizeof(queue->state));
        queue->leaf = peek_bool(&rows, "leaf", false);
        queue->waiting = peek_int(&rows, "waiting", 0);
        read_amounts(tree, queue, rows);
    }
    return tree->whole;
}

static const struct tree_queue *find_parent(const struct queue_tree *tree,
                                            const struct tree_queue *queue)
{
    if (strcmp(queue->name, "root") == 0)
        return NULL;
    for (unsigned i = 0; i < tree->count; i++)
        if (strcmp(tree->queues[i].kind, "Queue") == 0 &&
            strcmp(tree->queues[i].name, queue->parent) == 0)
            return &tree->queues[i];
    return NULL;
}

/* U + w <= C on the way up, where what is kept free takes of w. */
static bool fits(const struct queue_tree *tree, const struct tree_queue *leaf, const char *resource,
                 int64_t asked)
{
    __int128 passes = asked;

    for (const struct tree_queue *queue = leaf; queue != NULL; queue = find_parent(tree, queue)) {
        const struct amount_line *line = NULL;
        int64_t kept = 0, usage = 0;

        for (unsigned i = 0; i < queue->amounts; i++)
            if (strcmp(queue->amount[i].resource, resource) == 0)
                line = &queue->amount[i];
        if (line != NULL) {
            kept = line->kept;
            usage = line->usage;
            if (line->bounded && usage + passes > line->ceiling)
                return false;
        }
        passes -= kept > usage ? kept - usage : 0;
    }
    return true;
}

/* The head of a queue that waits for room: does it fit? */
static bool head_fits(struct witness *w, const struct queue_tree *tree,
                      const struct tree_queue *queue, const char *uid)
{
    uint8_t request[256];
    size_t len = write_look(request, sizeof(request), "pod", "uid", uid, NULL);
    struct msg_reader answer, asks;
    struct msg_map map;
    struct msg_text key;
    char reason[32];

    if (!witness_look(w, request, len, &answer))
        return false;
    peek_text(&answer, "reason", reason, sizeof(reason));
    if (strcmp(reason, "QueueCapacity") != 0 || !peek(&answer, "asks", &asks) ||
        !msg_open_map(&asks, &map))
        return false;
    while (msg_next_key(&asks, &map, &key)) {
        char resource[64];
        int64_t asked = 0;

        if (key.len >= sizeof(resource) || !msg_get_int(&asks, 0, INT64_MAX, &asked))
            return false;
        memcpy(resource, key.at, key.len);
        resource[key.len] = '\0';
        if (!fits(tree, queue, resource, asked))
            return false;
    }
    return true;
}

static void look_at_queue(struct witness *w, const struct queue_tree *tree,
                          const struct tree_queue *queue)
{
    uint8_t request[256];
    size_t len = write_look(request, sizeof(request), "pending", "kind", "Queue", queue->name);
    struct msg_reader answer, rows;
    struct msg_array array;
    char uid[96];

    if (strcmp(queue->kind, "Queue") != 0 || !queue->leaf || strcmp(queue->state, "Open") != 0 ||
        queue->waiting == 0)
        return;
    if (!witness_look(w, request, len, &answer) || !peek(&answer, "pods", &rows) ||
        !msg_open_array(&rows, &array) || !msg_next_item(&rows, &array) ||
        peek_int(&rows, "members", 0) > 0)
        return;
    peek_text(&rows, "uid", uid, sizeof(uid));
    if (head_fits(w, tree, queue, uid))
        witness_complain(w, "a pod fits and is the next of its queue, and it waits");
}

/* No effect is under way, or waits until it is tried again. */
static bool is_answered(struct witness *w)
{
    uint8_t request[64];
    size_t len = write_look(request, sizeof(request), "effects", "kind", "", NULL);
    struct msg_reader answer, rows;
    struct msg_array array = {.left = 1};

    if (witness_look(w, request, len, &answer) && peek(&answer, "effects", &rows))
        msg_open_array(&rows, &array);
    return array.left == 0;
}

void calm_look(struct witness *w)
{
    static struct queue_tree tree;

    if (w->wrong[0] != '\0' || !w->leads || !w->synced || w->more || w->observes ||
        !is_answered(w) || !read_tree(w, &tree))
        return;
    for (unsigned i = 0; i < tree.count; i++)
        look_at_queue(w, &tree, &tree.queues[i]);
}
