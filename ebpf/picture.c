/* SPDX-License-Identifier: Apache-2.0 */
#include "picture.h"

#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

static const struct {
    const char *title, *name;
} stages[STAGES] = {
    [CREATED_TO_SEEN] = {"created → seen", "created_seen"},
    [SEEN_TO_ELIGIBLE] = {"seen → eligible", "seen_eligible"},
    [ELIGIBLE_TO_GRANTED] = {"eligible → granted", "eligible_granted"},
    [GRANTED_TO_REMOVED] = {"granted → gate gone", "granted_removed"},
    [GRANTED_TO_RESERVED] = {"granted → reserved", "granted_reserved"},
    [RESERVED_TO_BOUND] = {"reserved → bound", "reserved_bound"},
    [CREATED_TO_REMOVED] = {"created → gate gone", "created_removed"},
    [CREATED_TO_BOUND] = {"created → bound", "created_bound"},
};

static const char *const happenings[HAPPENINGS] = {
    [SEEN] = "seen",
    [ELIGIBLE] = "eligible",
    [GRANTED] = "granted",
    [HANDED_OUT] = "handed_out",
    [ACKNOWLEDGED] = "acknowledged",
    [RESERVED] = "reserved",
    [BOUND] = "bound",
    [RELEASED] = "released",
    [LEASED] = "leased",
    [RETRIED] = "retried",
};

const char *stage_title(enum stage stage)
{
    return stages[stage].title;
}

const char *stage_name(enum stage stage)
{
    return stages[stage].name;
}

const char *happening_name(enum happening what)
{
    return happenings[what];
}

__u64 happening_count(const struct engine_counts *counts, enum happening what)
{
    __u64 count;

    memcpy(&count, (const char *)counts + (size_t)what * sizeof(count), sizeof(count));
    return count;
}

/* Rows of a map: key and value behind each other. By batches, which go by buckets: keys that come
 * and go meanwhile cannot make any row come twice. */
static void *read_rows(int fd, size_t key, size_t value, size_t *ret_count)
{
    struct bpf_map_info info = {0};
    __u32 length = sizeof(info), cursor = 0, count, all = 0;
    char *keys, *values, *rows = NULL;
    int error;

    *ret_count = 0;
    if (bpf_obj_get_info_by_fd(fd, &info, &length) != 0)
        return NULL;
    keys = calloc(info.max_entries, key);
    values = calloc(info.max_entries, value);
    do {
        if (!keys || !values)
            break;
        count = info.max_entries - all;
        error = bpf_map_lookup_batch(fd, all > 0 ? &cursor : NULL, &cursor, keys + all * key,
                                     values + all * value, &count, NULL);
        if (error != 0 && error != -ENOENT)
            break;
        all += count;
    } while (error == 0 && all < info.max_entries);
    rows = calloc((size_t)all + 1, key + value);
    for (size_t i = 0; rows && i < all; i++) {
        memcpy(rows + i * (key + value), keys + i * key, key);
        memcpy(rows + i * (key + value) + key, values + i * value, value);
    }
    free(keys);
    free(values);
    *ret_count = rows ? all : 0;
    return rows;
}

static int compare(__u64 a, __u64 b)
{
    return (a > b) - (a < b);
}

static int compare_stages(const void *a, const void *b)
{
    const struct stage_row *x = a, *y = b;
    int order = compare(x->key.pid, y->key.pid);

    if (order == 0)
        order = compare(x->key.handle, y->key.handle);
    if (order == 0)
        order = strncmp(x->value.queue, y->value.queue, QUEUE_NAME);
    if (order == 0)
        order = compare(x->key.queue, y->key.queue);
    return order == 0 ? compare(x->key.stage, y->key.stage) : order;
}

static int compare_hooks(const void *a, const void *b)
{
    const struct hook_row *x = a, *y = b;
    int order = compare(x->key.pid, y->key.pid);

    if (order == 0)
        order = compare(x->key.handle, y->key.handle);
    return order == 0 ? compare(x->key.hook, y->key.hook) : order;
}

static int compare_engines(const void *a, const void *b)
{
    const struct engine_row *x = a, *y = b;
    int order = compare(x->key.pid, y->key.pid);

    return order == 0 ? compare(x->key.handle, y->key.handle) : order;
}

static __u64 events(const struct stage_row *rows, size_t count)
{
    __u64 sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += rows[i].value.times.count + rows[i].value.unknown;
    return sum;
}

bool picture_take(const struct session *session, struct picture *ret)
{
    __u32 zero = 0;
    __u64 all, here;

    *ret = (struct picture){0};
    /* The sums first: what comes meanwhile must not look like a loss. */
    ret->totals = read_rows(session->totals, sizeof(struct stage_key), sizeof(struct stage_times),
                            &ret->total_count);
    ret->stages = read_rows(session->stages, sizeof(struct stage_key), sizeof(struct stage_times),
                            &ret->stage_count);
    ret->hooks = read_rows(session->hooks, sizeof(struct hook_key), sizeof(struct hook_times),
                           &ret->hook_count);
    ret->engines = read_rows(session->engines, sizeof(struct engine_key),
                             sizeof(struct engine_counts), &ret->engine_count);
    if (!ret->stages || !ret->totals || !ret->hooks || !ret->engines ||
        bpf_map_lookup_elem(session->lost, &zero, &ret->lost) != 0) {
        picture_release(ret);
        return say("the maps cannot be read: %s", strerror(errno));
    }
    all = events(ret->totals, ret->total_count);
    here = events(ret->stages, ret->stage_count);
    ret->fell_out = all > here ? all - here : 0;
    qsort(ret->stages, ret->stage_count, sizeof(*ret->stages), compare_stages);
    qsort(ret->totals, ret->total_count, sizeof(*ret->totals), compare_stages);
    qsort(ret->hooks, ret->hook_count, sizeof(*ret->hooks), compare_hooks);
    qsort(ret->engines, ret->engine_count, sizeof(*ret->engines), compare_engines);
    return true;
}

void picture_release(struct picture *picture)
{
    free(picture->stages);
    free(picture->totals);
    free(picture->hooks);
    free(picture->engines);
    *picture = (struct picture){0};
}

double times_quantile(const struct times *times, double q)
{
    double wanted = q * (double)times->count, below = 0;

    for (int slot = 0; slot < SLOTS; slot++) {
        double here = (double)times->slots[slot];

        if (here > 0 && below + here >= wanted) {
            double from = slot == 0 ? 0 : (double)((__u64)1 << slot);
            double to = 2 * (double)((__u64)1 << slot);

            return from + (to - from) * (wanted - below) / here;
        }
        below += here;
    }
    return 0;
}

const char *duration(double ns, char *out)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}, {60e9, "min"}, {3600e9, "h"}};
    size_t i = 0;

    while (i + 1 < sizeof(units) / sizeof(*units) && ns >= units[i + 1].ns)
        i++;
    snprintf(out, DURATION, "%.3g %s", ns / units[i].ns, units[i].unit);
    if (ns / units[i].ns >= 999.5)
        snprintf(out, DURATION, "%.0f %s", ns / units[i].ns, units[i].unit);
    return out;
}
