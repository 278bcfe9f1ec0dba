/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/step.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A field, or a run of fields that differ in what is appended to the name. */
enum run { ONE, OF_RESOURCES, OF_REQUESTS, OF_GROUPS, OF_QUOTAS, OF_SETS };

struct field {
    const char *name;
    enum run run;
    bool amount; /* unsaid by default, else 0 */
};

static const struct field config_fields[] = {
    {"removal", ONE, false},      {"manageAll", ONE, false},  {"root", ONE, false},
    {"root", OF_RESOURCES, true}, {"undeclared", ONE, false}, {"observeOnly", ONE, false},
    {"writes", ONE, false},       {"evicts", ONE, false},     {"admits", ONE, false},
    {"gates", ONE, false},        {NULL, ONE, false},
};
static const struct field pod_fields[] = {
    {"uid", ONE, false},
    {"system", ONE, false},
    {"created", ONE, false},
    {"priority", ONE, false},
    {"generation", ONE, false},
    {"version", ONE, false},
    {"foreignScheduler", ONE, false},
    {"gates", ONE, false},
    {"foreign", ONE, false},
    {"optedIn", ONE, false},
    {"queue", ONE, false},
    {"namespaceQueue", ONE, false},
    {"kind", ONE, false},
    {"notSelected", ONE, false},
    {"group", ONE, false},
    {"stamp", ONE, false},
    {"stampedIn", ONE, false},
    {"stamped", OF_RESOURCES, false},
    {"asks", OF_REQUESTS, true},
    {"node", ONE, false},
    {"nominated", ONE, false},
    {"finished", ONE, false},
    {"deleted", ONE, false},
    {"unschedulable", ONE, false},
    {"daemon", ONE, false},
    {"mirror", ONE, false},
    {NULL, ONE, false},
};
static const struct field queue_fields[] = {
    {"kind", ONE, false},
    {"name", ONE, false},
    {"parent", ONE, false},
    {"priority", ONE, false},
    {"strict", ONE, false},
    {"command", ONE, false},
    {"closedBy", ONE, false},
    {"suspendedBy", ONE, false},
    {"createdSuspended", ONE, false},
    {"object", ONE, false},
    {"version", ONE, false},
    {"borrowsLast", ONE, false},
    {"capability", OF_RESOURCES, true},
    {"deserved", OF_RESOURCES, true},
    {"guarantee", OF_RESOURCES, true},
    {"group", OF_RESOURCES, false},
    {"flavors", OF_GROUPS, false},
    {"nominal", OF_QUOTAS, true},
    {"borrowing", OF_QUOTAS, true},
    {"lending", OF_QUOTAS, true},
    {"within", ONE, false},
    {"reclaim", ONE, false},
    {"borrows", ONE, false},
    {"unreclaimable", ONE, false},
    {"stop", ONE, false},
    {"preemptsLast", ONE, false},
    {"borrowsLeast", ONE, false},
    {"check", OF_GROUPS, false},
    {NULL, ONE, false},
};
static const struct field queue_names[] = {
    {"kind", ONE, false}, {"name", ONE, false}, {NULL, ONE, false}};
static const struct field uids[] = {{"uid", ONE, false}, {NULL, ONE, false}};
static const struct field flavors[] = {{"flavor", ONE, false},
                                       {"label", ONE, false},
                                       {"toleration", ONE, false},
                                       {"taint", ONE, false},
                                       {NULL, ONE, false}};
static const struct field nodes[] = {{"node", ONE, false},
                                     {"flavor", ONE, false},
                                     {"allocatable", OF_RESOURCES, true},
                                     {NULL, ONE, false}};
static const struct field groups[] = {
    {"group", ONE, false},     {"uid", ONE, false},          {"created", ONE, false},
    {"min", ONE, false},       {"queue", ONE, false},        {"unselected", ONE, false},
    {"priority", ONE, true},   {"least", OF_REQUESTS, true}, {"phase", ONE, false},
    {"goesWhole", ONE, false}, {"wantsParts", ONE, false},   {"part", OF_GROUPS, false},
    {NULL, ONE, false}};
static const struct field numbers[] = {{"n", ONE, false}, {NULL, ONE, false}};
static const struct field acks[] = {{"uid", ONE, false},     {"effect", ONE, false},
                                    {"result", ONE, false},  {"object", ONE, false},
                                    {"version", ONE, false}, {NULL, ONE, false}};
static const struct field commands[] = {{"uid", ONE, false},
                                        {"created", ONE, false},
                                        {"action", ONE, false},
                                        {"target", ONE, false},
                                        {NULL, ONE, false}};
static const struct field words[] = {{"name", ONE, false},
                                     {"state", ONE, false},
                                     {"closedBy", ONE, false},
                                     {"suspendedBy", ONE, false},
                                     {NULL, ONE, false}};
static const struct field shows[] = {
    {"name", ONE, false}, {"late", ONE, false}, {NULL, ONE, false}};
static const struct field locals[] = {{"local", ONE, false},
                                      {"queue", ONE, false},
                                      {"stop", ONE, false},
                                      {"unselected", ONE, false},
                                      {NULL, ONE, false}};
static const struct field checks[] = {
    {"check", ONE, false}, {"inactive", ONE, false}, {NULL, ONE, false}};
static const struct field workloads[] = {
    {"workload", ONE, false},      {"object", ONE, false},
    {"created", ONE, false},       {"priority", ONE, false},
    {"local", ONE, false},         {"inactive", ONE, false},
    {"yields", ONE, false},        {"gates", ONE, false},
    {"unsupported", ONE, false},   {"count", OF_GROUPS, false},
    {"min", OF_GROUPS, false},     {"asks", OF_SETS, true},
    {"selects", OF_GROUPS, false}, {"tolerates", OF_GROUPS, false},
    {"late", ONE, false},          {NULL, ONE, false},
};
static const struct field touches[] = {{"workload", ONE, false}, {"what", ONE, false},
                                       {"which", ONE, false},    {"state", ONE, false},
                                       {"late", ONE, false},     {NULL, ONE, false}};
static const struct field sights[] = {
    {"workload", ONE, false}, {"old", ONE, false}, {NULL, ONE, false}};
static const struct field carries[] = {
    {"workload", ONE, false}, {"result", ONE, false}, {"late", ONE, false}, {NULL, ONE, false}};

static const struct {
    const char *name;
    const struct field *fields;
} kinds[STEP_KINDS] = {
    [STEP_CONFIG] = {"config", config_fields},
    [STEP_SEE] = {"see", pod_fields},
    [STEP_ENQUEUE] = {"enqueue", pod_fields},
    [STEP_LOSE] = {"lose", uids},
    [STEP_PRE_FILTER] = {"pre-filter", uids},
    [STEP_POST_FILTER] = {"post-filter", uids},
    [STEP_RESERVE] = {"reserve", uids},
    [STEP_UNRESERVE] = {"unreserve", uids},
    [STEP_POST_BIND] = {"post-bind", uids},
    [STEP_QUEUE] = {"queue", queue_fields},
    [STEP_LOSE_QUEUE] = {"lose-queue", queue_names},
    [STEP_FLAVOR] = {"flavor", flavors},
    [STEP_LOSE_FLAVOR] = {"lose-flavor", flavors},
    [STEP_NODE] = {"node", nodes},
    [STEP_LOSE_NODE] = {"lose-node", nodes},
    [STEP_GROUP] = {"group", groups},
    [STEP_LOSE_GROUP] = {"lose-group", groups},
    [STEP_SYNCED] = {"synced", numbers},
    [STEP_LEADER] = {"leader", numbers},
    [STEP_TIME] = {"time", numbers},
    [STEP_LEASE] = {"lease", numbers},
    [STEP_ACK] = {"ack", acks},
    [STEP_RESTART] = {"restart", numbers},
    [STEP_COMMAND] = {"command", commands},
    [STEP_LOSE_COMMAND] = {"lose-command", uids},
    [STEP_WORD] = {"word", words},
    [STEP_SHOW] = {"show", shows},
    [STEP_LOCAL] = {"local", locals},
    [STEP_LOSE_LOCAL] = {"lose-local", locals},
    [STEP_CHECK] = {"check", checks},
    [STEP_LOSE_CHECK] = {"lose-check", checks},
    [STEP_WORKLOAD] = {"workload", workloads},
    [STEP_TOUCH] = {"touch", touches},
    [STEP_SIGHT] = {"sight", sights},
    [STEP_CARRY] = {"carry", carries},
    [STEP_CALM] = {"calm", numbers},
};

static int run_length(enum run run)
{
    static const int lengths[] = {
        [ONE] = 1,       [OF_RESOURCES] = RESOURCES,        [OF_REQUESTS] = RESOURCES - 1,
        [OF_GROUPS] = 2, [OF_QUOTAS] = FLAVORS * RESOURCES, [OF_SETS] = 2 * (RESOURCES - 1),
    };

    return lengths[run];
}

static void name_of(const struct field *field, int n, char *out, size_t cap)
{
    static const char *const resources[RESOURCES] = {"cpu", "memory", "gpu", "pods"};

    switch (field->run) {
    case ONE:
        snprintf(out, cap, "%s", field->name);
        break;
    case OF_RESOURCES:
    case OF_REQUESTS:
        snprintf(out, cap, "%s.%s", field->name, resources[n]);
        break;
    case OF_GROUPS:
        snprintf(out, cap, "%s.%d", field->name, n + 1);
        break;
    case OF_SETS:
        snprintf(out, cap, "%s.%d.%s", field->name, n / (RESOURCES - 1) + 1,
                 resources[n % (RESOURCES - 1)]);
        break;
    case OF_QUOTAS:
        snprintf(out, cap, "%s.%d.%s", field->name, n / RESOURCES, resources[n % RESOURCES]);
        break;
    }
}

static int64_t default_of(const struct field *field)
{
    return field->amount ? UNSAID : 0;
}

struct step step_make(enum step_kind kind)
{
    struct step step = {.kind = kind};
    int at = 0;

    for (const struct field *field = kinds[kind].fields; field->name != NULL; field++)
        for (int n = 0; n < run_length(field->run); n++)
            step.v[at++] = default_of(field);
    assert(at <= STEP_FIELDS);
    return step;
}

struct step step_of(enum step_kind kind, int64_t first)
{
    struct step step = step_make(kind);

    step.v[0] = first;
    return step;
}

struct step step_from(enum step_kind kind, const int64_t fields[STEP_FIELDS])
{
    struct step step = {.kind = kind};

    memcpy(step.v, fields, sizeof step.v);
    return step;
}

void step_print(FILE *out, const struct step *step)
{
    int at = 0;

    fputs(kinds[step->kind].name, out);
    for (const struct field *field = kinds[step->kind].fields; field->name != NULL; field++)
        for (int n = 0; n < run_length(field->run); n++, at++) {
            char name[64];

            if (step->v[at] == default_of(field))
                continue;
            name_of(field, n, name, sizeof name);
            fprintf(out, " %s=%" PRId64, name, step->v[at]);
        }
    fputc('\n', out);
}

static bool set_field(struct step *step, const char *word)
{
    const char *equals = strchr(word, '=');
    int at = 0;

    if (equals == NULL)
        return false;
    for (const struct field *field = kinds[step->kind].fields; field->name != NULL; field++)
        for (int n = 0; n < run_length(field->run); n++, at++) {
            char name[64], *end;

            name_of(field, n, name, sizeof name);
            if (strlen(name) != (size_t)(equals - word) || memcmp(name, word, strlen(name)) != 0)
                continue;
            step->v[at] = strtoll(equals + 1, &end, 10);
            return end > equals + 1 && *end == '\0';
        }
    return false;
}

bool step_parse(const char *line, struct step *ret_step)
{
    char copy[4096], *rest, *word;

    if (strlen(line) >= sizeof copy)
        return false;
    memcpy(copy, line, strlen(line) + 1);
    word = strtok_r(copy, " \r\n", &rest);
    for (int kind = 0; word != NULL && kind < STEP_KINDS; kind++) {
        struct step step;

        if (strcmp(word, kinds[kind].name) != 0)
            continue;
        step = step_make((enum step_kind)kind);
        while ((word = strtok_r(NULL, " \r\n", &rest)) != NULL)
            if (!set_field(&step, word))
                return false;
        *ret_step = step;
        return true;
    }
    return false;
}

void history_add(struct history *history, const struct step *step)
{
    if (history->count == history->cap) {
        history->cap = history->cap == 0 ? 256 : 2 * history->cap;
        history->steps = realloc(history->steps, history->cap * sizeof *history->steps);
        assert(history->steps != NULL);
    }
    history->steps[history->count++] = *step;
}

void history_finish(struct history *history)
{
    free(history->steps);
    *history = (struct history){0};
}
