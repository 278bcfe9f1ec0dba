/* SPDX-License-Identifier: Apache-2.0 */
#include "workload_refusal.h"

#include "plugin/base/placement.h"
#include "plugin/base/sentence.h"
#include "plugin/claims/pledge.h"
#include "plugin/order/fit.h"
#include "plugin/order/headroom.h"
#include "plugin/queues/admission_check.h"
#include "plugin/records/workload.h"
#include "plugin/state.h"
#include "wait_notice.h"
#include "workload_settle.h"

/* So many of a demand are looked at when its verdict changes; of more the sweep looks at all. */
enum { NOTE_AT_ONCE = 8 };

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
    const struct assign_set *ask = &asked->demand->asks[set];

    for (uint32_t i = 0; i < ask->need_count; i++) {
        if (ask->needs[i].resource == resource)
            return (wide)ask->needs[i].amount * ask->count;
    }
    return 0;
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
    return queue_group_of(queue_of(asked), asked->demand->asks[asked->set].needs[need].resource);
}

static bool is_undeclared(const struct asked *asked, uint32_t need)
{
    const struct assign_set *ask = &asked->demand->asks[asked->set];
    const struct request *request = &ask->needs[need];

    return group_of(asked, need) == NULL && request->amount > 0 && ask->count > 0 &&
           !fit_counts_nowhere(asked->e, request->resource);
}

static bool asks_of(const struct asked *asked, const struct queue_group *group)
{
    for (uint32_t i = 0; i < asked->demand->asks[asked->set].need_count; i++) {
        if (group_of(asked, i) == group)
            return true;
    }
    return false;
}

void workload_refusal_note(struct engine *e, uint32_t id, enum workload_refusal why)
{
    struct demand *demand = demand_at(e, id);
    uint32_t workloads[NOTE_AT_ONCE], count = 0;

    if (demand->refusal == (uint8_t)why)
        return;
    demand->refusal = (uint8_t)why;
    if (tree_size(&workloads_by_rank, e, demand->waiting) > NOTE_AT_ONCE) {
        workloads_look_again(e);
        return;
    }
    for (uint32_t at = demand->head; at != 0; at = tree_next(&workloads_by_rank, e, at))
        workloads[count++] = at;
    for (uint32_t i = 0; i < count; i++)
        workload_settle(e, workloads[i]);
}

/* What keeps it from being asked at all, whatever state it is in. */
static enum workload_refusal obstacle(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    const struct local_queue *local = local_queue_at(e, workload->local_queue);
    enum life_stop stop = cluster_queue_stop(e, claim_queue(e, id));

    if (workload->unsupported != 0 && !workload_is(workload, WORKLOAD_GATED_BY))
        return WORKLOAD_REFUSAL_UNSUPPORTED;
    if (!local->known)
        return WORKLOAD_REFUSAL_NO_LOCAL;
    if (local->stop != LIFE_RUNS)
        return WORKLOAD_REFUSAL_LOCAL_STOPPED;
    if (stop != LIFE_RUNS)
        return stop == LIFE_MISSING ? WORKLOAD_REFUSAL_NO_CLUSTER : WORKLOAD_REFUSAL_INACTIVE;
    return workload_is(workload, WORKLOAD_GATED_BY) ? WORKLOAD_REFUSAL_GATED_BY
                                                    : WORKLOAD_REFUSAL_NONE;
}

/* Why it is not even asked. */
static enum workload_refusal of_queues(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    enum workload_refusal why = obstacle(e, id);
    struct text what;

    if (!workload_is(workload, WORKLOAD_ACTIVE) || workload->on_hold != LIFE_NONE)
        return WORKLOAD_REFUSAL_NONE;
    if (why != WORKLOAD_REFUSAL_NONE)
        return why;
    if (claim_at(e, id)->state == CLAIM_HELD)
        return local_queue_at(e, workload->local_queue)->selected ? WORKLOAD_REFUSAL_NONE
                                                                  : WORKLOAD_REFUSAL_NAMESPACE;
    return cluster_queue_fault(e, claim_queue(e, id), &what) == CLUSTER_QUEUE_READY
               ? WORKLOAD_REFUSAL_NONE
               : WORKLOAD_REFUSAL_INACTIVE;
}

/* What is to be said of it now. */
static enum workload_refusal refusal_of(const struct engine *e, uint32_t id)
{
    const struct workload *workload = workload_at(e, id);
    const struct demand *demand = demand_at(e, workload->demand);
    enum workload_refusal why;

    if (!e->config.waiting_reasons || !e->synced || !e->leads ||
        !workload_is(workload, WORKLOAD_PLACED) || workload_holds(e, id))
        return WORKLOAD_REFUSAL_NONE;
    if (claim_is_promised(claim_at(e, id)))
        return WORKLOAD_REFUSAL_VICTIMS;
    why = of_queues(e, id);
    if (why != WORKLOAD_REFUSAL_NONE || claim_at(e, id)->state != CLAIM_WAITING ||
        cluster_queue_stop(e, claim_queue(e, id)) != LIFE_RUNS)
        return why;
    return demand->refusal == WORKLOAD_REFUSAL_GATED ? WORKLOAD_REFUSAL_NONE
                                                     : (enum workload_refusal)demand->refusal;
}

static enum life_reason reason_of(enum workload_refusal why)
{
    if (why == WORKLOAD_REFUSAL_GATED_BY)
        return LIFE_ADMISSION_GATED;
    return why >= WORKLOAD_REFUSAL_UNSUPPORTED ? LIFE_INADMISSIBLE : LIFE_PENDING;
}

enum life_reason workload_refusal_reason(const struct engine *e, uint32_t id)
{
    return reason_of(refusal_of(e, id));
}

bool workload_refusal_wants(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);
    enum workload_refusal why = refusal_of(e, id);

    if (why != WORKLOAD_REFUSAL_NONE && workload->said == WORKLOAD_REFUSAL_UNKNOWN &&
        workload->pending_why == (uint8_t)reason_of(why))
        workload->said = (uint8_t)why;
    if (why == WORKLOAD_REFUSAL_QUOTA && workload->said == WORKLOAD_REFUSAL_NONE)
        return wait_notice_ask(e, id);
    wait_notice_drop(e, id);
    return why != WORKLOAD_REFUSAL_NONE && workload->said != (uint8_t)why;
}

/* What a write says that has another reason than Pending. */
static enum workload_refusal inadmissible(const struct engine *e, uint32_t id)
{
    enum workload_refusal why = obstacle(e, id);

    return why == WORKLOAD_REFUSAL_NONE ? refusal_of(e, id) : why;
}

void workload_refusal_writes(struct engine *e, uint32_t id)
{
    struct workload *workload = workload_at(e, id);

    switch (workload->writes) {
    case LIFE_WRITE_PENDING:
        workload->saying = workload->step.reason == LIFE_PENDING ? (uint8_t)refusal_of(e, id)
                                                                 : (uint8_t)inadmissible(e, id);
        break;
    case LIFE_WRITE_UNRESERVE:
        workload->saying = (uint8_t)inadmissible(e, id);
        break;
    case WORKLOAD_WRITE_SIGNAL:
        workload->saying = WORKLOAD_REFUSAL_GATED;
        break;
    case LIFE_WRITE_END_EVICTION:
        workload->saying = WORKLOAD_REFUSAL_NONE;
        break;
    default:
        workload->saying = workload->said;
    }
}

void workload_refusal_written(struct engine *e, uint32_t id)
{
    workload_at(e, id)->said = workload_at(e, id)->saying;
}

void workload_refusal_seen(struct engine *e, uint32_t id, bool fresh)
{
    struct workload *workload = workload_at(e, id);

    if (workload->pending_why == LIFE_NONE)
        workload->said = WORKLOAD_REFUSAL_NONE;
    else if (fresh) /* of who is evicted only that is said */
        workload->said = workload_is(workload, WORKLOAD_EVICTED) ? WORKLOAD_REFUSAL_NONE
                                                                 : WORKLOAD_REFUSAL_UNKNOWN;
    else if (workload->said != WORKLOAD_REFUSAL_UNKNOWN &&
             workload->pending_why != (uint8_t)reason_of((enum workload_refusal)workload->said))
        workload->said = WORKLOAD_REFUSAL_NONE; /* somebody else says something else */
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
    if (placement_judge(&asked->demand->sets[asked->set].placement, &facts, &facts.taints,
                        &taint) != PLACEMENT_TAINTED) {
        sentence_str(words->say, "flavor ");
        sentence_text(words->say, facts.name);
        sentence_str(words->say, " doesn't match node affinity");
        return;
    }
    sentence_str(words->say, "untolerated taint {");
    sentence_text(words->say, facts.taints.item[taint].key);
    sentence_str(words->say, " ");
    sentence_text(words->say, facts.taints.item[taint].value);
    sentence_str(words->say, " ");
    sentence_text(words->say, facts.taints.item[taint].effect);
    sentence_str(words->say, " <nil>} in flavor ");
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
    sentence_str(words->say, before + asks > ever ? "insufficient quota for "
                                                  : "insufficient unused quota for ");
    sentence_text(words->say, name);
    sentence_str(words->say, " in flavor ");
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
    const struct assign_set *ask = &asked->demand->asks[asked->set];

    for (uint32_t i = 0; i < ask->need_count; i++) {
        if (!is_undeclared(asked, i))
            continue;
        next_word(words);
        sentence_str(words->say, "resource ");
        sentence_text(words->say, name_text(asked->e, ask->needs[i].resource));
        sentence_str(words->say, " unavailable in ClusterQueue");
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
        sentence_str(say, "couldn't assign flavors to pod set ");
        sentence_text(say, asked.demand->sets[asked.set].name);
        sentence_str(say, ": ");
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
    uint32_t pods = pledge_count_pods(e, id), workloads = pledge_count_victims(e, id) - pods;

    sentence_count(say, ". Pending the preemption of ", workloads, " workload(s)");
    sentence_count(say, workloads > 0 ? " and " : ". Pending the preemption of ", pods, " pod(s)");
}

static void say_queue(struct sentence *say, const char *kind, struct text name, const char *what)
{
    sentence_str(say, kind);
    sentence_text(say, name);
    sentence_str(say, what);
}

void workload_refusal_say(const struct engine *e, uint32_t id, struct sentence *say)
{
    const struct workload *workload = workload_at(e, id);
    uint32_t queue = claim_queue(e, id);
    struct text cluster = queue == 0 ? text_of("") : name_text(e, queue_at(e, queue)->name);
    struct text local = name_text(e, local_queue_at(e, workload->local_queue)->name);

    switch (workload->step.reason == LIFE_PENDING ? refusal_of(e, id) : inadmissible(e, id)) {
    case WORKLOAD_REFUSAL_UNSUPPORTED:
    case WORKLOAD_REFUSAL_GATED_BY:
        sentence_phrase(say, name_text(e, workload->unsupported));
        break;
    case WORKLOAD_REFUSAL_NO_LOCAL:
        say_queue(say, "LocalQueue ", local, " doesn't exist");
        break;
    case WORKLOAD_REFUSAL_NO_CLUSTER:
        say_queue(say, "ClusterQueue ", cluster, " doesn't exist");
        break;
    case WORKLOAD_REFUSAL_LOCAL_STOPPED:
        say_queue(say, "LocalQueue ", local, " is inactive");
        break;
    case WORKLOAD_REFUSAL_INACTIVE:
        say_queue(say, "ClusterQueue ", cluster, " is inactive");
        break;
    case WORKLOAD_REFUSAL_NAMESPACE:
        sentence_str(say, "workload namespace doesn't match ClusterQueue selector");
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
