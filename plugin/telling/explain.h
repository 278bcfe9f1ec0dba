/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_TELLING_EXPLAIN_H
#define SLUICE_PLUGIN_TELLING_EXPLAIN_H

#include "plugin/engine.h"

#include <stdint.h>

/* Why a claim does not pass, in the protocol's reasons and in words for the person who asks. */

struct sentence;

/* Why nobody at all is granted anything. [not engine_grants] */
void explain_not_ready(struct sentence *say, const struct engine *e);

/* Whether the claim passes PreEnqueue and PreFilter, and else why not. Without words there is no
 * message, and less to find out. */
void explain_claim(const struct engine *e, uint32_t claim, bool words, struct verdict *ret_verdict);

/* The same of a group's minimum: while it holds, of the first member that is on its way to a node;
 * REASON_NONE: nothing holds it up. */
void explain_group(const struct engine *e, uint32_t group, struct verdict *ret_verdict);

/* What the condition of a pod that waits for its queue says instead of Unschedulable. message has
 * VERDICT_MESSAGE_MAX bytes. */
void explain_condition(const struct engine *e, uint32_t claim, enum reason *ret_reason,
                       char *message);

/* What an event tells the pod's owner, in the words of the above. message likewise. [something
 * stands: news.h] */
void explain_news(const struct engine *e, uint32_t claim, enum reason *ret_reason, char *message);

/* What a member that waits in Permit is told when its gang lets go. message likewise. */
void explain_refusal(const struct engine *e, uint32_t claim, char *message);

#endif
