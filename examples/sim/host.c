/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/host.h"

#include <string.h>

#include "examples/sim/effects.h"
#include "examples/sim/expect.h"
#include "examples/sim/sim.h"
#include "examples/sim/text.h"
#include "examples/sim/translate.h"
#include "examples/sim/watch.h"

/* 2026-01-01: when every story begins. */
static const int64_t beginning = INT64_C(1767225600) * SECOND;

int64_t sim_wall(const struct sim *sim)
{
    return beginning + sim->clock.now + sim->faults.skew;
}

static void tick(struct sim *sim, void *what)
{
    (void)what;
    if (!sim->library.handle || sim->host.tick_at > sim->clock.now)
        return;
    sim->host.tick_at = INT64_MAX;
    library_begin(&sim->library, sim_wall(sim));
    host_must(sim, LOADER_TICK);
}

static void drain(struct sim *sim, void *what)
{
    (void)what;
    sim->host.draining = false;
    if (sim->library.handle && sim->host.leads)
        effects_drain(sim);
}

/* What an answer asks for: nobody polls. */
static void see_to(struct sim *sim)
{
    const struct library *library = &sim->library;
    struct host *host = &sim->host;
    int64_t now = sim->clock.now;
    int64_t at = INT64_MAX;

    if (library->more)
        at = now;
    else if (library->next > 0)
        at = library->next - beginning - sim->faults.skew;
    if (!library->more && at <= now)
        at = now + MILLISECOND;
    if (at < host->tick_at) {
        host->tick_at = at;
        clock_at(&sim->clock, at, tick, NULL);
    }
    if (library->pending > 0 && host->leads && !host->draining) {
        host->draining = true;
        clock_at(&sim->clock, now + MILLISECOND, drain, NULL);
    }
}

void host_look_at_clock(struct sim *sim)
{
    sim->host.tick_at = INT64_MAX;
    see_to(sim);
}

const msgpack_object *host_call(struct sim *sim, enum loader_hook hook)
{
    const msgpack_object *answer = library_call(&sim->library, hook);

    if (answer && hook != LOADER_INSPECT) {
        sim->world.changes++;
        see_to(sim);
    }
    return answer;
}

const msgpack_object *host_must(struct sim *sim, enum loader_hook hook)
{
    const msgpack_object *answer = host_call(sim, hook);

    if (!answer)
        fault_say(&sim->fault, sim->scenario->tree, "the library fails in %s: %s",
                  loader_hook_name(hook), sim->library.error);
    return answer;
}

/* A value of the configuration: durations in nanoseconds, the root's ceiling as quantities. */
static void put_config(struct sim *sim, struct request *r, const struct tree_pair *pair)
{
    static const char *const durations[] = {"reservationTimeout", "headGuard",
                                            "waitingReasonsAfter", NULL};
    int64_t number;

    r_str(r, pair->key);
    if (text_is_one_of(pair->key, durations) && !tree_is_int(pair->value, &number)) {
        r_int(r, tree_as_duration(&sim->fault, pair->value));
    } else if (strcmp(pair->key, "rootCeiling") == 0 && pair->value->type == TREE_MAP) {
        r_map(r);
        for (size_t i = 0; i < pair->value->count; i++)
            r_key_str(r, pair->value->pairs[i].key,
                      tree_as_text(&sim->fault, pair->value->pairs[i].value));
        r_end(r);
    } else {
        translate_tree(r, pair->value);
    }
}

static void open_library(struct sim *sim)
{
    static const char *const written[] = {"queueStatus",    "event",       "deleteCommand",
                                          "answerPermit",   "setGroup",    "createGroup",
                                          "setGroupStatus", "changeGroup", "createNativeGroup"};
    const struct tree *config = sim->scenario->config;
    struct request *r = &sim->library.request;

    request_clear(r);
    r_map(r);
    r_key_str(r, "removal", sim->scenario->on_admission ? "onAdmission" : "onBind");
    if (sim->recording)
        r_key_int(r, "record", RECORDING_BYTES);
    if (!tree_get(config, "effects")) {
        r_key_array(r, "effects");
        for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++)
            r_str(r, written[i]);
        if (sim->workloads.is)
            r_str(r, "writeWorkload");
        r_end(r);
    }
    if (!tree_get(config, "podEvents"))
        r_key_bool(r, "podEvents", true);
    for (size_t i = 0; config && i < config->count; i++)
        put_config(sim, r, &config->pairs[i]);
    r_end(r);
    if (!library_open(&sim->library))
        fault_say(&sim->fault, config ? config : sim->scenario->tree,
                  "the library refuses the configuration: %s", sim->library.error);
}

static void tell(struct sim *sim, const char *kind, bool gone)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "kind", kind);
    r_key_bool(r, "gone", gone);
    host_must(sim, LOADER_OBSERVE);
}

void host_lead(struct sim *sim, bool leads)
{
    sim->host.leads = leads;
    story(sim, "host", "lease", leads ? "leads" : "has lost the lease");
    tell(sim, "leader", !leads);
}

void host_start(struct sim *sim)
{
    sim->host = (struct host){
        .tick_at = INT64_MAX, .unknown = sim->host.unknown, .effects = sim->host.effects};
    open_library(sim);
    if (sim->fault.is)
        return;
    watch_list(sim);
    tell(sim, "synced", false);
    sim->host.leads = true;
    tell(sim, "leader", false);
}

void host_record(struct sim *sim)
{
    if (sim->recording && sim->library.handle &&
        !library_recording(&sim->library, sim_wall(sim), sim->recording))
        fault_say(&sim->fault, sim->scenario->tree, "the recording cannot be had: %s",
                  sim->library.error);
}

void host_restart(struct sim *sim)
{
    story(sim, "host", "restarted", "the scheduler restarts");
    host_record(sim);
    library_close(&sim->library);
    scheduler_forget(sim);
    host_start(sim);
}

void host_refused(struct sim *sim, const struct tree *where, const char *ref, const char *why)
{
    struct refusal *refusal = map_get(&sim->refusals, ref);

    if (!refusal) {
        fault_say(&sim->fault, where, "%s is refused: %s", ref, why);
        return;
    }
    refusal->happened = true;
    story(sim, ref, "refused", "is refused: %s", why);
    if (!strstr(why, refusal->says->text))
        expect_failed(sim, refusal->says, ref, refusal->says->text, why);
}

static void put_command(struct sim *sim, struct request *r, const struct object *command)
{
    const struct tree *target = tree_get(command->doc, "target");
    const char *namespace;
    const char *name;

    world_split(&sim->arena, command->ref, &namespace, &name);
    if (*command->uid) /* else it is not made yet */
        r_key_str(r, "uid", command->uid);
    r_key_str(r, "namespace", namespace);
    r_key_str(r, "name", name);
    r_key_int(r, "created", command->created);
    r_key_str(r, "action", tree_text(&sim->fault, command->doc, "action", ""));
    r_key_map(r, "target");
    r_key_str(r, "kind", tree_text(&sim->fault, target, "kind", "Queue"));
    r_key_str(r, "name", tree_text(&sim->fault, target, "name", ""));
    r_key_str(r, "uid", tree_text(&sim->fault, target, "uid", ""));
    r_end(r);
}

bool host_admits(struct sim *sim, const struct tree *where, const struct object *object,
                 const char *operation)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_str(r, "kind", object->kind);
    r_key_str(r, "operation", operation);
    if (strcmp(object->kind, "queue") == 0) {
        translate_queue(r, "Queue", object);
    } else {
        r_key_map(r, "object");
        put_command(sim, r, object);
        r_end(r);
    }
    const msgpack_object *answer = host_call(sim, LOADER_ADMIT);
    bool allow = answer && value_bool(answer, "allow", false);
    if (!allow)
        host_refused(sim, where, object->ref,
                     answer ? value_str(answer, "reason", "it does not say why")
                            : sim->library.error);
    return allow;
}

void host_command(struct sim *sim, const struct object *command)
{
    struct request *r = library_begin(&sim->library, sim_wall(sim));

    r_key_bool(r, "gone", !command->is);
    r_key_map(r, "command");
    put_command(sim, r, command);
    r_end(r);

    const msgpack_object *answer = host_call(sim, LOADER_COMMAND);
    if (!answer) {
        host_refused(sim, command->doc, command->ref, sim->library.error);
        return;
    }
    const char *reason = value_str(answer, "reason", "");
    if (command->is && *reason)
        story(sim, command->ref, "command", "changes nothing: %s", reason);
}
