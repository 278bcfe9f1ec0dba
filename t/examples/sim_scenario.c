/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/scenario.h"

#include <string.h>

#include "examples/sim/clock.h"
#include "t/kit/tap.h"

#define HEAD "apiVersion: sluice/v1\nkind: Scenario\nmetadata: {name: n}\nspec:\n"
#define POD "\n---\nkind: Pod\nmetadata: {name: p}\n"

static bool reads(struct arena *arena, struct fault *fault, const char *text, struct scenario *ret)
{
    *fault = (struct fault){0};
    *ret = (struct scenario){0};
    const struct tree *all = tree_parse(arena, "f", text, strlen(text), fault);
    return all && scenario_read(arena, fault, all, ret);
}

static void a_good_one(void)
{
    struct arena arena = {0};
    struct fault fault;
    struct scenario scenario;
    bool good = reads(&arena, &fault,
                      HEAD "  removal: onAdmission\n"
                           "  config: {manage: all}\n"
                           "  autoscaler: {template: node/n, max: 2, delay: 1m}\n"
                           "  steps:\n"
                           "  - apply: [pod/p, {pod/p: 3}]\n"
                           "  - {at: 10s, expect: {pod/p: {gates: [], reason: \"!x\"}}}\n"
                           "  - {expect: {nodes: 1, never: {pod/p: gone, pod/p-2: {node: n}}}}\n"
                           "  - {at: 1m, complete: [pod/p]}\n" POD
                           "\n---\nkind: Node\nmetadata: {name: n, namespace: default}\n"
                           "\n---\nkind: Pod\nmetadata: {name: p, namespace: other}\n",
                      &scenario);

    ok(good, "a scenario is read%s", fault.text);
    ok(scenario.on_admission, "removal");
    is_str(scenario.name, "n", "its name");
    is_int(scenario.n_steps, 4, "its steps");
    is_int(scenario.steps[2].at, 10 * SECOND, "a step without a time is at that of the one before");
    is_int(scenario.steps[0].until, 10 * SECOND, "a step lasts until the next");
    is_int(scenario.steps[1].until, 10 * SECOND, "which may be at the same time");
    ok(scenario.steps[3].until == INT64_MAX, "the last one has no end");
    ok(map_get(&scenario.documents, "pod/p") && map_get(&scenario.documents, "pod/other/p"),
       "documents go by kind, namespace and name");
    scenario_finish(&scenario);
    arena_finish(&arena);
}

static void bad_ones(void)
{
    static const struct {
        const char *text;
        const char *says;
    } cases[] = {
        {"kind: Pod\nmetadata: {name: p}\n", "no document of kind Scenario"},
        {HEAD "  steps: []\n", "f:1: spec.steps is missing or empty"},
        {"kind: Scenario\nspec: {steps: [{at: 1s}]}\n", "apiVersion is missing, want sluice/v1"},
        {HEAD "  remove: onBind\n  steps: [{at: 1s}]\n", "f:5: remove is not known here, want"},
        {HEAD "  removal: later\n  steps: [{at: 1s}]\n",
         "f:5: removal is later, want onBind or onAdmission"},
        {HEAD "  steps: [{at: 2s}, {at: 1s}]\n", "at is 1s, want a time that is not before"},
        {HEAD "  steps: [{at: soon}]\n", "at is soon, want a duration"},
        {HEAD "  steps: [{aply: [pod/p]}]\n", "aply is no step, want at, apply,"},
        {HEAD "  steps: [{apply: [pod/p]}]\n", "pod/p is not described: want a document"},
        {HEAD "  steps: [{apply: pod/p}]\n" POD, "apply is pod/p, want a list"},
        {HEAD "  steps: [{apply: [{pod/p: 0}]}]\n" POD,
         "pod/p is 0, want an integer from 1 to 1000000"},
        {HEAD "  steps: [{apply: [{pod/p: many}]}]\n" POD, "pod/p is many, want an integer"},
        {HEAD "  steps: [{delete: [p]}]\n", "delete is p, want kind/name"},
        {HEAD "  steps: [{restart: host}]\n", "restart is host, want scheduler"},
        {HEAD "  steps: [{leader: maybe}]\n", "leader is maybe, want true or false"},
        {HEAD "  steps: [{fault: {acks: always}}]\n", "acks is always, want never, twice or wrong"},
        {HEAD "  steps: [{fault: {ack: never}}]\n", "ack is no fault, want"},
        {HEAD "  steps: [{send: {hook: obsrve, message: {}}}]\n",
         "hook is obsrve, want a map with the name of a hook"},
        {HEAD "  steps: [{send: {hook: observe}}]\n", "want a map with either message or bytes"},
        {HEAD "  steps: [{send: {hook: observe, bytes: 1}}]\n", "bytes is 1, want hexadecimal"},
        {HEAD "  steps: [{expect: {pod/p: {gate: []}}}]\n", "gate cannot be expected, want gates"},
        {HEAD "  steps: [{expect: {pods: 1}}]\n", "pods cannot be expected, want pod/NAME"},
        {HEAD "  steps: [{expect: {pod/p: {reason: ~}}}]\n", "reason is missing, want text"},
        {HEAD "  steps: [{expect: {pod/p: here}}]\n", "pod/p is here, want a map of what"},
        {HEAD "  steps: [{expect: {queue/q: {allocated: [1]}}}]\n", "allocated is a list"},
        {HEAD "  steps: [{expect: {never: {queue/q: {x: 1}}}}]\n", "x cannot be expected"},
        {HEAD "  steps: [{expect: {never: {pod/p: {reason: x}}}}]\n", "pod/p is not described"},
        {HEAD "  steps: [{expect: {never: {queue/p-1: {state: Open}}}}]\n" POD,
         "queue/p-1 is not described"},
        {HEAD "  steps: [{expect: {queue/q: {allocated: {cpu: 1x}}}}]\n",
         "cpu is 1x, want a quantity such as"},
        {HEAD "  steps: [{expect: {queue/q: {reserved: {\"spot:cpu\": \"!one\"}}}}]\n",
         "spot:cpu is \"!one\", want a quantity such as"},
        {HEAD "  steps: [{expect: {queue/q: {waiting: one}}}]\n", "waiting is one, want a count"},
        {HEAD "  steps: [{expect: {queue/q: {known: maybe}}}]\n", "known is maybe, want true"},
        {HEAD "  steps: [{expect: {nodes: -1}}]\n", "nodes is -1, want a count"},
        {HEAD "  steps: [{expect: {podgroup/g: {gates: []}}}]\n",
         "gates cannot be expected, want phase, running, succeeded or failed"},
        {HEAD "  steps: [{}]\n", "a step is empty, want {at: 10s"},
        {HEAD "  steps: [~]\n", "a step is empty, want {at: 10s"},
        {HEAD "  steps: [{send: {hook: tick, mesage: {}}}]\n", "mesage is not known here"},
        {HEAD "  clusters: {workers: {east: {qota: {cpu: 1}}}}\n  steps: [{at: 0s}]\n",
         "qota is not known here, want quota"},
        {HEAD "  autoscaler: {template: pod/p}\n  steps: [{at: 0s}]\n" POD,
         "autoscaler.template is missing, want node/NAME"},
        {HEAD "  steps: [{at: 0s}]\n" POD POD, "pod/p is described twice, first in line"},
        {HEAD "  steps: [{at: 0s}]\n---\nmetadata: {name: x}\n", "a document without its kind"},
        {HEAD "  steps: [{at: 0s}]\n---\nkind: Pod\n", "metadata.name is missing"},
        {HEAD "  steps: [{at: 0s}]\n---\n" HEAD "  steps: []\n", "a second Scenario"},
        {HEAD "  steps: [{at: 0s}]\n---\n- x\n", "want a Kubernetes document"},
        {HEAD "  steps: [{at: 0s}]\n---\nkind: Queue\nmetadata: {name: q}\n"
              "spec: {capabilty: {cpu: 1}}\n",
         "f:9: capabilty is not known here, want parent, capability,"},
        {"", "no document of kind Scenario"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct arena arena = {0};
        struct fault fault;
        struct scenario scenario;
        bool good = reads(&arena, &fault, cases[i].text, &scenario);
        ok(!good && strncmp(fault.text, "f:", 2) == 0 && strstr(fault.text, cases[i].says),
           "refused: %s (%s)", cases[i].says, fault.text);
        scenario_finish(&scenario);
        arena_finish(&arena);
    }
}

int main(void)
{
    a_good_one();
    bad_ones();
    return tap_done();
}
