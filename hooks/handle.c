/* SPDX-License-Identifier: Apache-2.0 */
#include "handle.h"

#include <pthread.h>

struct place {
    pthread_mutex_t lock;
    struct handle *handle;
    uint32_t generation;
};

enum { GENERATION_MAX = INT32_MAX };

static struct {
    pthread_mutex_t lock; /* before any place's */
    uint32_t next;        /* where to look first: a place rests before it is used again */
    bool taken[HANDLE_PLACES];
    struct place places[HANDLE_PLACES];
} table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int once_error;

static void init_locks(void)
{
    pthread_mutex_init(&table.lock, NULL);
    for (uint32_t i = 0; i < HANDLE_PLACES; i++)
        pthread_mutex_init(&table.places[i].lock, NULL);
}

/* The parent's other threads are not here to finish what they were doing: their locks are made
 * anew, and their handles are forgotten, not freed, since they may be in the midst of a change. */
static void forget_all(void)
{
    init_locks();
    for (uint32_t i = 0; i < HANDLE_PLACES; i++) {
        struct place *place = &table.places[i];

        place->handle = NULL;
        table.taken[i] = place->generation == GENERATION_MAX;
    }
}

static void init_table(void)
{
    init_locks();
    once_error = pthread_atfork(NULL, NULL, forget_all);
}

static bool table_ready(void)
{
    pthread_once(&once, init_table);
    return once_error == 0;
}

void handle_destroy(struct handle *handle)
{
    if (!handle)
        return;
    fleet_destroy(handle->fleet);
    engine_destroy(handle->engine);
    scratch_finish(&handle->scratch);
    recorder_finish(&handle->recorder);
    memory_give_back(handle->config_bytes);
    memory_give_back(handle);
}

static struct place *take_place(uint32_t *ret_index)
{
    struct place *place = NULL;

    pthread_mutex_lock(&table.lock);
    for (uint32_t n = 0; n < HANDLE_PLACES && !place; n++) {
        uint32_t i = (table.next + n) % HANDLE_PLACES;

        if (!table.taken[i]) {
            table.taken[i] = true;
            table.next = i + 1;
            place = &table.places[i];
            *ret_index = i;
        }
    }
    pthread_mutex_unlock(&table.lock);
    return place;
}

int64_t handle_publish(struct handle *handle, void (*ready)(void *ctx, int64_t number), void *ctx)
{
    uint32_t index;

    if (!table_ready())
        return HANDLE_NO_MEMORY;

    struct place *place = take_place(&index);
    if (!place)
        return HANDLE_NO_PLACE;
    pthread_mutex_lock(&place->lock);
    place->generation++;
    place->handle = handle;

    int64_t number = (int64_t)place->generation << 32 | (index + 1);
    ready(ctx, number);
    pthread_mutex_unlock(&place->lock);
    return number;
}

static struct place *place_of(uint64_t number)
{
    uint64_t index = (number & UINT32_MAX) - 1;

    return index < HANDLE_PLACES && table_ready() ? &table.places[index] : NULL;
}

struct handle *handle_enter(uint64_t number)
{
    struct place *place = place_of(number);

    if (!place)
        return NULL;
    pthread_mutex_lock(&place->lock);
    if (place->handle && place->generation == number >> 32)
        return place->handle;
    pthread_mutex_unlock(&place->lock);
    return NULL;
}

void handle_leave(uint64_t number)
{
    pthread_mutex_unlock(&place_of(number)->lock);
}

struct handle *handle_withdraw(uint64_t number)
{
    struct handle *handle = handle_enter(number);

    if (!handle)
        return NULL;

    struct place *place = place_of(number);
    bool worn_out = place->generation == GENERATION_MAX;
    place->handle = NULL;
    pthread_mutex_unlock(&place->lock);

    pthread_mutex_lock(&table.lock);
    table.taken[place - table.places] = worn_out;
    pthread_mutex_unlock(&table.lock);
    return handle;
}
