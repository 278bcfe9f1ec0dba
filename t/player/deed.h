/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_T_PLAYER_DEED_H
#define SLUICE_T_PLAYER_DEED_H

#include "t/player/host.h"

/* What the world is like after an effect was carried out. */

/* What becomes of an effect: indexes into message_results. */
enum { DEED_DONE, DEED_GONE, DEED_CONFLICT, DEED_RETRY };

/* Carries out an effect; what becomes of it. ret_version: the object's, as it was written; 0:
 * none. */
unsigned deed_carry_out(struct host *host, const struct msg_reader *effect, int64_t *ret_version);

/* The same, of an effect that writes a workload. */
unsigned deed_write_workload(struct host *host, const struct msg_reader *effect,
                             int64_t *ret_version);

/* Takes the gates off a pod, and writes the annotations, that an effect or an answer names. */
void deed_remove_gates(struct host *host, unsigned slot, const struct msg_reader *from);

/* The value of an object's field. */
uint8_t *deed_field(struct host *host, enum cast kind, unsigned slot, const char *key);

/* Whether the effect has this word under this key. */
bool deed_is(const struct msg_reader *effect, const char *key, const char *word);

/* The slot of the object that has the effect's uid, such as pu3.1. False: it is not there. */
bool deed_find(struct host *host, const struct msg_reader *effect, enum cast kind,
               unsigned *ret_slot);

/* Sets an object's field to the word that `from` has under this name; 0 if it is none of its
 * words. */
void deed_take_word(struct host *host, enum cast kind, unsigned slot, const char *key,
                    const struct msg_reader *from, const char *name);

#endif
