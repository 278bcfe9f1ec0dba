/* SPDX-License-Identifier: Apache-2.0 */

/* How the group is called that a pod asks for by a minimum, and who is in it. */
#include "plugin/base/asked_group.h"

#include "plugin/base/config.h"
#include "plugin/base/effect.h"
#include "t/kit/tap.h"

#include <string.h>

static struct pod_facts asking(const char *controller)
{
    return (struct pod_facts){
        .uid = text_of("p"), .controller.uid = text_of(controller), .minimum = 3};
}

static void test_name(void)
{
    char text[ASKED_GROUP_MAX], uid[200];
    struct pod_facts pod = asking("o");

    ok(text_is(asked_group_name(&pod, text), "podgroup-o"), "it is called after the controller,");
    pod = asking("");
    ok(text_is(asked_group_name(&pod, text), "podgroup-p"), "or the pod itself");
    memset(uid, 'u', sizeof(uid));
    pod.controller.uid = (struct text){uid, sizeof(uid)};
    is_int(asked_group_name(&pod, text).len, ASKED_GROUP_MAX, "a uid that is none is cut");
}

static void test_volcano(void)
{
    const struct engine_config config = {0};
    struct pod_facts pod = asking("o");

    ok(asked_group_has(&config, &pod), "who asks, and names none, is in it");
    pod.group = text_of("podgroup-o");
    ok(asked_group_has(&config, &pod), "as is who names it");
    pod.group = text_of("other");
    ok(!asked_group_has(&config, &pod), "who names another one is in that");
    pod = asking("o");
    pod.minimum = 0;
    ok(!asked_group_has(&config, &pod), "who asks for none is in none");
}

static void test_native(void)
{
    struct engine_config config = {0};
    struct pod_facts pod = asking("o");

    pod.native_group = text_of("podgroup-o");
    ok(!asked_group_has(&config, &pod), "where nobody makes native groups the name is another's");
    config.effects = 1u << EFFECT_CREATE_NATIVE_GROUP;
    ok(asked_group_has(&config, &pod), "where somebody does it is asked for");
    pod.group = text_of("other");
    ok(asked_group_has(&config, &pod), "whatever else the pod names");
    pod.native_group = text_of("podgroup-x");
    ok(!asked_group_has(&config, &pod), "another name is somebody else's");
    pod.native_group = text_of("podgroup-o");
    pod.composite_group = text_of("top");
    ok(!asked_group_has(&config, &pod), "as is a part of a composite group");
    pod = asking("");
    pod.native_group = text_of("podgroup-p");
    ok(!asked_group_has(&config, &pod), "and who has no controller asks for none");
}

int main(void)
{
    test_name();
    test_volcano();
    test_native();
    return tap_done();
}
