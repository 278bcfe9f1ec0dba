/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_NODE_H
#define SLUICE_PLUGIN_CAPACITY_NODE_H

#include "plugin/base/facts.h"

#include <stdbool.h>
#include <stdint.h>

/* A node, as far as queues care: its labels, which decide the flavors it belongs to, and what it
 * can hold, where the cluster's size is the root's ceiling. */
struct node {
    uint32_t name;
    uint32_t label_count, amount_count;
    struct node_label {
        uint32_t key, value;
    } * labels;
    struct node_amount {
        uint32_t resource;
        int64_t amount;
    } * amounts;
};

struct engine;

/* Its object, as it is seen. Negative on error. */
int node_see(struct engine *e, const struct node_facts *facts, uint32_t *ret_id);

/* It is gone; false: it was not known. */
bool node_lose(struct engine *e, struct text name);

uint32_t node_find(const struct engine *e, struct text name);

/* Whether the node has every label of the flavor. */
bool node_has_flavor(const struct engine *e, uint32_t node, uint16_t flavor);

void node_release_all(struct engine *e);

#endif
