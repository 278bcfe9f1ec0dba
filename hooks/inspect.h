/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_INSPECT_H
#define SLUICE_HOOKS_INSPECT_H

#include "call.h"
#include "plugin/telling/report.h"

#include <stdbool.h>
#include <stdint.h>

/* What a person asked to see, as it was read. */
struct question {
    struct text what;
    struct text uid, space, name; /* no text: it is not said */
    struct text within;           /* whoever asks may see this namespace and no other; or no text */
    bool has_kind;
    enum queue_kind kind;
    int64_t from;
    int64_t max;
    bool timers;
    bool of_local; /* the kind is LocalQueue */
    bool holding;
    bool path;                  /* the queues that it is in, too */
    enum group_kind group_kind; /* of the group that is asked for */
};

/* The map of a queue, and of a pod; so many other keys follow in it. */
void put_queue(struct call *call, uint32_t queue, uint32_t others);
void put_pod(struct msg_writer *w, const struct engine *engine, uint32_t claim, uint32_t others);

/* How many keys put_path adds: where it is asked for, `path`, the queue (0: none) and those above
 * it, up to the root. */
uint32_t path_keys(const struct question *question);
void put_path(struct call *call, const struct question *question, uint32_t queue);

/* Whether the question names an object of a namespace; else it is refused. */
bool is_named(struct call *call, const struct question *question);

/* Whether who asks may see the object of this namespace. */
bool may_see(const struct question *question, struct text space);

/* Parts of these maps: so many keys of where a claim stands, and amounts by resource. */
enum { POSITION_KEYS = 8 };
void put_position(struct msg_writer *w, const struct position *place);
void put_amounts(struct msg_writer *w, const char *key, const struct quota_row *rows,
                 uint32_t count);
/* How long those waited that were granted something: so many keys. Nobody was: no counts. */
enum { WAIT_KEYS = 2 };
void put_waits(struct msg_writer *w, const struct waits *waits);

/* Writes a row into its place and reports whether there was one; moves *cursor behind it. */
typedef bool put_row(struct call *call, const void *subject, uint32_t *cursor);

/* The rows of views that are nothing else. The subject is the question. */
put_row put_next_group, put_next_cluster, put_next_local_queue;

/* The views of groups. */
void show_group(struct call *call, const struct question *question);

/* The views of a manager's workloads and clusters. */
void show_fleet(struct call *call, const struct question *question);

/* The views of workloads that are admitted here, and of their queues. */
void show_workload(struct call *call, const struct question *question);
void show_workloads(struct call *call, const struct question *question);
void show_cluster_queue(struct call *call, const struct question *question);
void show_local_queue(struct call *call, const struct question *question);

struct rows {
    const char *key;
    put_row *put_next;
    const void *subject;
};

/* A page of rows, and `from`: as many as fit, and at most the question's max. A row that is too
 * long even for a page of its own stays, so that the call says what it needs. */
void put_page(struct call *call, const struct question *question, const struct rows *rows);

#endif
