/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/workload_life.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

#include <stdio.h>

static const struct workload_life pending = {
    .active = true, .checks_listed = true, .checks_ready = true, .job_stopped = true};

static const char *const writes[] = {
    "",       "gates", "end",      "requeueAt", "clearBackoff", "clearRequeue", "deactivate",
    "target", "evict", "requeued", "checks",    "unreserve",    "pending",      "admit",
};

/* The next write and its reason, as text. */
static const char *next(const struct workload_life *life, int64_t now)
{
    static char text[80];
    int64_t wake;
    struct life_step step = workload_life_step(life, now, &wake);

    snprintf(text, sizeof(text), "%s%s%s%s", writes[step.write],
             step.reason == LIFE_NONE ? "" : " ", life_reason_name(step.reason),
             step.requeued ? " again" : "");
    return text;
}

static enum claim_state state_of(const struct workload_life *life, int64_t now)
{
    bool finished;

    return workload_life_state(life, now, &finished);
}

/* What the host makes of the object when it carries out a write: naively, field by field. */
static void apply(struct workload_life *life, struct life_step step)
{
    switch (step.write) {
    case LIFE_WRITE_NOTHING:
        break;
    case LIFE_WRITE_GATES:
        life->gates_want_status = false;
        break;
    case LIFE_WRITE_END_EVICTION:
        life->on_hold = step.requeued ? LIFE_NONE : step.reason;
        life->reserved = life->admitted = false;
        break;
    case LIFE_WRITE_REQUEUE_AT:
        life->requeue_at = step.at;
        life->has_requeue_state = true;
        break;
    case LIFE_WRITE_CLEAR_BACKOFF:
        life->requeue_at = 0;
        break;
    case LIFE_WRITE_CLEAR_REQUEUE:
        life->requeue_at = 0;
        life->has_requeue_state = life->deactivation_target = false;
        break;
    case LIFE_WRITE_DEACTIVATE:
        life->active = false;
        break;
    case LIFE_WRITE_TARGET:
        life->deactivation_target = true;
        break;
    case LIFE_WRITE_EVICT:
        life->evicted = true;
        life->evicted_why = step.reason;
        life->gates_want_status = life->deactivation_target = false;
        life->retry = life->rejected = false;
        life->retry_at = 0;
        life->checks_ready = false;
        if (step.reason == LIFE_DEACTIVATED) {
            life->requeue_at = 0;
            life->has_requeue_state = false;
        }
        break;
    case LIFE_WRITE_REQUEUED:
        life->on_hold = LIFE_NONE;
        life->requeue_at = 0;
        break;
    case LIFE_WRITE_CHECKS:
        life->checks_listed = true;
        break;
    case LIFE_WRITE_UNRESERVE:
        life->reserved = false;
        life->pending_why = step.reason;
        break;
    case LIFE_WRITE_PENDING:
        life->pending_why = step.reason;
        break;
    case LIFE_WRITE_ADMIT:
        life->admitted = true;
        break;
    }
}

/* Writes until there is nothing more to write; how many, or -1 if it never ends. */
static int settle(struct workload_life *life, int64_t now)
{
    for (int n = 0; n < 20; n++) {
        int64_t wake;
        struct life_step step = workload_life_step(life, now, &wake);

        if (step.write == LIFE_WRITE_NOTHING)
            return n;
        apply(life, step);
    }
    return -1;
}

static void test_admission(void)
{
    struct workload_life life = pending;

    is_str(next(&life, 1), "", "a pending workload waits for its queue alone");
    is_int(state_of(&life, 1), CLAIM_WAITING, "which it is in");
    life.gates_want_status = true;
    is_str(next(&life, 1), "gates", "its gates get their positions first");
    life = pending;
    life.checks_listed = life.checks_ready = false;
    is_str(next(&life, 1), "checks", "the checks that its queue wants are listed");
    life.checks_listed = true;
    life.reserved = true;
    is_str(next(&life, 1), "", "with its quota it waits for them");
    is_int(state_of(&life, 1), CLAIM_RESERVED, "reserved");
    life.checks_ready = true;
    is_str(next(&life, 1), "admit", "and is admitted when they are ready");
    life.admitted = true;
    is_str(next(&life, 1), "", "then there is nothing to write");
    is_int(state_of(&life, 1), CLAIM_ALLOCATED, "allocated");
    life.finished = true;
    life.active = false;
    is_str(next(&life, 1), "", "nor when it is finished");
}

static void test_eviction(void)
{
    struct workload_life life = pending;

    life.reserved = life.admitted = life.evicted = true;
    life.evicted_why = LIFE_PREEMPTED;
    life.job_stopped = false;
    is_str(next(&life, 1), "", "an evicted workload stops first");
    is_int(state_of(&life, 1), CLAIM_ALLOCATED, "and holds its quota until then");
    life.job_stopped = true;
    is_str(next(&life, 1), "end Preempted again", "preempted it is in its queue again at once");
    settle(&life, 1);
    is_int(state_of(&life, 1), CLAIM_WAITING, "where it waits");
    is_str(next(&life, 1), "", "though it says that it was evicted");
}

static void test_active(void)
{
    struct workload_life life = pending;

    life.reserved = life.admitted = true;
    life.active = life.job_stopped = false;
    life.has_requeue_state = true;
    is_str(next(&life, 1), "evict Deactivated", "who is not active is evicted");
    is_int(settle(&life, 1), 1, "in one write");
    life.job_stopped = true;
    is_str(next(&life, 1), "end Deactivated", "and does not come back by itself");
    settle(&life, 1);
    is_int(state_of(&life, 1), CLAIM_HELD, "but is held");
    life.active = true;
    is_str(next(&life, 1), "requeued Reactivated", "until somebody activates it");
    settle(&life, 1);
    is_int(state_of(&life, 1), CLAIM_WAITING, "then it waits again");
    life = pending;
    life.active = false;
    is_int(settle(&life, 1), 1, "who never had quota is evicted, too");
    life.deactivation_target = life.has_requeue_state = true;
    is_str(next(&life, 1), "clearRequeue", "what would deactivate it again goes");
    is_int(settle(&life, 1), 1, "and what is left of a backoff");
}

static void test_checks(void)
{
    struct workload_life life = pending;
    int64_t wake;

    life.reserved = true;
    life.checks_ready = false;
    life.retry = true;
    life.retry_at = 100;
    is_str(next(&life, 10), "requeueAt", "a check that wants to be asked later says when");
    workload_life_step(&life, 10, &wake);
    is_int(wake, 100, "which is of no use any more when it is over");
    apply(&life, workload_life_step(&life, 10, &wake));
    is_str(next(&life, 10), "evict AdmissionCheck", "and its workload gives back until then");
    is_int(settle(&life, 10), 2, "as it runs nothing yet, at once");
    is_int(state_of(&life, 99), CLAIM_HELD, "it waits for the time");
    workload_life_step(&life, 99, &wake);
    is_int(wake, 100, "of which it is known when it is over");
    life.gates_want_status = true;
    workload_life_step(&life, 99, &wake);
    is_int(wake, 100, "also while something else is to be written first");
    life.gates_want_status = false;
    life.retry = true;
    life.retry_at = 200;
    workload_life_step(&life, 99, &wake);
    is_int(wake, 100, "or another time");
    life.retry = false;
    is_str(next(&life, 100), "requeued BackoffFinished", "then it comes back");
    settle(&life, 100);
    is_int(state_of(&life, 100), CLAIM_WAITING, "into its queue");

    life.reserved = true;
    life.evicted = false;
    life.rejected = true;
    is_str(next(&life, 100), "target AdmissionCheck", "a check that is rejected");
    life.deactivation_target = true;
    is_str(next(&life, 100), "deactivate", "deactivates its workload");
    is_int(settle(&life, 100), 3, "which is evicted and gives back");
    ok(!life.active && !life.reserved && !life.deactivation_target, "for good");
}

static void test_queues(void)
{
    static const struct {
        enum life_stop local, cluster;
        bool reserved, admitted;
        const char *write;
    } cases[] = {
        {LIFE_HOLDS, LIFE_RUNS, false, false, "pending Inadmissible"},
        {LIFE_RUNS, LIFE_HOLDS, false, false, "pending Inadmissible"},
        {LIFE_MISSING, LIFE_RUNS, false, false, "pending Inadmissible"},
        {LIFE_RUNS, LIFE_MISSING, false, false, "pending Inadmissible"},
        {LIFE_HOLDS, LIFE_RUNS, true, false, "unreserve Inadmissible"},
        {LIFE_RUNS, LIFE_DRAINS, true, false, "unreserve Inadmissible"},
        {LIFE_MISSING, LIFE_RUNS, true, false, "unreserve Inadmissible"},
        {LIFE_HOLDS, LIFE_HOLDS, true, true, ""},
        {LIFE_MISSING, LIFE_MISSING, true, true, ""},
        {LIFE_DRAINS, LIFE_RUNS, true, true, "evict LocalQueueStopped"},
        {LIFE_RUNS, LIFE_DRAINS, true, true, "evict ClusterQueueStopped"},
    };
    struct workload_life life;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        life = pending;
        life.local_queue = cases[i].local;
        life.cluster_queue = cases[i].cluster;
        life.reserved = cases[i].reserved;
        life.admitted = cases[i].admitted;
        is_str(next(&life, 1), cases[i].write, "queues %d and %d, %s", (int)cases[i].local,
               (int)cases[i].cluster,
               cases[i].admitted   ? "admitted"
               : cases[i].reserved ? "reserved"
                                   : "pending");
        settle(&life, 1);
        is_str(next(&life, 1), "", "and nothing is written twice");
    }
    life = pending;
    life.reserved = life.admitted = true;
    life.local_queue = LIFE_DRAINS;
    settle(&life, 1);
    is_int(state_of(&life, 1), CLAIM_HELD, "what was drained is held");
    life.local_queue = LIFE_RUNS;
    is_str(next(&life, 1), "requeued LocalQueueRestarted", "until its queue runs again");
    life.on_hold = LIFE_CLUSTER_QUEUE_STOPPED;
    is_str(next(&life, 1), "requeued ClusterQueueRestarted", "either of its queues");
    life.cluster_queue = LIFE_HOLDS;
    is_str(next(&life, 1), "", "and not before");
}

static void test_words(void)
{
    bool same = true;

    for (int i = LIFE_OTHER + 1; i < LIFE_REASONS; i++) {
        enum life_reason reason = (enum life_reason)i;

        same = same && life_reason_of(text_of(life_reason_name(reason))) == reason;
    }
    ok(same, "every word is read as it is written");
    is_int(life_reason_of(text_of("")), LIFE_NONE, "no word is no reason");
    is_int(life_reason_of(text_of("PodsReadyTimeout")), LIFE_OTHER, "there are others");
    is_int(life_reason_of(text_of("DeactivatedDueToRequeuingLimitExceeded")), LIFE_DEACTIVATED,
           "and causes behind them");
}

static void test_deleted(void)
{
    struct workload_life life = pending;
    bool finished;

    life.deleted = true;
    life.active = false;
    is_str(next(&life, 1), "", "nothing is written into what goes");
    workload_life_state(&life, 1, &finished);
    ok(finished, "and it waits for nothing");
    life.reserved = true;
    is_int(workload_life_state(&life, 1, &finished), CLAIM_RESERVED, "but holds what it holds");
    ok(!finished, "until it is gone");
}

static bool one_in(unsigned long long *seed, unsigned n)
{
    return test_random(seed) % n == 0;
}

static struct workload_life some_life(unsigned long long *seed)
{
    struct workload_life life = {
        .active = !one_in(seed, 4),
        .finished = one_in(seed, 20),
        .reserved = one_in(seed, 2),
        .evicted = one_in(seed, 3),
        .deactivation_target = one_in(seed, 6),
        .on_hold = one_in(seed, 3) ? (enum life_reason)(test_random(seed) % LIFE_REACTIVATED) : 0,
        .requeue_at = one_in(seed, 3) ? (int)(test_random(seed) % 20) : 0,
        .checks_listed = !one_in(seed, 4),
        .checks_ready = one_in(seed, 2),
        .gates_want_status = one_in(seed, 4),
        .job_stopped = one_in(seed, 2),
        .local_queue = one_in(seed, 2) ? (enum life_stop)(test_random(seed) % 4) : LIFE_RUNS,
        .cluster_queue = one_in(seed, 2) ? (enum life_stop)(test_random(seed) % 4) : LIFE_RUNS};

    life.admitted = life.reserved && one_in(seed, 2);
    life.evicted_why = life.evicted ? LIFE_DEACTIVATED + test_random(seed) % 5 : LIFE_NONE;
    life.has_requeue_state = life.requeue_at != 0 || one_in(seed, 4);
    life.retry = !life.checks_ready && one_in(seed, 3);
    life.retry_at = life.retry && one_in(seed, 2) ? (int)(test_random(seed) % 20) : 0;
    life.rejected = !life.checks_ready && one_in(seed, 5);
    return life;
}

/* What is wrong with a workload at rest; NULL: nothing. */
static const char *wrong_at_rest(const struct workload_life *life, int64_t now, int64_t wake)
{
    bool gone;
    enum claim_state state = workload_life_state(life, now, &gone);

    if (life->finished)
        return NULL;
    if (!life->active && life->reserved && life->job_stopped)
        return "an inactive workload holds quota";
    if (life->evicted && life->reserved && life->job_stopped)
        return "an eviction does not end";
    if (life->reserved && !life->evicted && life->rejected)
        return "a check is rejected, and nothing comes of it";
    if (life->reserved && !life->evicted && !life->admitted && life->checks_ready)
        return "all checks are ready, and it is not admitted";
    if (state == CLAIM_ALLOCATED && !life->evicted &&
        (life->local_queue == LIFE_DRAINS || life->cluster_queue == LIFE_DRAINS))
        return "it runs in a queue that is drained";
    if (state == CLAIM_RESERVED && !life->evicted && life->cluster_queue != LIFE_RUNS)
        return "a reservation in a queue that is stopped";
    /* Words that nobody here writes are for others to take back. */
    if (state == CLAIM_HELD && life->active && life->local_queue == LIFE_RUNS &&
        life->cluster_queue == LIFE_RUNS && life->on_hold != LIFE_OTHER &&
        life->on_hold != LIFE_PREEMPTED && wake == 0)
        return "it is held by nothing";
    return NULL;
}

static void test_rest(void)
{
    unsigned long long seed = 11;
    int endless = 0, wrong = 0, longest = 0;

    for (int round = 0; round < 200000; round++) {
        struct workload_life life = some_life(&seed);
        int64_t now = (int)(test_random(&seed) % 20), wake;
        int steps = settle(&life, now);
        const char *what;

        if (steps < 0 && endless++ == 0)
            tap_diag("round %d never comes to rest", round);
        longest = steps > longest ? steps : longest;
        workload_life_step(&life, now, &wake);
        what = wrong_at_rest(&life, now, wake);
        if (steps >= 0 && what != NULL && wrong++ == 0)
            tap_diag("round %d: %s", round, what);
        wrong += wake != 0 && wake <= now;
    }
    is_int(endless, 0, "200,000 workloads in any state come to rest, in %d writes at most",
           longest);
    is_int(wrong, 0, "where each is where it belongs");
}

int main(void)
{
    test_admission();
    test_eviction();
    test_active();
    test_checks();
    test_queues();
    test_words();
    test_deleted();
    test_rest();
    return tap_done();
}
