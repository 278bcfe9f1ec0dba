/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/fleet_show.h"

#include <string.h>

#include "examples/sim/sim.h"
#include "examples/sim/translate.h"

static void put_names(struct request *r, const char *key, const struct names *names)
{
    r_key_array(r, key);
    for (size_t i = 0; i < names->count; i++)
        r_str(r, names->items[i]);
    r_end(r);
}

static void put_status(struct request *r, const char *type, bool is)
{
    r_key_str(r, type, is ? "True" : "False");
}

void show_workload(struct request *r, const struct dispatch *workload)
{
    r_key_map(r, "object");
    r_key_str(r, "role", "manager");
    r_key_str(r, "uid", workload->uid);
    r_key_str(r, "namespace", workload->namespace);
    r_key_str(r, "name", workload->name);
    if (workload->there) {
        r_key_int(r, "resourceVersion", workload->version);
        r_key_map(r, "conditions");
        put_status(r, "QuotaReserved", workload->reserved);
        put_status(r, "Finished", workload->finished);
        r_end(r);
        r_key_bool(r, "checksReady", true);
        r_key_bool(r, "active", workload->active);
        put_names(r, "nominated", &workload->nominated);
        r_key_str(r, "cluster", workload->cluster);
        put_names(r, "gates", &workload->gates);
        r_key_map(r, "annotations");
        for (size_t i = 0; i < workload->annotations.count; i++)
            r_key_str(r, workload->annotations.items[i].key, workload->annotations.items[i].value);
        r_end(r);
    }
    r_end(r);
}

void show_copy(struct request *r, const struct worker *worker, const struct copy *copy)
{
    r_key_map(r, "object");
    r_key_str(r, "cluster", worker->name);
    r_key_str(r, "uid", copy->uid);
    r_key_str(r, "namespace", copy->namespace);
    r_key_str(r, "name", copy->name);
    if (copy->there) {
        r_key_int(r, "resourceVersion", copy->version);
        r_key_str(r, "origin", copy->origin);
        put_names(r, "gates", &copy->gates);
        r_key_map(r, "gateStatus");
        for (size_t i = 0; i < copy->gates.count; i++)
            r_key_str(r, copy->gates.items[i], copy->open >> i & 1 ? "Open" : "Closed");
        r_end(r);
        r_key_map(r, "conditions");
        put_status(r, "BlockedOnPreemptionGates", copy->signals);
        put_status(r, "QuotaReserved", copy->reserved);
        put_status(r, "Admitted", copy->admitted);
        put_status(r, "Evicted", copy->evicted);
        put_status(r, "Finished", copy->finished);
        r_end(r);
    }
    r_end(r);
}

void show_cluster(struct request *r, const struct worker *worker, bool connected)
{
    r_key_map(r, "object");
    r_key_str(r, "name", worker->name);
    if (worker->configured)
        r_key_bool(r, "connected", connected);
    r_end(r);
}

void show_config(struct sim *sim, struct request *r, const struct tree_pair *pair)
{
    static const char *const spans[] = {"singleClusterPreemptionTimeout", "workerLostTimeout",
                                        "preferNoPreemption"};
    int64_t number;
    bool is_span = false;

    for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++)
        is_span = is_span || strcmp(spans[i], pair->key) == 0;
    r_str(r, pair->key);
    if (is_span && !tree_is_int(pair->value, &number))
        r_int(r, tree_as_duration(&sim->fault, pair->value));
    else
        translate_tree(r, pair->value);
}
