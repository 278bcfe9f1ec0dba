/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/resources.h"

#include <string.h>

#include "t/kit/tap.h"

static void pods(void)
{
    static const struct {
        const char *what;
        const char *spec;
        const char *asks;
    } cases[] = {
        {"no containers", "{a: b}", "nothing"},
        {"one container", "containers: [{resources: {requests: {cpu: 1, memory: 1Gi}}}]",
         "cpu 1, memory 1Gi"},
        {"their sum",
         "containers: [{resources: {requests: {cpu: 300m}}},"
         " {resources: {requests: {cpu: 0.5, x.y/gpu: 2}}}]",
         "cpu 800m, x.y/gpu 2"},
        {"a limit without a request", "containers: [{resources: {limits: {cpu: 2}}}]", "cpu 2"},
        {"a request beside its limit",
         "containers: [{resources: {limits: {cpu: 2}, requests: {cpu: 1}}}]", "cpu 1"},
        {"the largest init container",
         "containers: [{resources: {requests: {cpu: 1}}}]\n"
         "initContainers: [{resources: {requests: {cpu: 3}}},"
         " {resources: {requests: {cpu: 2, memory: 1Gi}}}]",
         "cpu 3, memory 1Gi"},
        {"a sidecar counts with the containers, and with the init containers after it",
         "containers: [{resources: {requests: {cpu: 1}}}]\n"
         "initContainers: [{resources: {requests: {cpu: 5}}},"
         " {restartPolicy: Always, resources: {requests: {cpu: 2}}},"
         " {resources: {requests: {cpu: 4}}}]",
         "cpu 6"},
        {"a sidecar that is not outweighed",
         "containers: [{resources: {requests: {cpu: 3}}}]\n"
         "initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 2}}},"
         " {resources: {requests: {cpu: 1}}}]",
         "cpu 5"},
        {"what the pod asks for as a whole",
         "containers: [{resources: {requests: {cpu: 3}}}]\n"
         "resources: {requests: {cpu: 2}}",
         "cpu 2"},
        {"overhead", "containers: [{resources: {requests: {cpu: 1}}}]\noverhead: {cpu: 250m}",
         "cpu 1250m"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct arena arena = {0};
        struct fault fault = {0};
        struct resources asks = {0};
        char text[256];
        const struct tree *all =
            tree_parse(&arena, "f", cases[i].spec, strlen(cases[i].spec), &fault);
        resources_of_pod(&arena, &fault, all->pairs[0].value, &asks);
        ok(!fault.is, "%s: %s", cases[i].what, fault.text);
        is_str(resources_show(&asks, text, sizeof(text)), cases[i].asks, "%s", cases[i].what);
        arena_finish(&arena);
    }
}

static void sums(void)
{
    const int64_t most = INT64_C(1) << 62;
    struct arena arena = {0};
    struct resources a = {0};
    struct resources b = {0};

    resources_set(&arena, &a, "cpu", 1000);
    resources_set(&arena, &b, "memory", most);
    resources_add(&arena, &a, &b, 1);
    resources_add(&arena, &a, &b, 1);
    ok(resources_get(&a, "memory") == most, "a sum stops at 2^62");
    is_str(a.items[0].name, "cpu", "by name");
    ok(!resources_fit(&a, &b), "what is not there is not enough");
    ok(resources_fit(&b, &a), "only what is asked for counts");
    ok(!resources_same(&a, &b) && resources_same(&a, &a), "same");
    resources_set(&arena, &b, "cpu", 500);
    resources_raise(&arena, &b, &a);
    is_int(resources_get(&b, "cpu"), 1000, "the larger of both");
    resources_add(&arena, &b, &a, -1);
    ok(resources_same(&b, &(struct resources){0}), "nothing is left, and that is the same as none");
    arena_finish(&arena);
}

static void refuses(void)
{
    static const char *const bad[] = {"1x", "-1", "[1]", "abc", "\"\""};

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct arena arena = {0};
        struct fault fault = {0};
        struct resources read = {0};
        const char *yaml = arena_format(&arena, "cpu: %s\n", bad[i]);
        const struct tree *all = tree_parse(&arena, "f", yaml, strlen(yaml), &fault);
        resources_read(&arena, &fault, all->pairs[0].value, &read);
        ok(fault.is && strncmp(fault.text, "f:1: cpu is ", 12) == 0, "refused: %s", fault.text);
        arena_finish(&arena);
    }
}

int main(void)
{
    pods();
    sums();
    refuses();
    return tap_done();
}
