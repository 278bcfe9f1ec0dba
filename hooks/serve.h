/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_HOOKS_SERVE_H
#define SLUICE_HOOKS_SERVE_H

#include "call.h"

/* What each hook does, and a request for the manifest that every new handle accepts. */
void serve_observe(struct call *call);
void serve_admit(struct call *call);
void serve_pre_enqueue(struct call *call);
void serve_pre_filter(struct call *call);
void serve_filter(struct call *call);
void serve_post_filter(struct call *call);
void serve_reserve(struct call *call);
void serve_unreserve(struct call *call);
void serve_permit(struct call *call);
void serve_bind(struct call *call);
void serve_post_bind(struct call *call);
void serve_command(struct call *call);
void serve_tick(struct call *call);
void serve_drain(struct call *call);
void serve_ack(struct call *call);
void serve_inspect(struct call *call);

void sample_observe(struct msg_writer *w);
void sample_admit(struct msg_writer *w);
void sample_pre_enqueue(struct msg_writer *w);
void sample_uid(struct msg_writer *w);
void sample_filter(struct msg_writer *w);
void sample_placed(struct msg_writer *w);
void sample_command(struct msg_writer *w);
void sample_tick(struct msg_writer *w);
void sample_drain(struct msg_writer *w);
void sample_ack(struct msg_writer *w);
void sample_inspect(struct msg_writer *w);

#endif
