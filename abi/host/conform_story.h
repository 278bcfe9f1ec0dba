/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOST_CONFORM_STORY_H
#define SLUICE_HOST_CONFORM_STORY_H

#include <jansson.h>

#include "abi/host/conform_probe.h"

/*
 * A check that is told as a story: what is asked, in the notation of conform_words.h, and what must
 * come of it. Texts are formats, as printf has them.
 *
 *     s_open(s, "{effects: [queueStatus]}");
 *     s_lead(s);
 *     s_see(s, "queue", "{kind: Queue, name: q, capability: {cpu: 2}}");
 *     s_pod(s, "p", "{queue: q, requests: {cpu: 3}}");
 *     s_ask(s, LOADER_PRE_FILTER, "{uid: p}");
 *     s_want(s, "{pass: false}");
 *     s_refuse(s, SLUICE_FIELD, "uid", LOADER_PRE_FILTER, "{}");
 *
 * The first thing that is not as it must be fails the point; the story goes on.
 */
struct story {
    struct probe *probe;
    uint64_t handle;
    int64_t now;    /* of each request that does not say its own */
    size_t cap;     /* of `out`; 0: as the manifest says */
    json_t *answer; /* of the last call, or its error map */
    int64_t result;
};

/* A check by its name, the sentence that it proves. */
struct promise {
    const char *name;
    void (*tell)(struct story *s);
};

#define STORY_GATE "scheduling.volcano.sh/queue-allocation-gate"
#define STORY_QUEUE "scheduling.volcano.sh/queue-name"
#define STORY_LATEST ((INT64_C(1) << 62) - 1) /* the last time that there is */

enum {
    STORY_SECOND = 1000000000, /* in the unit of times */
    STORY_DIGEST = DIGEST_BYTES,
};

#define STORY_FORMAT(at) __attribute__((format(printf, at, (at) + 1)))

/* A handle with this configuration; the one before is closed. */
void s_open(struct story *s, const char *config, ...) STORY_FORMAT(2);
void s_finish(struct story *s);

/* A call, whatever comes of it. */
void s_try(struct story *s, enum loader_hook hook, const char *request, ...) STORY_FORMAT(3);
/* One that is answered. */
void s_ask(struct story *s, enum loader_hook hook, const char *request, ...) STORY_FORMAT(3);
/* One that is refused with this code, changes nothing, and names this key (NULL: any). */
void s_refuse(struct story *s, enum sluice_error code, const char *key, enum loader_hook hook,
              const char *request, ...) STORY_FORMAT(5);
/* The same for a configuration. */
void s_refuse_open(struct story *s, enum sluice_error code, const char *key, const char *config,
                   ...) STORY_FORMAT(4);
/* The same for bytes as they are. */
void s_refuse_bytes(struct story *s, enum sluice_error code, enum loader_hook hook,
                    const uint8_t *bytes, size_t len);

/* What the last call answered: the keys that are named have these values. */
void s_want(struct story *s, const char *want, ...) STORY_FORMAT(2);
/* Anything else that must hold. */
void s_holds(struct story *s, bool holds, const char *what, ...) STORY_FORMAT(3);
void s_equal(struct story *s, int64_t got, int64_t want, const char *what);

/* A value of the last answer by its path, effects.0.id; 0, "" or NULL if it is not there. */
const json_t *s_value(const struct story *s, const char *path);
int64_t s_int(const struct story *s, const char *path);
const char *s_text(const struct story *s, const char *path);
size_t s_count(const struct story *s, const char *path);

void s_digest(struct story *s, char digest[STORY_DIGEST]);

#endif
