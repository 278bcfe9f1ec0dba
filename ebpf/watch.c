/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"

#include "picture.h"
#include "say.h"
#include "show.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <bpf/libbpf.h>

/* What a and b of an event are; NULL: nothing. */
static const struct {
    const char *a, *b;
} meanings[HAPPENINGS] = {
    [SEEN] = {"since its creation", NULL},
    [ELIGIBLE] = {"since it was seen", NULL},
    [GRANTED] = {"since it was eligible", "since its creation"},
    [HANDED_OUT] = {"since the grant", NULL},
    [ACKNOWLEDGED] = {"since the grant", "since its creation"},
    [RESERVED] = {"since the grant", NULL},
    [BOUND] = {"since it was reserved", "since its creation"},
    [RELEASED] = {"since the grant", NULL},
};
static const char *const effects[] = {
    [0] = "activate", [1] = "remove gates", [2] = "set condition", [4] = "event"};
static const char *const states[] = {"held", "waiting", "reserved", "allocated"};

static const char *effect_name(__s64 kind)
{
    const __s64 known = sizeof(effects) / sizeof(*effects);

    return kind >= 0 && kind < known && effects[kind] ? effects[kind] : "an effect";
}

static void clock_text(char *out, size_t cap)
{
    struct timespec now;
    struct tm local;
    char text[16];

    clock_gettime(CLOCK_REALTIME, &now);
    localtime_r(&now.tv_sec, &local);
    strftime(text, sizeof(text), "%H:%M:%S", &local);
    snprintf(out, cap, "%s.%03ld", text, now.tv_nsec / 1000000);
}

static void print_line(const struct pod_event *event)
{
    char at[32], queue[SHOWN_NAME], a[DURATION], b[DURATION];

    clock_text(at, sizeof(at));
    printf("%s  %-12s  queue %s", at, happening_name(event->what),
           show_name(queue, sizeof(queue), event->queue_name, QUEUE_NAME));
    if (meanings[event->what].a && event->a >= 0)
        printf(", %s %s", duration((double)event->a, a), meanings[event->what].a);
    if (meanings[event->what].b && event->b >= 0)
        printf(", %s %s", duration((double)event->b, b), meanings[event->what].b);
    if (event->what == LEASED || event->what == RETRIED)
        printf(", %s, attempt %lld", effect_name(event->a), event->b);
    if (event->what == RELEASED)
        printf(", was %s%s", states[event->b & 3], event->b >= 256 ? ", the pod is gone" : "");
    putchar('\n');
    fflush(stdout);
}

static void print_json(const struct pod_event *event)
{
    printf("{\"pid\": %u, \"handle\": %llu, \"pod\": %llu, \"event\": \"%s\", \"queue\": ",
           event->pid, event->handle, event->pod, happening_name(event->what));
    show_quoted(stdout, event->queue_name, QUEUE_NAME);
    printf(", \"a\": %lld, \"b\": %lld}\n", event->a, event->b);
    fflush(stdout);
}

static int take(void *json, void *data, size_t size)
{
    const struct pod_event *event = data;

    if (size < sizeof(*event) || event->what >= HAPPENINGS)
        return 0;
    if (json)
        print_json(event);
    else
        print_line(event);
    return 0;
}

bool watch_pod(const struct session *session, bool json, const volatile sig_atomic_t *stop)
{
    static int yes;
    struct ring_buffer *ring = ring_buffer__new(session->pods, take, json ? &yes : NULL, NULL);

    if (!ring)
        return say("the ring buffer cannot be read: %s", strerror(errno));
    while (!*stop) {
        int got = ring_buffer__poll(ring, 100);

        if (got < 0 && got != -EINTR) {
            ring_buffer__free(ring);
            return say("the ring buffer cannot be read: %s", strerror(-got));
        }
    }
    ring_buffer__consume(ring);
    ring_buffer__free(ring);
    return true;
}
