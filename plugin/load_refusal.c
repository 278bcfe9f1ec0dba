/* SPDX-License-Identifier: Apache-2.0 */
#include "load_refusal.h"

#include "assign.h"
#include "fit.h"
#include "load.h"
#include "load_decide.h"
#include "load_promise.h"
#include "placement.h"
#include "room.h"
#include "say.h"
#include "state.h"

/* So many of a wish are looked at when its verdict changes; of more the sweep looks at all. */
enum { NOTE_AT_ONCE = 8 };

/* What one pod set asks for, beside those before it. */
struct asked {
    const struct engine *e;
    const struct wish *wish;
    uint32_t set;
};

static const struct queue *queue_of(const struct asked *asked)
{
    return queue_at(asked->e, asked->wish->queue);
}

static wide amount_of(const struct asked *asked, uint32_t set, uint32_t resource)
{
    const struct assign_set *ask = &asked->wish->asks[set];

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
    return queue_group_of(queue_of(asked), asked->wish->asks[asked->set].needs[need].resource);
}

static bool is_undeclared(const struct asked *asked, uint32_t need)
{
    const struct assign_set *ask = &asked->wish->asks[asked->set];
    const struct request *request = &ask->needs[need];

    return group_of(asked, need) == NULL && request->amount > 0 && ask->count > 0 &&
           !fit_counts_nowhere(asked->e, request->resource);
}

static bool asks_of(const struct asked *asked, const struct queue_group *group)
{
    for (uint32_t i = 0; i < asked->wish->asks[asked->set].need_count; i++) {
        if (group_of(asked, i) == group)
            return true;
    }
    return false;
}

void load_refusal_note(struct engine *e, uint32_t id, bool gated)
{
    struct wish *wish = wish_at(e, id);
    enum load_refusal why = LOAD_REFUSAL_GATED;
    uint32_t loads[NOTE_AT_ONCE], count = 0;

    if (!e->config.waiting_reasons)
        return;
    if (!gated)
        why = load_decide_ever(e, id) ? LOAD_REFUSAL_QUOTA : LOAD_REFUSAL_NEVER;
    if (wish->refusal == (uint8_t)why)
        return;
    wish->refusal = (uint8_t)why;
    if (tree_size(&loads_by_rank, e, wish->waiting) > NOTE_AT_ONCE) {
        bay_look_again(e);
        return;
    }
    for (uint32_t load = wish->head; load != 0; load = tree_next(&loads_by_rank, e, load))
        loads[count++] = load;
    for (uint32_t i = 0; i < count; i++)
        load_settle(e, loads[i]);
}

/* What keeps it from being asked at all, whatever state it is in. */
static enum load_refusal obstacle(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    const struct local_queue *local = local_queue_at(e, load->local_queue);
    enum life_stop stop = bay_stop(e, load_queue(e, id));

    if (load->unsupported != 0 && !load_is(load, LOAD_GATED_BY))
        return LOAD_REFUSAL_UNSUPPORTED;
    if (!local->known)
        return LOAD_REFUSAL_NO_LOCAL;
    if (local->stop != LIFE_RUNS)
        return LOAD_REFUSAL_LOCAL_STOPPED;
    if (stop != LIFE_RUNS)
        return stop == LIFE_MISSING ? LOAD_REFUSAL_NO_CLUSTER : LOAD_REFUSAL_INACTIVE;
    return load_is(load, LOAD_GATED_BY) ? LOAD_REFUSAL_GATED_BY : LOAD_REFUSAL_NONE;
}

/* Why it is not even asked. */
static enum load_refusal of_queues(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    enum load_refusal why = obstacle(e, id);
    struct text what;

    if (!load_is(load, LOAD_ACTIVE) || load->on_hold != LIFE_NONE)
        return LOAD_REFUSAL_NONE;
    if (why != LOAD_REFUSAL_NONE)
        return why;
    if (load->state == CLAIM_HELD)
        return local_queue_at(e, load->local_queue)->selected ? LOAD_REFUSAL_NONE
                                                              : LOAD_REFUSAL_NAMESPACE;
    return bay_fault(e, load_queue(e, id), &what) == BAY_READY ? LOAD_REFUSAL_NONE
                                                               : LOAD_REFUSAL_INACTIVE;
}

/* What is to be said of it now. */
static enum load_refusal refusal_of(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    const struct wish *wish = wish_at(e, load->wish);
    enum load_refusal why;

    if (!e->config.waiting_reasons || !e->synced || !e->leads || !load_is(load, LOAD_PLACED) ||
        load_holds(load))
        return LOAD_REFUSAL_NONE;
    if (load_is(load, LOAD_PROMISED))
        return LOAD_REFUSAL_VICTIMS;
    why = of_queues(e, id);
    if (why != LOAD_REFUSAL_NONE || load->state != CLAIM_WAITING ||
        bay_stop(e, load_queue(e, id)) != LIFE_RUNS)
        return why;
    return wish->refusal == LOAD_REFUSAL_GATED ? LOAD_REFUSAL_NONE
                                               : (enum load_refusal)wish->refusal;
}

static enum life_reason reason_of(enum load_refusal why)
{
    if (why == LOAD_REFUSAL_GATED_BY)
        return LIFE_ADMISSION_GATED;
    return why >= LOAD_REFUSAL_UNSUPPORTED ? LIFE_INADMISSIBLE : LIFE_PENDING;
}

enum life_reason load_refusal_reason(const struct engine *e, uint32_t id)
{
    return reason_of(refusal_of(e, id));
}

bool load_refusal_wants(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);
    enum load_refusal why = refusal_of(e, id);

    if (why != LOAD_REFUSAL_NONE && load->said == LOAD_REFUSAL_UNKNOWN &&
        load->pending_why == (uint8_t)reason_of(why))
        load->said = (uint8_t)why;
    return why != LOAD_REFUSAL_NONE && load->said != (uint8_t)why;
}

/* What a write says that has another reason than Pending. */
static enum load_refusal inadmissible(const struct engine *e, uint32_t id)
{
    enum load_refusal why = obstacle(e, id);

    return why == LOAD_REFUSAL_NONE ? refusal_of(e, id) : why;
}

void load_refusal_writes(struct engine *e, uint32_t id)
{
    struct load *load = load_at(e, id);

    switch (load->writes) {
    case LIFE_WRITE_PENDING:
        load->saying = load->step.reason == LIFE_PENDING ? (uint8_t)refusal_of(e, id)
                                                         : (uint8_t)inadmissible(e, id);
        break;
    case LIFE_WRITE_UNRESERVE:
        load->saying = (uint8_t)inadmissible(e, id);
        break;
    case LOAD_WRITE_SIGNAL:
        load->saying = LOAD_REFUSAL_GATED;
        break;
    case LIFE_WRITE_END_EVICTION:
        load->saying = LOAD_REFUSAL_NONE;
        break;
    default:
        load->saying = load->said;
    }
}

void load_refusal_written(struct engine *e, uint32_t id)
{
    load_at(e, id)->said = load_at(e, id)->saying;
}

void load_refusal_seen(struct engine *e, uint32_t id, bool fresh)
{
    struct load *load = load_at(e, id);

    if (load->pending_why == LIFE_NONE)
        load->said = LOAD_REFUSAL_NONE;
    else if (fresh) /* of who is evicted only that is said */
        load->said = load_is(load, LOAD_EVICTED) ? LOAD_REFUSAL_NONE : LOAD_REFUSAL_UNKNOWN;
    else if (load->said != LOAD_REFUSAL_UNKNOWN &&
             load->pending_why != (uint8_t)reason_of((enum load_refusal)load->said))
        load->said = LOAD_REFUSAL_NONE; /* somebody else says something else */
}

/* The words of one pod set. */
struct words {
    struct say *say;
    bool begun;
};

static void next_word(struct words *words)
{
    say_str(words->say, words->begun ? ", " : "");
    words->begun = true;
}

static void say_elsewhere(struct words *words, const struct asked *asked, uint16_t flavor)
{
    struct flavor_facts facts;
    uint32_t taint = 0;

    engine_flavor(asked->e, flavor, &facts);
    next_word(words);
    if (placement_judge(&asked->wish->sets[asked->set].placement, &facts, &facts.taints, &taint) !=
        PLACEMENT_TAINTED) {
        say_str(words->say, "flavor ");
        say_text(words->say, facts.name);
        say_str(words->say, " doesn't match node affinity");
        return;
    }
    say_str(words->say, "untolerated taint {");
    say_text(words->say, facts.taints.item[taint].key);
    say_str(words->say, " ");
    say_text(words->say, facts.taints.item[taint].value);
    say_str(words->say, " ");
    say_text(words->say, facts.taints.item[taint].effect);
    say_str(words->say, " <nil>} in flavor ");
    say_text(words->say, facts.name);
}

static void say_need(struct words *words, const struct asked *asked, uint16_t flavor,
                     uint32_t resource)
{
    const struct engine *e = asked->e;
    wide before = amount_before(asked, resource);
    wide asks = amount_of(asked, asked->set, resource);
    wide ever = room_ever(e, asked->wish->queue, flavor, resource);
    wide room = room_now(e, asked->wish->queue, flavor, resource);
    struct text name = name_text(e, resource);

    if (room_holds(room, before + asks))
        return;
    next_word(words);
    say_str(words->say,
            before + asks > ever ? "insufficient quota for " : "insufficient unused quota for ");
    say_text(words->say, name);
    say_str(words->say, " in flavor ");
    say_text(words->say, flavor_name(e, flavor));
    if (before + asks <= ever) {
        say_str(words->say, ", ");
        say_amount(words->say, name, before + asks - room);
        say_str(words->say, " more needed");
        return;
    }
    say_str(words->say, ", previously considered podsets requests (");
    say_amount(words->say, name, before);
    say_str(words->say, ") + current podset request (");
    say_amount(words->say, name, asks);
    say_str(words->say, ") > maximum capacity (");
    say_amount(words->say, name, wide_max(0, ever));
    say_str(words->say, ")");
}

static void say_set(struct words *words, const struct asked *asked)
{
    const struct assign_set *ask = &asked->wish->asks[asked->set];

    for (uint32_t i = 0; i < ask->need_count; i++) {
        if (!is_undeclared(asked, i))
            continue;
        next_word(words);
        say_str(words->say, "resource ");
        say_text(words->say, name_text(asked->e, ask->needs[i].resource));
        say_str(words->say, " unavailable in ClusterQueue");
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

static void say_lack(const struct engine *e, uint32_t id, struct say *say)
{
    struct asked asked = {.e = e, .wish = wish_at(e, load_at(e, id)->wish)};
    bool begun = false;

    for (; asked.set < asked.wish->set_count; asked.set++) {
        struct say before = *say;
        struct words words = {.say = say};

        say_str(say, begun ? "; " : "");
        say_str(say, "couldn't assign flavors to pod set ");
        say_text(say, asked.wish->sets[asked.set].name);
        say_str(say, ": ");
        say_set(&words, &asked);
        begun = begun || words.begun;
        if (words.begun)
            continue;
        *say = before;
        say->out[say->len] = '\0';
    }
}

/* Where nobody goes for it alone, it waits for room that is on its way anyhow. */
static void say_victims(const struct engine *e, uint32_t id, struct say *say)
{
    uint32_t count = load_promise_victims(e, id);

    if (count == 0)
        return;
    say_str(say, ". Pending the preemption of ");
    say_number(say, count);
    say_str(say, " workload(s)");
}

static void say_queue(struct say *say, const char *kind, struct text name, const char *what)
{
    say_str(say, kind);
    say_text(say, name);
    say_str(say, what);
}

void load_refusal_say(const struct engine *e, uint32_t id, struct say *say)
{
    const struct load *load = load_at(e, id);
    uint32_t queue = load_queue(e, id);
    struct text cluster = queue == 0 ? text_of("") : name_text(e, queue_at(e, queue)->name);
    struct text local = name_text(e, local_queue_at(e, load->local_queue)->name);

    switch (load->step.reason == LIFE_PENDING ? refusal_of(e, id) : inadmissible(e, id)) {
    case LOAD_REFUSAL_UNSUPPORTED:
    case LOAD_REFUSAL_GATED_BY:
        say_text(say, name_text(e, load->unsupported));
        break;
    case LOAD_REFUSAL_NO_LOCAL:
        say_queue(say, "LocalQueue ", local, " doesn't exist");
        break;
    case LOAD_REFUSAL_NO_CLUSTER:
        say_queue(say, "ClusterQueue ", cluster, " doesn't exist");
        break;
    case LOAD_REFUSAL_LOCAL_STOPPED:
        say_queue(say, "LocalQueue ", local, " is inactive");
        break;
    case LOAD_REFUSAL_INACTIVE:
        say_queue(say, "ClusterQueue ", cluster, " is inactive");
        break;
    case LOAD_REFUSAL_NAMESPACE:
        say_str(say, "workload namespace doesn't match ClusterQueue selector");
        break;
    case LOAD_REFUSAL_VICTIMS:
        say_lack(e, id, say);
        say_victims(e, id, say);
        break;
    default:
        say_lack(e, id, say);
        if (say->len == 0)
            say_str(say, "insufficient unused quota");
    }
}
