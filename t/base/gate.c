/* SPDX-License-Identifier: Apache-2.0 */

/* Whose pod it is, whether it obeys the queues, and what admission does with it. */
#include "plugin/engine.h"
#include "t/kit/tap.h"

static const char gate_long[] = "scheduling.volcano.sh/queue-allocation-gate";
static const char gate_short[] = "volcano.sh/queue-allocation-gate";

static struct engine_config config_of_two(void)
{
    return (struct engine_config){.scheduler_count = 2,
                                  .schedulers = {text_of("default-scheduler"), text_of("batch")}};
}

static struct pod_facts pod_of(const char *space, const char *scheduler)
{
    return (struct pod_facts){.uid = text_of("u"),
                              .space = text_of(space),
                              .name = text_of("p"),
                              .scheduler = text_of(scheduler)};
}

static void test_names(void)
{
    struct gates gates = {0};

    is_int(gate_named(text_of(gate_long)), GATE_LONG, "the long name is ours");
    is_int(gate_named(text_of(gate_short)), GATE_SHORT, "and the short one");
    is_int(gate_named(text_of("example.com/gate")), 0, "no other is");
    is_int(gate_named((struct text){gate_long, sizeof(gate_long) - 2}), 0, "nor a beginning");
    is_int(gate_named(text_of("x.volcano.sh/queue-allocation-gate")), 0, "nor an end");
    is_str(gate_name(GATE_LONG), gate_long, "the long name");
    is_str(gate_name(GATE_SHORT), gate_short, "the short name");

    gates_add(&gates, text_of("example.com/a"));
    gates_add(&gates, text_of(gate_short));
    is_int(gates.ours, GATE_SHORT, "one of ours among others");
    gates_add(&gates, text_of(gate_long));
    gates_add(&gates, text_of("example.com/b"));
    is_int(gates.ours, GATE_LONG | GATE_SHORT, "a pod may carry both");
    is_int(gates.foreign, 2, "foreign gates are counted");
    ok(text_is(gates.a_foreign, "example.com/a"), "the first of them is remembered");
}

static void test_concerns(void)
{
    struct engine_config config = config_of_two();
    struct pod_facts pod = pod_of("default", "default-scheduler");

    ok(gate_concerns(&config, &pod), "a pod of the first scheduler");
    pod = pod_of("default", "batch");
    ok(gate_concerns(&config, &pod), "a pod of the second");
    pod = pod_of("default", "other");
    ok(!gate_concerns(&config, &pod), "not one of another scheduler");
    pod = pod_of("default", "");
    ok(gate_concerns(&config, &pod), "one that names none is the default scheduler's");
    config.schedulers[0] = text_of("only");
    ok(!gate_concerns(&config, &pod), "which need not be ours");

    config = config_of_two();
    pod = pod_of("kube-system", "default-scheduler");
    ok(!gate_concerns(&config, &pod), "kube-system is exempt");
    pod = pod_of("kube-system-2", "default-scheduler");
    ok(gate_concerns(&config, &pod), "a namespace whose name begins so is not");
    pod = pod_of("default", "default-scheduler");
    pod.mirror = true;
    ok(!gate_concerns(&config, &pod), "mirror pods are exempt");
    pod = pod_of("default", "default-scheduler");
    pod.of_daemon_set = true;
    ok(!gate_concerns(&config, &pod), "pods of a DaemonSet are exempt");
    config.manage_all = true;
    ok(!gate_concerns(&config, &pod), "also where all are managed");
}

static void test_manages(void)
{
    struct engine_config config = config_of_two();
    struct pod_facts pod = pod_of("default", "batch");

    ok(!gate_manages(&config, &pod), "a pod that did not opt in obeys no queue");
    pod.opted_in = true;
    ok(gate_manages(&config, &pod), "one that opted in does");
    pod.opted_in = false;
    pod.minimum = 3;
    ok(gate_manages(&config, &pod), "so does one that asks for a group by a minimum,");
    pod.minimum = -1;
    ok(gate_manages(&config, &pod), "be it none that can be read,");
    pod.minimum = 0;
    pod.group = text_of("g");
    ok(gate_manages(&config, &pod), "or by a name,");
    pod.group = text_of("");
    ok(!gate_manages(&config, &pod), "but for an empty one");
    pod.gates.ours = GATE_SHORT;
    ok(gate_manages(&config, &pod), "so does one that carries our gate without the annotation");
    pod.gates.ours = 0;
    pod.stamp = 5;
    ok(gate_manages(&config, &pod), "and still after we removed that gate: the stamp tells");
    pod.stamp = 0;
    pod.gates.foreign = 1;
    ok(!gate_manages(&config, &pod), "a foreign gate says nothing");
    config.manage_all = true;
    ok(gate_manages(&config, &pod), "all do where all are managed");
}

static void test_admit(void)
{
    struct engine_config config = config_of_two();
    struct pod_facts pod = pod_of("default", "batch");

    is_int(gate_admit(&config, &pod), GATE_LEAVE, "no gate for whom did not opt in");
    config.manage_all = true;
    is_int(gate_admit(&config, &pod), GATE_LEAVE, "nor where all are managed");
    config.manage_all = false;
    pod.opted_in = true;
    is_int(gate_admit(&config, &pod), GATE_ADD, "a gate for whom opted in");
    pod.opted_in = false;
    pod.minimum = 3;
    is_int(gate_admit(&config, &pod), GATE_ADD, "and for whom asks for a group");
    pod.controller.uid = text_of("o");
    pod.native_group = text_of("podgroup-o");
    is_int(gate_admit(&config, &pod), GATE_REFUSE_TWO_GROUPS, "but not for two of them,");
    config.effects = 1u << EFFECT_CREATE_NATIVE_GROUP;
    is_int(gate_admit(&config, &pod), GATE_ADD, "unless it is the one that is asked for");
    pod.native_group = (struct text){NULL, 0};
    pod.minimum = 0;
    pod.opted_in = true;
    pod.gates.foreign = 1;
    is_int(gate_admit(&config, &pod), GATE_ADD, "beside the gates that are there");
    pod.gates.ours = GATE_SHORT;
    is_int(gate_admit(&config, &pod), GATE_LEAVE, "not a second one");
    pod.gates.ours = 0;
    pod.node = text_of("n");
    is_int(gate_admit(&config, &pod), GATE_LEAVE, "none for a pod that names its node");
    pod.stamp = 7;
    is_int(gate_admit(&config, &pod), GATE_REFUSE_STAMP, "a stamp at creation is refused");
    pod.node = (struct text){NULL, 0};
    pod.opted_in = false;
    is_int(gate_admit(&config, &pod), GATE_REFUSE_STAMP, "whoever brings it");
    pod.scheduler = text_of("other");
    is_int(gate_admit(&config, &pod), GATE_LEAVE, "but for pods that are not ours");
    pod = pod_of("kube-system", "batch");
    pod.opted_in = true;
    is_int(gate_admit(&config, &pod), GATE_LEAVE, "exempt pods get no gate");
}

static void test_name_to_add(void)
{
    is_int(gate_to_add(GATE_LONG), GATE_LONG, "the gate is named as the annotation is");
    is_int(gate_to_add(GATE_SHORT), GATE_SHORT, "the short one, too");
    is_int(gate_to_add(GATE_LONG | GATE_SHORT), GATE_LONG, "the long one of both");
    is_int(gate_to_add(0), GATE_LONG, "and where there is none");
}

int main(void)
{
    test_names();
    test_concerns();
    test_manages();
    test_admit();
    test_name_to_add();
    return tap_done();
}
