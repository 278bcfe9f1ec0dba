/* SPDX-License-Identifier: Apache-2.0 */

/* From messages to the facts of a group. */
#include <stdio.h>
#include <string.h>

#include "hooks/decode.h"
#include "t/kit/ask.h"
#include "t/kit/tap.h"

static uint8_t room[1 << 16];
static char fault[512];

/* The first error in words, or "". */
static const char *fault_of(const struct msg_reader *reader)
{
    snprintf(fault, sizeof(fault), "%s: %s, want %s", reader->fault.path, reader->fault.value,
             reader->fault.want);
    return reader->error < 0 ? fault : "";
}

static const char *read_group(const char *text, struct scratch *scratch, struct group_facts *ret)
{
    struct msg_reader reader;
    size_t len = ask_pack(text, room, sizeof(room));

    msg_reader_init(&reader, room, len);
    scratch_finish(scratch);
    scratch_reserve(scratch, decode_scratch(len));
    decode_pod_group(&reader, scratch, ret);
    return fault_of(&reader);
}

static const char *read_lost(const char *text, struct group_facts *ret)
{
    struct msg_reader reader;

    msg_reader_init(&reader, room, ask_pack(text, room, sizeof(room)));
    decode_lost_group(&reader, ret);
    return fault_of(&reader);
}

#define GROUP(rest) "{uid: u, namespace: n, name: g, created: 5" rest "}"

static void test_kinds(void)
{
    struct scratch scratch = {NULL, 0, 0};
    struct group_facts group;

    is_str(read_group(GROUP(""), &scratch, &group), "", "the least of a group");
    ok(group.kind == GROUP_VOLCANO && group.minimum == 0 && group.part_count == 0,
       "is one of Volcano's");
    read_group(GROUP(", native: true, composite: false"), &scratch, &group);
    ok(group.kind == GROUP_NATIVE, "or one of Kubernetes' own");
    read_group(GROUP(", composite: true, native: true"), &scratch, &group);
    ok(group.kind == GROUP_COMPOSITE, "or a composite one, whichever key comes first");
    read_group(GROUP(", composite: true"), &scratch, &group);
    ok(group.kind == GROUP_COMPOSITE, "which need not say that it is native, too");
    scratch_finish(&scratch);
}

static void test_parts(void)
{
    struct scratch scratch = {NULL, 0, 0};
    struct group_facts group;

    is_str(read_group(GROUP(", composite: true, minMember: 2, parts: [{name: a, depth: 1, "
                            "composite: true, minMember: 3}, {name: b, depth: 2, minMember: 4}, "
                            "{name: c, depth: 1}]"),
                      &scratch, &group),
           "", "a composite group with its parts");
    ok(group.minimum == 2 && group.part_count == 3, "as many as there are");
    ok(text_is(group.parts[0].name, "a") && group.parts[0].composite && group.parts[0].depth == 1 &&
           group.parts[0].minimum == 3,
       "a composite one");
    ok(text_is(group.parts[1].name, "b") && !group.parts[1].composite &&
           group.parts[1].depth == 2 && group.parts[1].minimum == 4,
       "one below that");
    ok(group.parts[2].depth == 1 && group.parts[2].minimum == 0, "and one that says little");
    scratch_finish(&scratch);
}

static void test_faults(void)
{
    static const struct {
        const char *text, *fault;
    } faults[] = {
        {GROUP(", parts: [{depth: 1}]"),
         "parts[0].name: nothing, want a value, the key is required"},
        {GROUP(", parts: [{name: a}]"),
         "parts[0].depth: nothing, want a value, the key is required"},
        {GROUP(", parts: [{name: a, depth: 0}]"),
         "parts[0].depth: 0, want an integer from 1 to 255"},
        {GROUP(", parts: [{name: a, depth: 2}]"),
         "parts[0]: a map, want a depth of at most one more than that of a composite part before"},
        {GROUP(", parts: [{name: a, depth: 1}, {name: b, depth: 2}]"),
         "parts[1]: a map, want a depth of at most one more than that of a composite part before"},
        {GROUP(", parts: 3"), "parts: 3, want an array"},
        {GROUP(", composite: 1"), "composite: 1, want true or false"},
    };
    struct scratch scratch = {NULL, 0, 0};
    struct group_facts group;

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        is_str(read_group(faults[i].text, &scratch, &group), faults[i].fault, "%s", faults[i].text);
    scratch_finish(&scratch);
}

static void test_lost(void)
{
    struct group_facts group;

    is_str(read_lost("{namespace: n, name: g, native: true, later: 1}", &group), "",
           "a native group is gone, and a newer host says more of it");
    ok(group.kind == GROUP_NATIVE && text_is(group.space, "n") && text_is(group.name, "g"),
       "of that name");
    is_str(read_lost("{namespace: n, '!later': 1}", &group),
           "!later: 1, want a key that this version knows", "what must be understood is refused");
    is_str(read_lost("{namespace: n}", &group), "name: nothing, want a value, the key is required",
           "one without a name");
}

int main(void)
{
    test_kinds();
    test_lost();
    test_parts();
    test_faults();
    return tap_done();
}
