/* SPDX-License-Identifier: Apache-2.0 */
#include "explain_workload.h"

#include "explain_queue.h"
#include "plugin/base/placement.h"
#include "plugin/base/sentence.h"
#include "plugin/claims/pledge.h"
#include "plugin/order/fit.h"
#include "plugin/order/headroom.h"
#include "plugin/queues/admission_check.h"
#include "plugin/state.h"
#include "plugin/workloads/workload_refusal.h"

/* What one pod set asks for, beside those before it. */
struct asked {
    const struct engine *e;
    const struct demand *demand;
    uint32_t set;
};

static const struct queue *queue_of(const struct asked *asked)
{
    return queue_at(asked->e, asked->demand->queue);
}

static wide amount_of(const struct asked *asked, uint32_t set, uint32_t resource)
{
    const struct assign_set *ask = &asked->demand->sets[set];

    return (wide)assign_set_asks(ask, resource) * ask->count;
}

/* Earlier pod sets are supposed to be in the same flavor. */
static wide amount_before(const struct asked *asked, uint32_t resource)
{
    wide sum = 0;

    for (uint32_t s = 0; s < asked->set; s++)
        sum += amount_of(asked, s, resource);
    return sum;
}

static const struct queue_group *group_of(const struct asked *asked, uint32_t need)
{
    return queue_group_of(queue_of(asked), asked->demand->sets[asked->set].needs[need].resource);
}

static bool is_undeclared(const struct asked *asked, uint32_t need)
{
    const struct assign_set *ask = &asked->demand->sets[asked->set];
    const struct request *request = &ask->needs[need];

    return group_of(asked, need) == NULL && request->amount > 0 && ask->count > 0 &&
           !fit_counts_nowhere(asked->e, request->resource);
}

static bool asks_of(const struct asked *asked, const struct queue_group *group)
{
    for (uint32_t i = 0; i < asked->demand->sets[asked->set].need_count; i++) {
        if (group_of(asked, i) == group)
            return true;
    }
    return false;
}

/* The words of one pod set. */
struct words {
    struct sentence *say;
    bool begun;
};

static void next_word(struct words *words)
{
    sentence_str(words->say, words->begun ? ", " : "");
    words->begun = true;
}

static void say_elsewhere(struct words *words, const struct asked *asked, uint16_t flavor)
{
    struct flavor_facts facts;
    uint32_t taint = 0;

    engine_flavor(asked->e, flavor, &facts);
    next_word(words);
    if (placement_judge(&asked->demand->set_details[asked->set].placement, &facts, &facts.taints,
                        &taint) != PLACEMENT_TAINTED) {
        sentence_named(words->say, "flavor ", facts.name, " doesn't match node affinity");
        return;
    }
    sentence_named(words->say, "untolerated taint {", facts.taints.item[taint].key, " ");
    sentence_text(words->say, facts.taints.item[taint].value);
    sentence_named(words->say, " ", facts.taints.item[taint].effect, " <nil>} in flavor ");
    sentence_text(words->say, facts.name);
}

static void say_need(struct words *words, const struct asked *asked, uint16_t flavor,
                     uint32_t resource)
{
    const struct engine *e = asked->e;
    wide before = amount_before(asked, resource);
    wide asks = amount_of(asked, asked->set, resource);
    wide ever = headroom_ever(e, asked->demand->queue, flavor, resource);
    wide room = headroom_now(e, asked->demand->queue, flavor, resource);
    struct text name = name_text(e, resource);

    if (headroom_holds(room, before + asks))
        return;
    next_word(words);
    sentence_named(words->say,
                   before + asks > ever ? "insufficient quota for "
                                        : "insufficient unused quota for ",
                   name, " in flavor ");
    sentence_text(words->say, flavor_name(e, flavor));
    if (before + asks <= ever) {
        sentence_str(words->say, ", ");
        sentence_amount(words->say, name, before + asks - room);
        sentence_str(words->say, " more needed");
        return;
    }
    sentence_str(words->say, ", previously considered podsets requests (");
    sentence_amount(words->say, name, before);
    sentence_str(words->say, ") + current podset request (");
    sentence_amount(words->say, name, asks);
    sentence_str(words->say, ") > maximum capacity (");
    sentence_amount(words->say, name, wide_max(0, ever));
    sentence_str(words->say, ")");
}

static void say_set(struct words *words, const struct asked *asked)
{
    const struct assign_set *ask = &asked->demand->sets[asked->set];

    for (uint32_t i = 0; i < ask->need_count; i++) {
        if (!is_undeclared(asked, i))
            continue;
        next_word(words);
        sentence_named(words->say, "resource ", name_text(asked->e, ask->needs[i].resource),
                       " unavailable in ClusterQueue");
        return;
    }
    for (uint32_t g = 0; g < queue_of(asked)->group_count; g++) {
        const struct queue_group *group = &queue_of(asked)->groups[g];

        for (uint32_t k = 0; k < group->flavor_count && asks_of(asked, group); k++) {
            if ((ask->refused[g] >> k & 1) != 0)
                say_elsewhere(words, asked, group->flavors[k]);
            for (uint32_t i = 0; i < ask->need_count && (ask->refused[g] >> k & 1) == 0; i++) {
                if (group_of(asked, i) == group)
                    say_need(words, asked, group->flavors[k], ask->needs[i].resource);
            }
        }
    }
}

static void say_lack(const struct engine *e, uint32_t id, struct sentence *say)
{
    struct asked asked = {.e = e, .demand = demand_at(e, workload_at(e, id)->demand)};
    bool begun = false;

    for (; asked.set < asked.demand->set_count; asked.set++) {
        struct sentence before = *say;
        struct words words = {.say = say};

        sentence_str(say, begun ? "; " : "");
        sentence_named(say, "couldn't assign flavors to pod set ",
                       asked.demand->set_details[asked.set].name, ": ");
        say_set(&words, &asked);
        begun = begun || words.begun;
        if (words.begun)
            continue;
        *say = before;
        say->out[say->len] = '\0';
    }
}

/* Where nobody goes for it alone, it waits for room that is on its way anyhow. */
static void say_victims(const struct engine *e, uint32_t id, struct sentence *say)
{
    uint32_t pods = pledge_count_victims(e, id, false),
             workloads = pledge_count_victims(e, id, true);

    sentence_count(say, ". Pending the preemption of ", workloads, " workload(s)");
    sentence_count(say, workloads > 0 ? " and " : ". Pending the preemption of ", pods, " pod(s)");
}

void explain_workload_refusal(struct sentence *say, const struct engine *e, uint32_t id)
{
    static const char *const of_cluster[] = {
        [WORKLOAD_REFUSAL_NO_CLUSTER] = " doesn't exist",
        [WORKLOAD_REFUSAL_STOPPED] = " is inactive: it is stopped",
        [WORKLOAD_REFUSAL_CYCLE] = " is inactive: its cohorts form a cycle",
        [WORKLOAD_REFUSAL_NO_FLAVOR] = " is inactive: a flavor that it names is not there",
        [WORKLOAD_REFUSAL_NO_CHECK] = " is inactive: an admission check that it names is not there",
        [WORKLOAD_REFUSAL_CHECK_INACTIVE] =
            " is inactive: an admission check that it names is not active",
    };
    enum workload_refusal why = workload_refusal_writing(e, id);
    const struct workload *workload = workload_at(e, id);
    uint32_t queue = claim_queue(e, id);
    struct text cluster = queue == 0 ? text_of("") : name_text(e, queue_at(e, queue)->name);
    struct text local = name_text(e, local_queue_at(e, workload->local_queue)->name);

    if (of_cluster[why] != NULL) {
        sentence_named(say, "ClusterQueue ", cluster, of_cluster[why]);
        return;
    }
    switch (why) {
    case WORKLOAD_REFUSAL_UNSUPPORTED:
    case WORKLOAD_REFUSAL_GATED_BY:
        sentence_phrase(say, name_text(e, workload->unsupported));
        break;
    case WORKLOAD_REFUSAL_NO_LOCAL:
        sentence_named(say, "LocalQueue ", local, " doesn't exist");
        break;
    case WORKLOAD_REFUSAL_LOCAL_STOPPED:
        sentence_named(say, "LocalQueue ", local, " is inactive: it is stopped");
        break;
    case WORKLOAD_REFUSAL_NAMESPACE:
        sentence_str(say, "workload namespace doesn't match ClusterQueue selector: ");
        explain_not_selected(say, e, queue, claim_at(e, id)->space);
        break;
    case WORKLOAD_REFUSAL_VICTIMS:
        say_lack(e, id, say);
        say_victims(e, id, say);
        break;
    default:
        say_lack(e, id, say);
        if (say->len == 0)
            sentence_str(say, "insufficient unused quota");
    }
}

/* The first that is wrong with its ClusterQueue. */
static void say_fault(struct sentence *say, const struct engine *e, uint32_t queue)
{
    static const struct {
        const char *before, *behind;
    } words[] = {
        [CLUSTER_QUEUE_FLAVOR_MISSING] = {" names the flavor ", ", which is not there"},
        [CLUSTER_QUEUE_CHECK_MISSING] = {" names the admission check ", ", which is not there"},
        [CLUSTER_QUEUE_CHECK_INACTIVE] = {" names the admission check ", ", which is not active"},
    };
    struct text what;
    enum cluster_queue_fault fault = cluster_queue_fault(e, queue, &what);

    if (words[fault].before != NULL) {
        explain_queue(say, e, queue, words[fault].before);
        sentence_named(say, "", what, words[fault].behind);
    } else if (fault != CLUSTER_QUEUE_READY) {
        explain_halt(say, e, queue, queue_stops(e, queue));
    }
}

void explain_workload_queues(struct sentence *say, const struct engine *e, uint32_t id)
{
    uint32_t at = workload_at(e, id)->local_queue, queue = claim_queue(e, id);
    const struct local_queue *local = local_queue_at(e, at);
    struct text name = name_text(e, local->name);

    if (!local->known)
        sentence_named(say, "local queue ", name, " does not exist");
    else if (local->stop != LIFE_RUNS)
        sentence_named(say, "local queue ", name, " is stopped");
    else if (queue != 0 && !local->selected)
        explain_not_selected(say, e, queue, claim_at(e, id)->space);
    else if (queue != 0)
        say_fault(say, e, queue);
}
