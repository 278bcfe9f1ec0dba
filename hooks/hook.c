/* SPDX-License-Identifier: Apache-2.0 */
#include "serve.h"

/* The largest answers, with room for keys that later versions add. */
enum {
    ANSWER_SMALL = 256,    /* numbers and truths */
    ANSWER_VERDICT = 1024, /* a message of VERDICT_MESSAGE_MAX, and a reason */
    ANSWER_REPORT = 1280,  /* a reason of COMMAND_REASON_MAX */
    ANSWER_FILLS = 0,
};

const struct hook hook_table[HOOK_COUNT] = {
    [HOOK_OBSERVE] = {"observe", ANSWER_SMALL, false, serve_observe, sample_observe},
    [HOOK_ADMIT] = {"admit", ANSWER_REPORT, false, serve_admit, sample_admit},
    [HOOK_PRE_ENQUEUE] = {"pre_enqueue", ANSWER_VERDICT, false, serve_pre_enqueue,
                          sample_pre_enqueue},
    [HOOK_PRE_FILTER] = {"pre_filter", ANSWER_VERDICT, false, serve_pre_filter, sample_uid},
    [HOOK_FILTER] = {"filter", ANSWER_FILLS, true, serve_filter, sample_filter},
    [HOOK_POST_FILTER] = {"post_filter", ANSWER_SMALL, false, serve_post_filter, sample_uid},
    [HOOK_RESERVE] = {"reserve", ANSWER_VERDICT, false, serve_reserve, sample_placed},
    [HOOK_UNRESERVE] = {"unreserve", ANSWER_SMALL, false, serve_unreserve, sample_placed},
    [HOOK_PERMIT] = {"permit", ANSWER_SMALL, false, serve_permit, sample_placed},
    [HOOK_BIND] = {"bind", ANSWER_FILLS, false, serve_bind, sample_placed},
    [HOOK_POST_BIND] = {"post_bind", ANSWER_SMALL, false, serve_post_bind, sample_placed},
    [HOOK_COMMAND] = {"command", ANSWER_REPORT, false, serve_command, sample_command},
    [HOOK_TICK] = {"tick", ANSWER_SMALL, false, serve_tick, sample_tick},
    [HOOK_DRAIN] = {"drain", ANSWER_FILLS, false, serve_drain, sample_drain},
    [HOOK_ACK] = {"ack", ANSWER_SMALL, false, serve_ack, sample_ack},
    [HOOK_INSPECT] = {"inspect", ANSWER_FILLS, true, serve_inspect, sample_inspect},
};
