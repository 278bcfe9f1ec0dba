/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_CLAIMS_CLAIM_MAKE_H
#define SLUICE_PLUGIN_CLAIMS_CLAIM_MAKE_H

#include "plugin/records/claim.h"

struct group;

/* How the records of claims are made, get another line, and go. */

/* A new record that holds nothing; what it needs in its life is allocated here. Takes over the
 * caller's use of the line. Negative on error, and the line is still the caller's. */
int claim_create(struct engine *e, const struct pod_facts *pod, uint32_t line, uint32_t *ret_claim);

/* A record for the minimum of a group: known to no index, in a line of its own. [line_make_own]
 * Negative on error. */
int claim_create_entry(struct engine *e, const struct group *group, struct text uid, uint32_t line,
                       uint32_t *ret_claim);
void claim_destroy_entry(struct engine *e, uint32_t claim);

/* A record of a workload, of which nothing is known but its name. Negative on error. It goes.
 * [holds nothing, and is in no queue] */
int claim_create_workload(struct engine *e, struct text space, struct text name,
                          uint32_t *ret_claim);
void claim_destroy_workload(struct engine *e, uint32_t claim);

/* For the end of the engine. */
void claim_release_text(struct engine *e, uint32_t claim);

/* It gives back what it holds, and is gone. */
void claim_destroy(struct engine *e, uint32_t claim);

/* The claim is to ask for what this line asks for. The new text is allocated first; then the claim,
 * which holds nothing, changes its line and forgets its flavors. */
char *claim_new_text(struct engine *e, uint32_t claim, uint32_t line);
size_t claim_text_size(const struct engine *e, uint32_t claim, uint32_t line);
void claim_set_line(struct engine *e, uint32_t claim, uint32_t line, char *text);

/* The same for a line of the same queue and needs: the claim keeps what it holds. */
void claim_swap_line(struct engine *e, uint32_t claim, uint32_t line, char *text);

#endif
