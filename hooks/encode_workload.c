/* SPDX-License-Identifier: Apache-2.0 */
#include "encode.h"

#include "plugin/telling/report.h"

void put_set(struct msg_writer *w, const struct workload_set_report *set)
{
    put_key_text(w, "name", set->name);
    put_key_int(w, "count", set->count);
    msg_put_key(w, "flavors");
    msg_put_map(w, set->need_count);
    for (uint32_t i = 0; i < set->need_count; i++) {
        msg_put_text(w, set->needs[i].resource.at, set->needs[i].resource.len);
        msg_put_text(w, set->needs[i].flavor.at, set->needs[i].flavor.len);
    }
}

static void put_requests(struct msg_writer *w, const struct workload_set_report *set)
{
    msg_put_key(w, "requests");
    msg_put_map(w, set->need_count);
    for (uint32_t i = 0; i < set->need_count; i++) {
        msg_put_text(w, set->needs[i].resource.at, set->needs[i].resource.len);
        msg_put_int(w, set->needs[i].amount);
    }
}

static void put_admission(struct msg_writer *w, const struct workload_write_report *report)
{
    msg_put_key(w, "admission");
    msg_put_map(w, 2);
    put_key_text(w, "clusterQueue", report->queue);
    msg_put_key(w, "podSets");
    msg_put_array(w, report->set_count);
    for (uint32_t s = 0; s < report->set_count; s++) {
        msg_put_map(w, SET_KEYS + 1);
        put_set(w, &report->sets[s]);
        put_requests(w, &report->sets[s]);
    }
}

static void put_checks(struct msg_writer *w, const struct workload_write_report *report)
{
    msg_put_key(w, "checks");
    msg_put_array(w, report->check_count);
    for (uint32_t i = 0; i < report->check_count; i++)
        msg_put_text(w, report->checks[i].at, report->checks[i].len);
}

static void put_positions(struct msg_writer *w, const struct workload_write_report *report)
{
    msg_put_key(w, "gates");
    msg_put_map(w, report->gate_count);
    for (uint32_t i = 0; i < report->gate_count; i++) {
        msg_put_text(w, report->gates[i].name.at, report->gates[i].name.len);
        msg_put_str(w, report->gates[i].open ? "Open" : "Closed");
    }
}

/* The keys of each write beyond those that all have. */
static uint32_t own_keys(const char *write)
{
    static const struct {
        const char *write;
        uint32_t keys;
    } rows[] = {{"reserve", 4},     {"gates", 1},  {"evict", 5},
                {"endEviction", 1}, {"checks", 1}, {"requeueAt", 1}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (text_is(text_of(write), rows[i].write))
            return rows[i].keys;
    }
    return 0;
}

void put_workload_effect(struct msg_writer *w, const struct engine *engine,
                         const struct effect *effect)
{
    enum { COMMON_KEYS = 4 };
    struct workload_write_report report;
    struct text write;

    engine_workload_write(engine, effect->workload, &report);
    write = text_of(report.write);
    msg_put_map(w, EFFECT_NAME_KEYS + COMMON_KEYS + own_keys(report.write));
    put_effect_name(w, effect);
    put_key_int(w, "resourceVersion", effect->resource_version);
    put_key_str(w, "write", report.write);
    put_key_text(w, "reason", report.reason);
    put_key_str(w, "message", report.message);
    if (text_is(write, "reserve")) {
        put_admission(w, &report);
        put_checks(w, &report);
        put_key_bool(w, "admitted", report.admitted);
        put_key_bool(w, "clear", report.clear);
    } else if (text_is(write, "gates")) {
        put_positions(w, &report);
    } else if (text_is(write, "evict")) {
        put_key_text(w, "cause", report.cause);
        put_positions(w, &report);
        put_key_bool(w, "clear", report.clear);
        put_checks(w, &report);
        put_key_bool(w, "forgetRequeue", report.forget_requeue);
    } else if (text_is(write, "endEviction")) {
        put_key_bool(w, "requeued", report.requeued);
    } else if (text_is(write, "checks")) {
        put_checks(w, &report);
    } else if (text_is(write, "requeueAt")) {
        put_key_int(w, "at", report.at);
    }
}
