/* SPDX-License-Identifier: Apache-2.0 */
#include "asked_group.h"

#include "config.h"
#include "effect.h"

#include <string.h>

struct text asked_group_name(const struct pod_facts *pod, char text[ASKED_GROUP_MAX])
{
    static const char prefix[] = "podgroup-";
    const size_t begin = sizeof(prefix) - 1;
    struct text uid = pod->controller.uid.len > 0 ? pod->controller.uid : pod->uid;
    size_t len = uid.len < ASKED_GROUP_MAX - begin ? uid.len : ASKED_GROUP_MAX - begin;

    memcpy(text, prefix, begin);
    if (len > 0)
        memcpy(text + begin, uid.at, len);
    return (struct text){text, begin + len};
}

static bool names_native(const struct engine_config *config, const struct pod_facts *pod,
                         struct text asked)
{
    return config_names_effect(config, EFFECT_CREATE_NATIVE_GROUP) &&
           pod->composite_group.len == 0 && pod->controller.uid.len > 0 &&
           text_same(pod->native_group, asked);
}

bool asked_group_has(const struct engine_config *config, const struct pod_facts *pod)
{
    char text[ASKED_GROUP_MAX];
    struct text asked = asked_group_name(pod, text);

    if (pod->minimum == 0)
        return false;
    if (pod->native_group.len > 0)
        return names_native(config, pod, asked);
    return pod->group.len == 0 || text_same(pod->group, asked);
}
