/* SPDX-License-Identifier: Apache-2.0 */
#include "t/answers/questions.h"

#include <string.h>

#include "hooks/encode.h"
#include "t/kit/peek.h"

void questions_begin(struct questions *q)
{
    static const char *const general[] = {"queues", "groups",   "localQueues", "effects",
                                          "fleet",  "clusters", "limits"};

    q->count = q->latest = q->about = 0;
    for (size_t i = 0; i < sizeof(general) / sizeof(*general); i++)
        q->list[q->count++] = (struct question){.what = general[i]};
}

static bool same(const struct question *a, const struct question *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->uid, b->uid) == 0 &&
           strcmp(a->namespace, b->namespace) == 0 && strcmp(a->kind, b->kind) == 0 &&
           strcmp(a->what, b->what) == 0;
}

/* Those about one object lie side by side, so the first tells whether they are there. */
static void add(struct questions *q, struct question question, const char *const *whats,
                uint32_t count)
{
    question.what = whats[0];
    for (q->latest = 0; q->latest < q->count; q->latest++)
        if (same(&q->list[q->latest], &question))
            break;
    q->about = q->latest + count <= QUESTIONS ? count : 0;
    if (q->latest < q->count || q->about == 0)
        return;
    for (uint32_t i = 0; i < count; i++) {
        question.holding = i > 0 && strcmp(whats[i], whats[i - 1]) == 0;
        question.what = whats[i];
        q->list[q->count++] = question;
    }
}

static void add_of_kind(struct questions *q, const char *kind, const char *role,
                        struct question question)
{
    static const char *const queue[] = {"queue", "pending", "clusterQueue", "workloads",
                                        "workloads"};
    static const char *const local[] = {"localQueue", "workloads", "workloads"};
    static const char *const pod[] = {"pod"}, *const group[] = {"group"};
    static const char *const worker[] = {"workload"}, *const manager[] = {"fleet"};

    if (strcmp(kind, "queue") == 0) {
        add(q, question, queue, strcmp(question.kind, "ClusterQueue") == 0 ? 5 : 2);
    } else if (strcmp(kind, "localQueue") == 0) {
        memcpy(question.kind, "LocalQueue", sizeof("LocalQueue"));
        add(q, question, local, 3);
    } else if (strcmp(kind, "group") == 0) {
        question.uid[0] = '\0';
        add(q, question, group, 1);
    } else if (strcmp(kind, "workload") == 0) {
        question.uid[0] = '\0';
        add(q, question, strcmp(role, "manager") == 0 ? manager : worker, 1);
    } else if (strcmp(kind, "pod") == 0) {
        question.namespace[0] = question.name[0] = '\0';
        add(q, question, pod, 1);
    }
}

void questions_take(struct questions *q, enum hook_id hook, const uint8_t *request, size_t len)
{
    struct msg_reader top, object;
    struct question question = {.what = ""};
    char kind[16], role[16];

    q->about = 0;
    msg_reader_init(&top, request, len);
    peek_text(&top, "kind", kind, sizeof(kind));
    if (hook == HOOK_PRE_ENQUEUE)
        memcpy(kind, "pod", sizeof("pod"));
    if (hook != HOOK_OBSERVE && hook != HOOK_PRE_ENQUEUE)
        return;
    if (!peek(&top, "object", &object) && !peek(&top, "pod", &object))
        return;
    peek_text(&object, "role", role, sizeof(role));
    peek_text(&object, "kind", question.kind, sizeof(question.kind));
    peek_text(&object, "namespace", question.namespace, sizeof(question.namespace));
    peek_text(&object, "name", question.name, sizeof(question.name));
    peek_text(&object, "uid", question.uid, sizeof(question.uid));
    add_of_kind(q, kind, role, question);
}

static uint32_t put_unless_empty(struct msg_writer *w, const char *key, const char *value)
{
    if (value[0] == '\0')
        return 0;
    if (w != NULL)
        put_key_str(w, key, value);
    return 1;
}

/* The keys of a question that has them; NULL: only how many. */
static uint32_t put_names(struct msg_writer *w, const struct question *question)
{
    return put_unless_empty(w, "kind", question->kind) +
           put_unless_empty(w, "namespace", question->namespace) +
           put_unless_empty(w, "name", question->name) + put_unless_empty(w, "uid", question->uid);
}

size_t questions_put(const struct questions *q, uint32_t index, int64_t now,
                     uint8_t out[QUESTION_BYTES])
{
    const struct question *question = &q->list[index];
    struct msg_writer w;

    msg_writer_init(&w, out, QUESTION_BYTES);
    msg_put_map(&w, 3 + put_names(NULL, question));
    put_key_int(&w, "now", now);
    put_key_str(&w, "what", question->what);
    put_key_bool(&w, "holding", question->holding);
    put_names(&w, question);
    return msg_writer_length(&w);
}
