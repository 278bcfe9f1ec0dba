/* SPDX-License-Identifier: Apache-2.0 */
#include "probes.h"

#ifdef SLUICE_PROBES

#include "plugin/claims/journal.h"

/* Never inlined, cloned, or called with fewer arguments because nothing is done with them: what is
 * to be seen in the registers of the call must be there, however the library is linked. */
#ifdef __clang__
#define PROBE __attribute__((noinline, used, optnone, visibility("default")))
#else
#define PROBE __attribute__((noinline, noclone, noipa, used, visibility("default")))
#endif

/* The instruction that a kernel patches best: others it must execute elsewhere. And two empty
 * functions must not become one. */
#ifdef __x86_64__
#define STAND() __asm__ volatile(".byte 0x0f, 0x1f, 0x44, 0x00, 0x00" ::: "memory")
#else
#define STAND() __asm__ volatile("nop" ::: "memory")
#endif

#define UNUSED __attribute__((unused))
#define POD_ARGS                                                                                   \
    UNUSED uint64_t handle, UNUSED uint64_t pod, UNUSED uint64_t queue,                            \
        UNUSED const char *queue_name

PROBE void sluice_probe_hook_entry(UNUSED uint64_t handle, UNUSED uint64_t hook,
                                   UNUSED const char *name, UNUSED uint64_t len)
{
    STAND();
}

PROBE void sluice_probe_hook_exit(UNUSED uint64_t handle, UNUSED uint64_t hook,
                                  UNUSED const char *name, UNUSED int64_t result)
{
    STAND();
}

PROBE void sluice_probe_pod(UNUSED uint64_t handle, UNUSED uint64_t pod, UNUSED const char *space,
                            UNUSED const char *name)
{
    STAND();
}

PROBE void sluice_probe_seen(POD_ARGS, UNUSED int64_t since_created)
{
    STAND();
}

PROBE void sluice_probe_eligible(POD_ARGS, UNUSED int64_t since_seen)
{
    STAND();
}

PROBE void sluice_probe_granted(POD_ARGS, UNUSED int64_t since_eligible,
                                UNUSED int64_t since_created)
{
    STAND();
}

PROBE void sluice_probe_handed_out(POD_ARGS, UNUSED int64_t since_granted)
{
    STAND();
}

PROBE void sluice_probe_acknowledged(POD_ARGS, UNUSED int64_t since_granted,
                                     UNUSED int64_t since_created)
{
    STAND();
}

PROBE void sluice_probe_reserved(POD_ARGS, UNUSED int64_t since_granted)
{
    STAND();
}

PROBE void sluice_probe_bound(POD_ARGS, UNUSED int64_t since_reserved, UNUSED int64_t since_created)
{
    STAND();
}

PROBE void sluice_probe_released(POD_ARGS, UNUSED int64_t since_granted, UNUSED uint64_t how)
{
    STAND();
}

PROBE void sluice_probe_effect_leased(POD_ARGS, UNUSED uint64_t kind, UNUSED uint64_t attempt)
{
    STAND();
}

PROBE void sluice_probe_effect_retried(POD_ARGS, UNUSED uint64_t kind, UNUSED uint64_t attempt)
{
    STAND();
}

PROBE void sluice_probe_lost(UNUSED uint64_t handle, UNUSED uint64_t events)
{
    STAND();
}

static void tell(uint64_t h, const struct event *s)
{
    switch (s->kind) {
    case EVENT_SEEN:
        sluice_probe_seen(h, s->pod, s->queue, s->queue_name, s->a);
        break;
    case EVENT_ELIGIBLE:
        sluice_probe_eligible(h, s->pod, s->queue, s->queue_name, s->a);
        break;
    case EVENT_GRANTED:
        sluice_probe_granted(h, s->pod, s->queue, s->queue_name, s->a, s->b);
        break;
    case EVENT_HANDED_OUT:
        sluice_probe_handed_out(h, s->pod, s->queue, s->queue_name, s->a);
        break;
    case EVENT_ACKNOWLEDGED:
        sluice_probe_acknowledged(h, s->pod, s->queue, s->queue_name, s->a, s->b);
        break;
    case EVENT_RESERVED:
        sluice_probe_reserved(h, s->pod, s->queue, s->queue_name, s->a);
        break;
    case EVENT_BOUND:
        sluice_probe_bound(h, s->pod, s->queue, s->queue_name, s->a, s->b);
        break;
    case EVENT_RELEASED:
        sluice_probe_released(h, s->pod, s->queue, s->queue_name, s->a, (uint64_t)s->b);
        break;
    case EVENT_LEASED:
        sluice_probe_effect_leased(h, s->pod, s->queue, s->queue_name, (uint64_t)s->a,
                                   (uint64_t)s->b);
        break;
    default:
        sluice_probe_effect_retried(h, s->pod, s->queue, s->queue_name, (uint64_t)s->a,
                                    (uint64_t)s->b);
    }
}

void probes_tell(uint64_t handle, struct engine *engine)
{
    uint64_t pod = 0, lost;
    struct event event;

    while (engine_next_event(engine, &event)) {
        if (event.pod != pod)
            sluice_probe_pod(handle, event.pod, event.space, event.name);
        pod = event.pod;
        tell(handle, &event);
    }
    lost = engine_take_lost_events(engine);
    if (lost > 0)
        sluice_probe_lost(handle, lost);
}

#endif
