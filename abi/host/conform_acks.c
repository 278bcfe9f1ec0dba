/* SPDX-License-Identifier: Apache-2.0 */
#include "abi/host/conform_promises.h"
#include "abi/host/conform_steps.h"

#define MINUTE (60 * (int64_t)STORY_SECOND)

static void late_ack_is_unknown(struct story *s)
{
    int64_t id = s_wake(s);

    s_tick(s, s->now += MINUTE);
    s_ack(s, id, "done");
    s_want(s, "{unknown: 1, pending: 1}");
    s_drain(s);
    s_want(s, "{effects: [{kind: activate, uid: p}]}");
}

static void acked_once(struct story *s)
{
    int64_t id = s_wake(s);

    s_ask(s, LOADER_ACK,
          "{acks: [{id: %lld, result: done}, {id: %lld, result: done}, {id: 0, "
          "result: gone}, {id: -1, result: retry}, {id: %lld, result: conflict}]}",
          (long long)id, (long long)id, (long long)(id ^ 1 << 20));
    s_want(s, "{unknown: 4}");
    s_ack(s, id, "done");
    s_want(s, "{unknown: 1, pending: 0}");
    s_ask(s, LOADER_ACK, "{acks: []}");
    s_want(s, "{unknown: 0}");
    s_ask(s, LOADER_INSPECT, "{what: effects}");
    s_want(s, "{effects: []}");
    s_state(s, "p", "reserved");
}

static void acks_have_a_most(struct story *s)
{
    struct request r;
    int64_t id = s_wake(s);

    for (int over = 0; over < 2; over++) {
        request_init(&r);
        r_map(&r);
        r_key_int(&r, "now", s->now);
        r_key_array(&r, "acks");
        for (int i = 0; i < 1024 + (over == 0); i++) {
            r_map(&r);
            r_key_int(&r, "id", i == 0 ? id : -1 - i);
            r_key_str(&r, "result", "done");
            r_end(&r);
        }
        r_end(&r);
        r_end(&r);
        if (over == 0) {
            s_refuse_bytes(s, SLUICE_FIELD, LOADER_ACK, request_bytes(&r), request_len(&r));
            s_equal(s, probe_ask(s->probe, LOADER_DRAIN, s->handle, NULL, 0) < 0, 1, "no message");
        } else {
            s->result =
                probe_ask(s->probe, LOADER_ACK, s->handle, request_bytes(&r), request_len(&r));
            s_holds(s, s->result >= 0, "1,024 acks are taken at once");
        }
        request_finish(&r);
    }
    s_ack(s, id, "done");
    s_want(s, "{unknown: 1}");
}

static void acks_are_read_first(struct story *s)
{
    int64_t id = s_wake(s);

    s_refuse(s, SLUICE_FIELD, "acks[1].result", LOADER_ACK,
             "{acks: [{id: %lld, result: done}, {id: 1, result: perhaps}]}", (long long)id);
    s_refuse(s, SLUICE_FIELD, "acks[1].id", LOADER_ACK,
             "{acks: [{id: %lld, result: done}, {result: done}]}", (long long)id);
    s_refuse(s, SLUICE_FIELD, "acks[0].!new", LOADER_ACK,
             "{acks: [{id: %lld, result: done, '!new': 1}]}", (long long)id);
    s_ack(s, id, "done");
    s_want(s, "{unknown: 0}");
}

static void gone_drops(struct story *s)
{
    int64_t id = s_wake(s);

    s_ack(s, id, "gone");
    s_want(s, "{unknown: 0, pending: 0}");
    s_refuse(s, SLUICE_FIELD, "uid", LOADER_INSPECT, "{what: pod, uid: p}");
}

static int64_t backoff(int64_t id, int failures)
{
    int64_t ms = 100;

    for (int i = 0; i < failures && ms < 60000; i++)
        ms *= 2;
    ms = ms > 60000 ? 60000 : ms;
    return 1000000 * (ms - ms / 4 + (int64_t)((uint64_t)id * 7919 % 1000) * ms / 4000);
}

/* The jitter is the effect's own: an attempt after this one waits as long, whoever asks. */
static void retried(struct story *s, const char *result)
{
    int64_t id = s_wake(s);

    for (int attempt = 1; attempt <= 13; attempt++) {
        int64_t due = s->now + backoff(id, attempt - 1);

        s_ack(s, id, result);
        s_want(s, "{unknown: 0, pending: 0, next: %lld}", (long long)due);
        s_ask(s, LOADER_INSPECT, "{what: effects}");
        s_want(s, "{effects: [{id: %lld, attempt: %d, leased: false, due: %lld}]}", (long long)id,
               attempt + 1, (long long)due);
        s_tick(s, due - 1);
        s_want(s, "{pending: 0}");
        s_drain(s);
        s_want(s, "{effects: []}");
        s_tick(s, s->now = due);
        s_want(s, "{pending: 1}");
        s_drain(s);
        s_want(s, "{effects: [{id: %lld, attempt: %d}]}", (long long)id, attempt + 1);
    }
}

static void retry_backs_off(struct story *s)
{
    retried(s, "retry");
}

static void conflict_backs_off(struct story *s)
{
    retried(s, "conflict");
}

const struct promise promises_of_acks[] = {
    {"an ack after the lease ended is unknown", late_ack_is_unknown},
    {"an ack counts once, and `unknown` counts the others", acked_once},
    {"1,024 acks are taken at once, 1,025 are refused", acks_have_a_most},
    {"all acks are read before the first one counts", acks_are_read_first},
    {"`gone` drops the object", gone_drops},
    {"`retry` comes again after the backoff, with the jitter of its id", retry_backs_off},
    {"`conflict` comes again after the backoff at the latest", conflict_backs_off},
    {0},
};
