/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define COMMAND                                                                                    \
    LOADER_COMMAND,                                                                                \
        "{command: {uid: %s, namespace: n, name: %s, action: %s, target: {kind: Queue, "           \
        "name: %s}}}"

static void begin(struct story *s)
{
    s_open(s, "{effects: [queueStatus, event, deleteCommand]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, uid: u, state: Open, resourceVersion: 1}");
    s_settle(s);
}

/* The table of states: from a state, by each action, to a state; nothing where it changes none. */
static void table(struct story *s)
{
    static const char *const actions[] = {"OpenQueue", "CloseQueue", "SuspendQueue", "ResumeQueue"};
    static const struct {
        const char *from;
        const char *to[4];
    } rows[] = {
        {"Open", {"", "Closed", "Suspended", ""}},
        {"Unknown", {"Open", "Closed", "Suspended", ""}},
        {"Suspended", {"Open", "Closed", "", "Open"}},
        {"Closed", {"Open", "", "", ""}},
    };

    for (size_t row = 0; row < sizeof(rows) / sizeof(rows[0]); row++)
        for (int i = 0; i < 4; i++) {
            const char *to = rows[row].to[i];

            s_open(s, "{effects: [queueStatus, event, deleteCommand]}");
            s_lead(s);
            s_see(s, "queue", "{kind: Queue, name: q, uid: u, state: %s}", rows[row].from);
            s_ask(s, COMMAND, "c", "c", actions[i], "q");
            s_want(s, "{ignored: false, waits: false}");
            s_holds(s, json_is_true(s_value(s, "changed")) == (to[0] != '\0'),
                    "%s of a queue that is %s changes %s", actions[i], rows[row].from,
                    to[0] ? "it" : "nothing");
            s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
            s_holds(s, strcmp(s_text(s, "state"), to[0] ? to : rows[row].from) == 0,
                    "after %s a queue that was %s is %s", actions[i], rows[row].from,
                    s_text(s, "state"));
        }
}

static void closes_when_empty(struct story *s)
{
    begin(s);
    s_pod(s, "p", "{queue: q}");
    s_settle(s);
    s_ask(s, COMMAND, "c", "c", "CloseQueue", "q");
    s_want(s, "{state: Closing, changed: true, reason: ''}");
    s_lose(s, "pod", "{uid: p}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{state: Closed}");
}

static void closes_without_leftovers(struct story *s)
{
    s_open(s, "{effects: [queueStatus, event, deleteCommand, answerPermit]}");
    s_lead(s);
    s_see(s, "queue", "{kind: Queue, name: q, uid: u}");
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 1, queue: q}");
    s_ask(s, COMMAND, "c", "c", "CloseQueue", "q");
    s_want(s, "{state: Closing, changed: true}");
    s_see(s, "group", "{uid: g, namespace: n, name: g, created: 1, queue: q, ours: true}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{state: Closed}");
}

static void shown_again(struct story *s)
{
    char before[STORY_DIGEST];

    begin(s);
    s_ask(s, COMMAND, "c", "c", "CloseQueue", "q");
    s_want(s, "{state: Closed, changed: true}");
    s_digest(s, before);
    s_ask(s, COMMAND, "c", "c", "CloseQueue", "q");
    s_want(s, "{state: Closed, changed: true, ignored: false, waits: false}");
    probe_unchanged(s->probe, "a command that is shown again", s->handle, before);
}

static void deleted_when_written(struct story *s)
{
    begin(s);
    s_tick(s, s->now += 2 * (int64_t)STORY_SECOND);
    s_ask(s, COMMAND, "c", "c", "SuspendQueue", "q");
    s_want(s, "{more: true}");
    s_tick(s, s->now);
    s_drain(s);
    s_holds(s, s_effect(s, "deleteCommand", "c") == 0, "a command is not deleted before the state");
    int64_t status = s_effect(s, "queueStatus", "q");
    s_want(s, "{effects: [{kind: queueStatus, name: q, uid: u, state: Suspended, attempt: 1}]}");
    s_ask(s, LOADER_ACK, "{acks: [{id: %lld, result: done, resourceVersion: 9}]}",
          (long long)status);
    s_drain(s);
    s_holds(s, s_effect(s, "deleteCommand", "c") != 0,
            "a command is deleted when the state is written");
    s_ack(s, s_effect(s, "deleteCommand", "c"), "done");
    s_want(s, "{unknown: 0}");
    s_see(s, "queue", "{kind: Queue, name: q, uid: u, state: Open, resourceVersion: 5}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{state: Suspended, own: Suspended, byParent: false, written: true}");
    s_see(s, "queue", "{kind: Queue, name: q, uid: u, state: Open, resourceVersion: 10}");
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{state: Open}");
}

static void reaches_below(struct story *s)
{
    begin(s);
    s_see(s, "queue", "{kind: Queue, name: low, uid: v, parent: q, state: Open}");
    s_settle(s);
    s_ask(s, COMMAND, "c", "c", "SuspendQueue", "q");
    s_settle(s);
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: low}");
    s_want(s, "{state: Suspended, own: Open, byParent: true}");
    s_ask(s, COMMAND, "d", "d", "ResumeQueue", "low");
    s_want(s, "{changed: false}");
    s_holds(s, s_text(s, "reason")[0] != '\0', "the reason says why nothing changed");
    s_drain(s);
    s_holds(s, s_effect(s, "event", NULL) != 0, "what stands in the way becomes an event");
    s_ask(s, COMMAND, "e", "e", "ResumeQueue", "q");
    s_settle(s);
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: low}");
    s_want(s, "{state: Open, byParent: false}");
}

static void waits(struct story *s)
{
    s_open(s, "{effects: [queueStatus]}");
    s_see(s, "queue", "{kind: Queue, name: q, state: Open}");
    s_ask(s, COMMAND, "c", "c", "CloseQueue", "q");
    s_want(s, "{waits: true, changed: false, ignored: false}");
    s_lead(s);
    s_tick(s, s->now);
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{state: Closed}");
    s_ask(s, COMMAND, "c", "c", "CloseQueue", "q");
    s_want(s, "{waits: false, changed: true, state: Closed}");
}

/* In the order of creation and uid. */
static void in_order(struct story *s)
{
    s_open(s, "{effects: [queueStatus]}");
    s_see(s, "queue", "{kind: Queue, name: q, state: Open}");
    s_ask(s, LOADER_COMMAND,
          "{command: {uid: '0', namespace: n, name: a, created: 9, action: "
          "SuspendQueue, target: {kind: Queue, name: q}}}");
    s_ask(s, LOADER_COMMAND,
          "{command: {uid: b, namespace: n, name: c, created: 5, action: OpenQueue, "
          "target: {kind: Queue, name: q}}}");
    s_ask(s, LOADER_COMMAND,
          "{command: {uid: a, namespace: n, name: b, created: 5, action: "
          "CloseQueue, target: {kind: Queue, name: q}}}");
    s_lead(s);
    s_tick(s, s->now);
    s_ask(s, LOADER_INSPECT, "{what: queue, kind: Queue, name: q}");
    s_want(s, "{state: Suspended}");
}

static void not_ours(struct story *s)
{
    begin(s);
    s_ask(s, LOADER_COMMAND,
          "{command: {uid: c, namespace: n, name: c, action: CloseQueue, target: "
          "{kind: Job, name: q}}}");
    s_want(s, "{ignored: true, waits: false, state: '', changed: false}");
    s_ask(s, COMMAND, "d", "d", "BurnQueue", "q");
    s_want(s, "{ignored: false, changed: false}");
    s_ask(s, COMMAND, "e", "e", "CloseQueue", "nobody");
    s_want(s, "{ignored: false, changed: false, state: ''}");
    s_ask(s, LOADER_COMMAND, "{gone: true, command: {uid: d}}");
    s_ask(s, LOADER_COMMAND, "{gone: true, command: {uid: nobody}}");
    s_refuse(s, SLUICE_FIELD, "command.uid", LOADER_COMMAND, "{gone: true, command: {}}");
    s_open(s, "{}");
    s_refuse(s, SLUICE_UNSUPPORTED, "command", LOADER_COMMAND, "{}");
    s_refuse(s, SLUICE_UNSUPPORTED, "command", LOADER_COMMAND, "{command: {}}");
}

/* One a second, and only when something of it changed. */
static void status_once_a_second(struct story *s)
{
    begin(s);
    s_tick(s, s->now += 2 * (int64_t)STORY_SECOND);
    s_pod(s, "p", "{queue: q, node: a}");
    s_settle(s);
    s_tick(s, s->now += STORY_SECOND / 2);
    s_pod(s, "r", "{queue: q, node: a}");
    s_want(s, "{pending: 0}");
    s_holds(s, s_int(s, "next") > 0 && s_int(s, "next") <= s->now + STORY_SECOND,
            "`next` is when the status may be written");
    s_tick(s, s->now += STORY_SECOND);
    s_drain(s);
    s_want(s, "{effects: [{kind: queueStatus, name: q, state: Open, running: 2, pending: 0}]}");
    s_ack(s, s_effect(s, "queueStatus", "q"), "done");
    s_tick(s, s->now += 10 * (int64_t)STORY_SECOND);
    s_want(s, "{pending: 0}");
}

/* So many a second in which only counts are others, the longest wait first; a state at once. */
static void statuses_in_turn(struct story *s)
{
    s_open(s, "{effects: [queueStatus], queueStatusesPerSecond: 1}");
    s_lead(s);
    s_see(s, "node", "{name: a, allocatable: {cpu: 9}}");
    s_see(s, "queue", "{kind: Queue, name: q, uid: u, state: Open, resourceVersion: 1}");
    s_see(s, "queue", "{kind: Queue, name: r, uid: v, state: Open, resourceVersion: 1}");
    s_settle(s);
    s_tick(s, s->now += 2 * (int64_t)STORY_SECOND);
    s_settle(s);
    s_pod(s, "p", "{queue: q, node: a}");
    s_pod(s, "o", "{queue: r, node: a}");
    s_drain(s);
    s_want(s, "{effects: [{kind: queueStatus, name: q, running: 1}]}");
    s_ack(s, s_effect(s, "queueStatus", "q"), "done");
    s_holds(s, s_int(s, "next") == s->now + STORY_SECOND, "`next` is when the other has its turn");
    s_see(s, "queue", "{kind: Queue, name: r, uid: v, state: Suspended, resourceVersion: 2}");
    s_drain(s);
    s_want(s, "{effects: [{kind: queueStatus, name: r, running: 1}]}");
}

static void told_of_suspension(struct story *s)
{
    begin(s);
    s_see(s, "queue", "{kind: Queue, name: q, uid: u, state: Suspended, resourceVersion: 2}");
    s_pod(s, "p", "{queue: q}");
    s_drain(s);
    int64_t id = s_effect(s, "event", "p");
    s_holds(s, id != 0, "who waits for a suspended queue is told by an event");
    s_ack(s, id, "done");
    s_settle(s);
    s_pod(s, "p", "{queue: q}");
    s_drain(s);
    s_holds(s, s_effect(s, "event", "p") == 0, "but once");
}

const struct promise promises_of_commands[] = {
    {"a command changes a state as the table says", table},
    {"a queue that closes is Closed when nobody is left in it", closes_when_empty},
    {"a group that the host made and that has no pods is not left in its queue",
     closes_without_leftovers},
    {"a command that is shown again changes nothing and gets the same answer", shown_again},
    {"a command is deleted once the state is written; an echo is told by its version",
     deleted_when_written},
    {"a command reaches all queues below, and they go back to their own state", reaches_below},
    {"a command waits for the listing and the lease", waits},
    {"commands that wait are carried out by creation and uid", in_order},
    {"a command for what is no queue is left alone", not_ours},
    {"a queue's status is written once a second, when something changed", status_once_a_second},
    {"of all queues, so many statuses a second in which only counts are others", statuses_in_turn},
    {"who waits for a suspended queue is told, once", told_of_suspension},
    {0},
};
