/* SPDX-License-Identifier: Apache-2.0 */
#include "examples/sim/json.h"

#include <inttypes.h>
#include <string.h>

#include "examples/sim/text.h"

static void begin_value(struct json *json, const char *key)
{
    if (json->goes_on)
        fputc(',', json->out);
    json->goes_on = true;
    if (!key)
        return;
    text_json(json->out, key);
    fputc(':', json->out);
}

void json_begin(struct json *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->out);
    json->goes_on = false;
}

void json_end(struct json *json, char bracket)
{
    fputc(bracket, json->out);
    json->goes_on = true;
}

void json_text(struct json *json, const char *key, const char *text)
{
    begin_value(json, key);
    text_json(json->out, text);
}

void json_number(struct json *json, const char *key, int64_t number)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, number);
}

void json_real(struct json *json, const char *key, double number)
{
    begin_value(json, key);
    fprintf(json->out, "%.4f", number);
}

void json_bool(struct json *json, const char *key, bool is)
{
    begin_value(json, key);
    fputs(is ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
    begin_value(json, key);
    fputs("null", json->out);
}

void json_time(struct json *json, const char *key, int64_t ns)
{
    char text[40];
    int64_t rest = ns % 1000000;

    begin_value(json, key);
    if (rest == 0) {
        fprintf(json->out, "%" PRId64, ns / 1000000);
        return;
    }
    snprintf(text, sizeof(text), "%s%" PRId64 ".%06" PRId64, ns < 0 ? "-" : "",
             ns < 0 ? -(ns / 1000000) : ns / 1000000, rest < 0 ? -rest : rest);
    for (size_t len = strlen(text); text[len - 1] == '0'; len--)
        text[len - 1] = '\0';
    fputs(text, json->out);
}

void json_raw(struct json *json, const char *key, const char *text)
{
    begin_value(json, key);
    fputs(text, json->out);
}
