/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/victims.h"

#include <string.h>

/* Who begins to lead, or ends to: of what was decided only that is left that objects tell. */

/* All that holds nothing but in memory is forgotten: the pods tell. */
static void rebuild(struct model *model)
{
    for (int uid = 0; uid < UIDS; uid++) {
        model->claims[uid].keeps_turn = model->claims[uid].overwriting = false;
        if (model->claims[uid].live)
            model_settle_claim(model, &model->claims[uid], false);
    }
    model_rebuild_bookings(model);
}

void model_restart(struct model *model)
{
    const struct model_claim nobody = {0};

    model->synced = model->leads = false;
    model_stand_by(model);
    model_end_promises(model, true);
    memset(model->claims + UIDS, 0, GROUPS * sizeof *model->claims);
    for (int uid = 0; uid < UIDS; uid++) {
        struct model_claim *claim = &model->claims[uid];

        if (!claim->live || !claim->confirmed)
            model_lose(model, uid);
        claim->parked = claim->said = false;
        claim->again = claim->timeouts = 0;
        claim->rests_until = 0;
        claim->bound = claim->pod[POD_NODE] > 0;
        claim->group_queue = 0;
        if (claim->live)
            model_join_group(model, claim, claim->pod);
        claim->place = model_find_place(model, &nobody, claim->pod);
        model_note_place(model, claim);
        claim->state = CLAIM_HELD;
        model_note_stamp(claim);
        claim->guessed = false;
        model_forget_flavors(claim);
        model_read_stamp(claim);
    }
    rebuild(model);
    model_set_role(model, true, true);
}

void model_set_role(struct model *model, bool synced, bool leads)
{
    bool granted = model_grants(model);

    model->synced = synced;
    model->leads = leads;
    if (granted && !model_grants(model)) {
        model_stand_by(model);
        model_end_promises(model, false);
        rebuild(model);
    }
    if (!granted && model_grants(model)) {
        model_guess_again(model);
        model_begin_gangs(model);
        model_carry_out(model);
    }
}
