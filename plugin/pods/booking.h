/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_PODS_BOOKING_H
#define SLUICE_PLUGIN_PODS_BOOKING_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Room for pods that are still to be made. Who makes the pods of a PodGroup may wait until it is
 * Inqueue, as the controller of Volcano's Jobs does. So a group that others made, and of whose
 * minimum members are missing, asks its queue for what its object says that it needs:
 *
 *   members are missing ──▶ minResources, and one of `pods` for each
 *                               │
 *        queue's order ◀── entry ┘   one claim, with the group's rank
 *            │
 *            └── granted: the entry itself is reserved, and the group is Inqueue
 *                   │
 *                   ├── the members are there: what they ask for takes its place, in one step
 *                   ├── nobody makes them for as long as a pod may be unseen: it gives back, and
 *                   │   asks again after a pause, which grows; then it has nobody sent away
 *                   ├── a shrink takes it, as what was granted last in the order of the groups'
 *                   │   creation; or its queue stops: it asks again
 *                   └── the group goes, is over, or asks for something else
 *
 * Members that are there and held by something of their own are not missing: they take no room.
 * Who holds room already, for one member or more, needs nobody to make the others: such a group is
 * not Pending. After a restart a group whose status says Inqueue keeps its room while it fits, in
 * the order in which the groups were created.
 */
enum {
    /* Of the pause, which begins as that of a pod: a PodGroup that nobody makes pods for any more
     * keeps room for less than a tenth of the time. */
    BOOKING_BACKOFF_DOUBLINGS = 9,
};

struct engine;
struct group;

/* The group waits for room for members that are still to be made; or holds it. */
bool booking_waits(const struct engine *e, const struct group *group);
bool booking_holds(const struct engine *e, const struct group *group);

/* It gave its room back because nobody made them, and pauses. */
bool booking_pauses(const struct engine *e, const struct group *group);

/* Looks at the group anew, whose members do not wait as one. */
void booking_review(struct engine *e, uint32_t group);

/* Neither asks nor holds any more, now or for as long as the group is as it is. Returns the queue
 * in which it held room; 0: it held none. */
uint32_t booking_end(struct engine *e, uint32_t group);
uint32_t booking_is_over(struct engine *e, uint32_t group);

/* Whether what has ended in that queue makes place for a claim of this line, whoever waits. */
bool booking_passes_on(const struct engine *e, uint32_t queue, uint32_t line,
                       uint16_t *ret_flavors);

/* The entry's turn has come. */
void booking_grant(struct engine *e, uint32_t entry, const uint16_t *flavors);

/* This engine begins to lead: what it was granted before comes back in order; or ceases. */
void booking_begin(struct engine *e, uint32_t group);
void booking_restore(struct engine *e, uint32_t entry);
void booking_stand_by(struct engine *e, uint32_t group);

/* The time of an entry's room, or of its pause, is over (claim_time.h). */
void booking_expire(struct engine *e, uint32_t entry);

const char *booking_check(const struct engine *e, uint32_t group);

#endif
