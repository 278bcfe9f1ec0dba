/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/pod_queue.h"

#include <stdio.h>
#include <string.h>

#include "examples/sim/queue_users.h"
#include "examples/sim/sim.h"
#include "examples/sim/translate.h"

#define QUEUE_NAME "scheduling.volcano.sh/queue-name"
#define GROUP_NAME "scheduling.k8s.io/group-name"
#define GROUP_MIN_MEMBER "scheduling.volcano.sh/group-min-member"

static const char *text_of(const struct tree *tree)
{
    return tree && tree->type == TREE_TEXT ? tree->text : NULL;
}

/* The LocalQueue's name stands for a ClusterQueue that is not known. */
static const char *cluster_queue_of(const struct sim *sim, const struct pod *pod, const char *local,
                                    char *out, size_t cap)
{
    bool is_default = strcmp(pod->namespace, "default") == 0;

    snprintf(out, cap, "localqueue/%s%s%s", is_default ? "" : pod->namespace, is_default ? "" : "/",
             local);
    const char *name = text_of(tree_find(
        world_document(sim, "localqueue", out + strlen("localqueue/")), "spec/clusterQueue"));
    return name ? name : out;
}

/* What the pod does not say for itself. A pod that asks for a group of its own is not put into one
 * that its owner names. */
static struct pairs with_inherited(struct arena *arena, const struct sim *sim,
                                   const struct pod *pod, struct pairs own)
{
    static const char *const keys[] = {QUEUE_NAME, GROUP_MIN_MEMBER, GROUP_NAME};
    const struct object *owner = map_get(&sim->world.objects, pod->parent);
    const struct tree *said =
        owner && owner->is ? tree_find(owner->doc, "metadata/annotations") : NULL;
    bool asks = pairs_get(&own, GROUP_MIN_MEMBER) != NULL;
    struct pairs all = own;

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const char *value = text_of(tree_get(said, keys[i]));
        if (value && !pairs_get(&own, keys[i]) && !(asks && strcmp(keys[i], GROUP_NAME) == 0))
            all = pairs_set(arena, all, keys[i], value);
    }
    return all;
}

void pod_queue_put(struct request *r, const struct sim *sim, const struct pod *pod,
                   const struct pod_state *state)
{
    const char *local = pairs_get(&state->labels, "kueue.x-k8s.io/queue-name");
    struct arena scratch = {0};
    struct pairs annotations = with_inherited(&scratch, sim, pod, state->annotations);
    char ref[600];

    translate_pairs(r, "labels", &state->labels);
    if (local) {
        const char *queue = cluster_queue_of(sim, pod, local, ref, sizeof(ref));
        annotations = pairs_set(&scratch, annotations, QUEUE_NAME, queue);
        r_key_str(r, "queueKind", "ClusterQueue");
        r_key_bool(r, "selected", queue_users_selected(sim, queue, pod->namespace));
        r_key_int(r, "priority", queue_users_priority(sim, "clusterqueue", queue, pod->priority));
    } else {
        bool binds;
        const char *home = queue_users_home(sim, pod->namespace, &binds);
        const char *queue = pairs_get(&annotations, QUEUE_NAME);
        if (home)
            r_key_str(r, "namespaceQueue", home);
        if (binds && queue)
            annotations = pairs_set(&scratch, annotations, QUEUE_NAME, "");
        queue = queue && *queue && !binds ? queue : home ? home : "default";
        r_key_bool(r, "mayUse", queue_users_listed(sim, queue, pod->namespace));
        r_key_int(r, "priority", queue_users_priority(sim, "queue", queue, pod->priority));
    }
    translate_pairs(r, "annotations", &annotations);
    arena_finish(&scratch);
}
