/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Pods that ask for a group, and a host whose writes end in every way at any time: gates,
 * conditions, names of groups, PodGroups made, changed and their statuses, answers in Permit. In a
 * third of the histories the groups are Kubernetes' own, made where pods ask for a minimum.
 * Owners are edited, roll out and go, a user has a PodGroup of his own, messages are late or old,
 * the lead is lost, the engine begins anew. Whatever happens the engine's invariants hold; and when
 * all calms down nothing is left to write, and every object says what a naive look at its owner
 * says.
 */
#include "t/kit/tap.h"
#include "t/oracle/argument.h"
#include "t/oracle/gang_play.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 400 };

static bool play_history(struct gang_play *play, uint64_t seed, uint64_t *digests)
{
    const uint32_t effects = 1u << EFFECT_ANSWER_PERMIT | 1u << EFFECT_SET_GROUP |
                             1u << EFFECT_CREATE_GROUP | 1u << EFFECT_SET_GROUP_STATUS |
                             1u << EFFECT_CHANGE_GROUP | 1u << EFFECT_CREATE_NATIVE_GROUP;
    uint64_t writes[EFFECT_KINDS];
    bool trace = play->trace;

    memcpy(writes, play->writes, sizeof(writes));
    memset(play, 0, sizeof(*play));
    memcpy(play->writes, writes, sizeof(writes));
    play->trace = trace;
    play->random.state = seed;
    play->world.now = 1000 * SECOND;
    play->world.kind = gang_one_in(play, 3) ? GROUP_NATIVE : GROUP_VOLCANO;
    supply_init(&play->supply, false);
    play->config = (struct engine_config){
        .removal = gang_one_in(play, 2) ? REMOVE_ON_BIND : REMOVE_ON_ADMISSION, .effects = effects};
    gang_open(play);
    play->leads = true;
    gang_restart(play);
    for (int n = 0; n < STEPS && play->broken[0] == '\0'; n++) {
        gang_step(play);
        if (play->broken[0] == '\0' && gang_one_in(play, 100)) {
            gang_calm_down(play);
            if (play->broken[0] == '\0')
                gang_look(play);
            play->calm = false;
        }
    }
    *digests += engine_digest(play->engine, true);
    gang_close(play);
    if (play->broken[0] != '\0')
        tap_diag("seed %" PRIu64 ": %s", seed, play->broken);
    return play->broken[0] == '\0';
}

int main(int argc, char **argv)
{
    static const char *const kinds[EFFECT_KINDS] = {[EFFECT_ACTIVATE] = "activate",
                                                    [EFFECT_REMOVE_GATES] = "removeGates",
                                                    [EFFECT_SET_CONDITION] = "setCondition",
                                                    [EFFECT_ANSWER_PERMIT] = "answerPermit",
                                                    [EFFECT_SET_GROUP] = "setGroup",
                                                    [EFFECT_CREATE_GROUP] = "createGroup",
                                                    [EFFECT_SET_GROUP_STATUS] = "setGroupStatus",
                                                    [EFFECT_CHANGE_GROUP] = "changeGroup",
                                                    [EFFECT_CREATE_NATIVE_GROUP] =
                                                        "createNativeGroup"};
    uint64_t first = 1, count = 300, digests = 0;
    static struct gang_play play; /* large */
    long broken = 0;
    const struct argument arguments[] = {{"--seed", .number = &first},
                                         {"--histories", .number = &count, .least = 1},
                                         {"--trace", .is_said = &play.trace},
                                         {.name = NULL}};

    if (!argument_read(argc, argv, arguments))
        return fputs("usage: t-gang-oracle [--seed N] [--histories N] [--trace]\n", stderr), 2;
    for (uint64_t seed = first; seed < first + count && broken < 10; seed++)
        broken += !play_history(&play, seed, &digests);
    tap_diag("%" PRIu64 " histories of %d steps, digests %016" PRIx64, count, STEPS, digests);
    ok(broken == 0, "whatever becomes of writes, all objects say in the end what they should");
    for (int kind = 0; kind < EFFECT_KINDS; kind++)
        if (kinds[kind] != NULL)
            ok(play.writes[kind] > 0, "%s: %" PRIu64 " were done", kinds[kind], play.writes[kind]);
    return tap_done();
}
