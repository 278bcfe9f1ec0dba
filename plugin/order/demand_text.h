/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_PLUGIN_ORDER_DEMAND_TEXT_H
#define SLUICE_PLUGIN_ORDER_DEMAND_TEXT_H

/*
 * What a workload asks for as one text: numbers of 32 and 64 bits and texts behind their lengths,
 * maps in the order of their keys. Who asks for the same has the same text, in whichever order the
 * host said it; and there it is kept, once.
 */
struct engine;
struct demand;

/* Reads demand->text: its sets, with one allocation. Negative on error, and what there is of them
 * is to be released. */
int demand_read(struct engine *e, struct demand *demand);

#endif
