/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

static void decode_target(struct msg_reader *r, struct command_order *ret)
{
    struct text kind = {NULL, 0};
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "kind"))
            decode_words(r, DECODE_NAME_MAX, &kind);
        else if (msg_text_is(key, "name"))
            decode_name(r, &ret->facts.target);
        else if (msg_text_is(key, "uid"))
            decode_words(r, DECODE_NAME_MAX, &ret->facts.target_uid);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, ret->facts.target.len > 0, "name");
    ret->to_queue = kind.len == 0 || text_is(kind, "Queue");
}

void decode_command(struct msg_reader *r, enum command_use use, struct command_order *ret)
{
    struct command_facts *facts = &ret->facts;
    const struct identity who = {&facts->uid, &facts->space, &facts->name};
    struct msg_map map;
    struct msg_text key;

    *ret = (struct command_order){.to_queue = true};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "created"))
            msg_get_int(r, 0, DECODE_TIME_MAX, &facts->created);
        else if (msg_text_is(key, "action"))
            decode_words(r, DECODE_NAME_MAX, &facts->action);
        else if (msg_text_is(key, "target"))
            decode_target(r, ret);
        else if (!decode_identity(r, key, &who))
            msg_skip_unknown(r);
    }
    msg_require(r, facts->uid.len > 0 || use == COMMAND_ADMITTED, "uid");
    msg_require(r, facts->space.len > 0 || use == COMMAND_GONE, "namespace");
    msg_require(r, facts->name.len > 0 || use != COMMAND_SEEN, "name");
    msg_require(r, facts->action.at != NULL || use == COMMAND_GONE, "action");
    msg_require(r, facts->target.len > 0 || use == COMMAND_GONE, "target");
}
