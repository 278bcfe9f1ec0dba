/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CAPACITY_FLAVOR_H
#define SLUICE_PLUGIN_CAPACITY_FLAVOR_H

#include "plugin/base/facts.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of node. A flavor has a number that is small and stays while anybody uses it: a queue that
 * names it, a claim that was granted it, or the object itself. Number 0 is the flavor of trees that
 * know no flavors: it asks for nothing and every node has it. */
enum { FLAVOR_NONE = UINT16_MAX }; /* of a resource that nobody counts */

struct flavor {
    uint32_t name;
    uint32_t users;
    bool seen; /* there is an object; else nobody is granted it and no node has it */
    uint8_t label_count, toleration_count;
    struct {
        uint32_t key, value;
    } labels[FACTS_MAX_LABELS];
    struct {
        uint32_t key, operator_, value, effect;
        bool has_seconds;
        int64_t seconds;
    } tolerations[FACTS_MAX_TOLERATIONS];
    uint8_t taint_count;
    struct {
        uint32_t key, value, effect;
    } taints[FACTS_MAX_TAINTS];
};

struct engine;

/* Its object, as it is seen. Negative on error. */
int flavor_see(struct engine *e, const struct flavor_facts *facts);

/* It is gone; false: it was not known. */
bool flavor_lose(struct engine *e, struct text name);

/* Finds the flavor or makes an unseen one, with one more user. Negative on error. */
int flavor_get(struct engine *e, struct text name, uint16_t *ret_number);
void flavor_ref(struct engine *e, uint16_t number);
void flavor_unref(struct engine *e, uint16_t number);

struct text flavor_name(const struct engine *e, uint16_t number);

/* Whether an object of that name was seen, or it is number 0. */
bool flavor_usable(const struct engine *e, uint16_t number);

/* Whether a pod must be changed to be held to it. */
bool flavor_asks(const struct engine *e, uint16_t number);

/* Whether a node of the flavor refuses a pod before it has been changed. */
bool flavor_tolerates(const struct engine *e, uint16_t number);

#endif
