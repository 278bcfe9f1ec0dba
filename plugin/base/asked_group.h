/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_BASE_ASKED_GROUP_H
#define SLUICE_PLUGIN_BASE_ASKED_GROUP_H

#include "facts.h"

#include <stdbool.h>

/*
 * The group that a pod asks for by a minimum is called after the uid of its controller, or its own
 * where nobody controls it, so two controllers of one name never share it:
 *
 *   PodGroup of Volcano's      the topmost controller's. A pod that names another one is in that
 *   one of Kubernetes' own     its own controller's, where that is the name in its spec, which is
 *                              written when it is created, by who sees nothing else of it, and
 *                              the host makes such groups
 */
enum { ASKED_GROUP_MAX = 9 + 64 }; /* "podgroup-" and a uid, as Volcano calls them */

struct engine_config;

/* Its name, in text. */
struct text asked_group_name(const struct pod_facts *pod, char text[ASKED_GROUP_MAX]);

/* Whether the pod is in the group that it asks for. */
bool asked_group_has(const struct engine_config *config, const struct pod_facts *pod);

#endif
