/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SLUICE_SIM_JSON_H
#define SLUICE_SIM_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * JSON as it is written: commas come by themselves. What an array has is written with the key NULL.
 *
 *     struct json json = {.out = file};
 *     json_begin(&json, NULL, '{');
 *     json_text(&json, "name", name);
 *     json_begin(&json, "list", '[');
 *     json_number(&json, NULL, 1);
 *     json_end(&json, ']');
 *     json_end(&json, '}');
 */
struct json {
    FILE *out;
    bool goes_on; /* something stands before in the same brackets */
};

void json_begin(struct json *json, const char *key, char bracket);
void json_end(struct json *json, char bracket);
void json_text(struct json *json, const char *key, const char *text);
void json_number(struct json *json, const char *key, int64_t number);
void json_bool(struct json *json, const char *key, bool is);
/* Four digits behind the point. */
void json_real(struct json *json, const char *key, double number);
void json_null(struct json *json, const char *key);

/* A time or duration in nanoseconds, as milliseconds with as many digits as they need. */
void json_time(struct json *json, const char *key, int64_t ns);

/* A value that is JSON already. */
void json_raw(struct json *json, const char *key, const char *text);

#endif
