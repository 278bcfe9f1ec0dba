/* SPDX-License-Identifier: Apache-2.0 */
#include "t/player/ledger.h"

#include <stdio.h>
#include <string.h>

static const int64_t a_minute = INT64_C(60000000000);

void ledger_clear(struct ledger *ledger)
{
    ledger->count = ledger->seen_count = 0;
}

void ledger_name(const struct msg_reader *effect, char ret[MESSAGE_REFERENCE])
{
    char kind[24], uid[128], space[16], name[128];

    peek_text(effect, "kind", kind, sizeof(kind));
    peek_text(effect, "uid", uid, sizeof(uid));
    peek_text(effect, "namespace", space, sizeof(space));
    peek_text(effect, "name", name, sizeof(name));
    snprintf(ret, MESSAGE_REFERENCE, "%s|%s|%s|%s", kind, uid, space, name);
}

struct ledger_effect *ledger_find(struct ledger *ledger, int64_t id)
{
    for (uint32_t i = ledger->count; i-- > 0;)
        if (ledger->effects[i].id == id)
            return &ledger->effects[i];
    return NULL;
}

struct ledger_effect *ledger_named(struct ledger *ledger, const char *name)
{
    struct ledger_effect *latest = NULL;

    for (uint32_t i = 0; i < ledger->count; i++)
        if (strcmp(ledger->effects[i].name, name) == 0 &&
            (latest == NULL || ledger->effects[i].drained >= latest->drained))
            latest = &ledger->effects[i];
    return latest;
}

/* For certain. */
static bool is_leased(const struct ledger_effect *effect)
{
    return effect->under_way && !effect->may_have_ended;
}

/* Events go out beside the one effect of what they are about. */
static bool takes_turns(const char *name)
{
    return strncmp(name, "event|", 6) != 0;
}

static bool is_of_pod(const char *name)
{
    static const char *const of_pods[] = {"activate|",     "removeGates|", "setCondition|",
                                          "answerPermit|", "setGroup|",    "evictPod|"};
    bool is = false;

    for (size_t i = 0; i < sizeof(of_pods) / sizeof(of_pods[0]); i++)
        is = is || strncmp(name, of_pods[i], strlen(of_pods[i])) == 0;
    return is;
}

/* What two effects are about: the same uid, or the same names where the uid is not known yet. */
static bool same_object(const char *a, const char *b)
{
    return is_of_pod(a) && is_of_pod(b) && strcmp(strchr(a, '|'), strchr(b, '|')) == 0;
}

static void note_seen(struct ledger *ledger, const char *uid)
{
    if (ledger->seen_count < LEDGER_EFFECTS)
        snprintf(ledger->seen[ledger->seen_count++], LEDGER_UID, "|%s|", uid);
}

static void forget_seen(struct ledger *ledger, const char *uid)
{
    char key[LEDGER_UID];

    snprintf(key, sizeof(key), "|%s|", uid);
    for (uint32_t i = ledger->seen_count; i-- > 0;)
        if (strcmp(ledger->seen[i], key) == 0)
            memmove(ledger->seen[i], ledger->seen[--ledger->seen_count], LEDGER_UID);
}

/* Whether only pre_enqueue has named the pod of this effect. */
static bool is_unconfirmed(const struct ledger *ledger, const char *name)
{
    for (uint32_t i = 0; i < ledger->seen_count; i++)
        if (strstr(name, ledger->seen[i]) != NULL)
            return false;
    return is_of_pod(name);
}

static const char *find_other(const struct ledger *ledger, const struct ledger_effect *effect)
{
    for (uint32_t i = 0; i < ledger->count; i++) {
        const struct ledger_effect *other = &ledger->effects[i];

        if (other != effect && is_leased(other) && takes_turns(other->name) &&
            same_object(other->name, effect->name))
            return "two effects are under way for one pod";
    }
    return NULL;
}

const char *ledger_drained(struct ledger *ledger, const struct msg_reader *effect, int64_t now)
{
    int64_t id = peek_int(effect, "id", 0);
    uint32_t attempt = (uint32_t)peek_int(effect, "attempt", 0);
    struct ledger_effect *known = ledger_find(ledger, id);
    const char *wrong = NULL;

    if (id <= 0)
        return "an effect has no id";
    if (attempt == 0)
        return "an effect has no attempt";
    if (known != NULL && known->under_way && !known->may_have_ended)
        wrong = "an effect is given again while it is under way";
    else if (known != NULL && known->finished)
        wrong = "an effect is given again under the id of one that was done";
    else if (known != NULL && !known->doubtful && attempt != known->attempt + 1 &&
             known->attempt < UINT8_MAX)
        wrong = "an effect that comes again counts its attempts";
    else if (known == NULL && attempt != 1)
        wrong = "an effect that comes for the first time is its first attempt";
    if (known == NULL) {
        if (ledger->count == LEDGER_EFFECTS)
            return NULL;
        known = &ledger->effects[ledger->count++];
    }
    *known = (struct ledger_effect){.id = id, .drained = now, .attempt = attempt};
    known->under_way = true;
    ledger_name(effect, known->name);
    if (wrong == NULL && takes_turns(known->name))
        wrong = find_other(ledger, known);
    return wrong;
}

const char *ledger_acked(struct ledger *ledger, int64_t id, bool finished, bool known)
{
    struct ledger_effect *effect = ledger_find(ledger, id);
    bool was_under_way = ledger_is_under_way(ledger, id);

    if (known && !was_under_way)
        return effect == NULL ? "an ack of an id that was never given counts"
                              : "an ack counts that came before";
    if (effect == NULL)
        return NULL;
    effect->under_way = false;
    effect->finished = effect->finished || (known && finished);
    return NULL;
}

bool ledger_is_under_way(struct ledger *ledger, int64_t id)
{
    const struct ledger_effect *effect = ledger_find(ledger, id);

    return effect != NULL && effect->under_way;
}

void ledger_doubt(struct ledger *ledger, int64_t id)
{
    struct ledger_effect *effect = ledger_find(ledger, id);

    if (effect != NULL)
        effect->doubtful = effect->may_have_ended = true;
}

void ledger_tick(struct ledger *ledger, int64_t now)
{
    for (uint32_t i = 0; i < ledger->count; i++)
        if (ledger->effects[i].under_way && !ledger->effects[i].may_have_ended &&
            (now - ledger->effects[i].drained >= a_minute ||
             is_unconfirmed(ledger, ledger->effects[i].name)))
            ledger->effects[i].may_have_ended = true;
}

void ledger_hand_over(struct ledger *ledger)
{
    for (uint32_t i = 0; i < ledger->count; i++)
        ledger->effects[i].may_have_ended = true;
}

void ledger_lose(struct ledger *ledger, const char *uid)
{
    char key[80];

    snprintf(key, sizeof(key), "|%s|", uid);
    forget_seen(ledger, uid);
    for (uint32_t i = 0; i < ledger->count && uid[0] != '\0'; i++) {
        struct ledger_effect *effect = &ledger->effects[i];

        if (is_leased(effect) && strstr(effect->name, key) != NULL)
            effect->may_have_ended = true;
    }
}

void ledger_see(struct ledger *ledger, const struct msg_reader *object, bool observed)
{
    char own[MESSAGE_REFERENCE], uid[64], *place;

    peek_text(object, "uid", uid, sizeof(uid));
    if (uid[0] != '\0')
        forget_seen(ledger, uid); /* of a pod that made no claim before, this is the first word */
    if (observed && uid[0] != '\0')
        note_seen(ledger, uid);
    ledger_name(object, own); /* "|uid|namespace|name", or with the kind of a queue before */
    place = strchr(strchr(own, '|') + 1, '|');
    for (uint32_t i = 0; i < ledger->count; i++) {
        const char *name = strchr(ledger->effects[i].name, '|');

        if (!is_leased(&ledger->effects[i]))
            continue;
        if (strcmp(strchr(name + 1, '|'), place) == 0 && strcmp(name, strchr(own, '|')) != 0)
            ledger->effects[i].may_have_ended = true;
    }
}

/* No player's configuration names other schedulers. */
static bool is_exempt(const struct msg_reader *pod)
{
    char owner[16], scheduler[32];

    peek_text(pod, "owner", owner, sizeof(owner));
    peek_text(pod, "scheduler", scheduler, sizeof(scheduler));
    return peek_bool(pod, "mirror", false) || strcmp(owner, "DaemonSet") == 0 ||
           (scheduler[0] != '\0' && strcmp(scheduler, "default-scheduler") != 0);
}

static bool is_over(const struct msg_reader *pod)
{
    char phase[16], node[64];

    peek_text(pod, "phase", phase, sizeof(phase));
    peek_text(pod, "node", node, sizeof(node));
    return strcmp(phase, "Succeeded") == 0 || strcmp(phase, "Failed") == 0 ||
           (peek_bool(pod, "deleted", false) && node[0] == '\0');
}

bool ledger_leaves_alone(const struct msg_reader *pod)
{
    struct msg_reader annotations, gates;
    struct msg_array array;
    struct msg_text gate;
    char opted[8] = "";

    if (is_exempt(pod) || is_over(pod))
        return true;
    if (peek(pod, "gates", &gates) && msg_open_array(&gates, &array))
        while (msg_next_item(&gates, &array))
            if (msg_get_text(&gates, 0, UINT16_MAX, &gate) &&
                (msg_text_is(gate, "scheduling.volcano.sh/queue-allocation-gate") ||
                 msg_text_is(gate, "volcano.sh/queue-allocation-gate")))
                return false;
    if (peek(pod, "annotations", &annotations)) {
        if (peek(&annotations, "kueue.x-k8s.io/workload", &gates))
            return true; /* it may be counted with that */
        if (peek(&annotations, "scheduling.k8s.io/group-name", &gates) ||
            peek(&annotations, "scheduling.volcano.sh/group-min-member", &gates))
            return false;
        peek_text(&annotations, "scheduling.volcano.sh/queue-allocation-gate", opted,
                  sizeof(opted));
    }
    return strcmp(opted, "true") != 0;
}
