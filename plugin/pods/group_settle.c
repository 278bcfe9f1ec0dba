/* SPDX-License-Identifier: Apache-2.0 */
#include "assembly.h"
#include "gang.h"
#include "group.h"
#include "group_home.h"
#include "plugin/notes.h"
#include "plugin/state.h"

/* Groups that changed are looked at, in the order in which they did. */

void group_settle(struct engine *e)
{
    while (e->pods.touched.first != 0) {
        uint32_t id = e->pods.touched.first;

        group_untouch(e, id);
        group_count_home(e, id);
        group_candidates_changed(e, id);
        gang_review(e, id);
        if (!group_at(e, id)->is_todo)
            assembly_review(e, id);
        note_group(e, id);
        if (!group_is_unused(group_at(e, id)))
            continue;
        assembly_forget(e, id);
        gang_set_entry(e, id, 0);
        group_end(e, id);
    }
}
