/* SPDX-License-Identifier: Apache-2.0 */
#include "decode.h"

struct found {
    bool uid, space, name, action, target, target_name;
};

static void decode_target(struct msg_reader *r, struct found *found, struct command_order *ret)
{
    struct text kind = {NULL, 0};
    struct msg_map map;
    struct msg_text key;

    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "kind"))
            decode_words(r, DECODE_NAME_MAX, &kind);
        else if (msg_text_is(key, "name"))
            found->target_name = decode_name(r, &ret->facts.target);
        else if (msg_text_is(key, "uid"))
            decode_words(r, DECODE_NAME_MAX, &ret->facts.target_uid);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, found->target_name, "name");
    ret->to_queue = kind.len == 0 || text_is(kind, "Queue");
}

void decode_command(struct msg_reader *r, enum command_use use, struct command_order *ret)
{
    struct found found = {0};
    struct msg_map map;
    struct msg_text key;

    *ret = (struct command_order){.to_queue = true};
    msg_open_map(r, &map);
    while (msg_next_key(r, &map, &key)) {
        if (msg_text_is(key, "uid")) {
            found.uid = decode_uid(r, &ret->facts.uid);
        } else if (msg_text_is(key, "namespace")) {
            found.space = decode_name(r, &ret->facts.space);
        } else if (msg_text_is(key, "name")) {
            found.name = decode_name(r, &ret->facts.name);
        } else if (msg_text_is(key, "created")) {
            msg_get_int(r, 0, DECODE_TIME_MAX, &ret->facts.created);
        } else if (msg_text_is(key, "action")) {
            found.action = decode_words(r, DECODE_NAME_MAX, &ret->facts.action);
        } else if (msg_text_is(key, "target")) {
            found.target = true;
            decode_target(r, &found, ret);
        } else {
            msg_skip_unknown(r);
        }
    }
    msg_require(r, found.uid || use == COMMAND_ADMITTED, "uid");
    msg_require(r, found.space || use == COMMAND_GONE, "namespace");
    msg_require(r, found.name || use != COMMAND_SEEN, "name");
    msg_require(r, found.action || use == COMMAND_GONE, "action");
    msg_require(r, found.target || use == COMMAND_GONE, "target");
}
