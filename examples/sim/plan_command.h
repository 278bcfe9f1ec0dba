/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_PLAN_COMMAND_H
#define SLUICE_SIM_PLAN_COMMAND_H

/* The commands that are about traces. argv begins behind the command's name; each returns an exit
 * code. */

extern const char plan_usage[];
extern const char plan_commands[];
extern const char plan_options[];

/* Plays a trace under each of several stories: TRACE --with STORY [--or STORY]... */
int plan_main(const char *program, int argc, char **argv);

/* Writes a trace with the shape of a public one: KIND [--pods N] ... */
int trace_main(const char *program, int argc, char **argv);

#endif
