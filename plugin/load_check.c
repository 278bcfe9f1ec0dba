/* SPDX-License-Identifier: Apache-2.0 */
#include "load.h"
#include "load_promise.h"
#include "promise.h"
#include "state.h"

static const char *check_load(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    bool placed = load_is(load, LOAD_PLACED), waits = placed && load->state == CLAIM_WAITING;
    uint32_t queue = load_queue(e, id);

    if (load_find(e, name_text(e, load->space), name_text(e, load->name)) != id)
        return "a workload is found by its name";
    if ((load->link.size > 0) != (placed && queue != 0))
        return "a workload is in the tree of its state";
    if ((load->peer.size > 0) != (waits && !load_is(load, LOAD_PROMISED)))
        return "a workload that waits, and is promised nothing, is with those of its wish";
    if (load_is(load, LOAD_PROMISED) && !waits)
        return "a workload that is promised room waits";
    if (load_is(load, LOAD_VICTIM) && !load_holds(load))
        return "a workload that is a victim holds room";
    if (load_is(load, LOAD_ASSUMED) && (load_is(load, LOAD_RESERVED) || !load_holds(load)))
        return "a workload is assumed to hold what its object does not say yet";
    if (load_is(load, LOAD_RESERVED) && placed && !load_holds(load))
        return "a workload holds what its object says";
    return NULL;
}

/* Nobody is between two states: what was decided about a workload, and its object does not say, is
 * to be written, under way, or written and to be seen so. */
static const char *check_decided(const struct engine *e, uint32_t id)
{
    const struct load *load = load_at(e, id);
    bool on_its_way = (load->effects.wanted | load->effects.leased | load->effects.replaced) != 0 ||
                      load_is(load, LOAD_AWAITS);

    if (!engine_grants(e) || !load_is(load, LOAD_PLACED) || load_is(load, LOAD_DELETED))
        return NULL;
    if (load_is(load, LOAD_PROMISED) && !promise_comes(e, load_queue(e, id)) && !engine_more(e))
        return "a workload that is promised room waits for somebody who goes";
    if (on_its_way || e->config.observe_only)
        return NULL;
    if (load_is(load, LOAD_ASSUMED))
        return "a reservation that was decided is written, and seen";
    if (load_is(load, LOAD_VICTIM) && !load_is(load, LOAD_EVICTED))
        return "an eviction that was decided is written, and seen";
    if (load_is(load, LOAD_BLOCKED) != load_is(load, LOAD_SIGNALS))
        return "a signal that is to be given, or to end, is written, and seen";
    return NULL;
}

static const char *check_counts(const struct engine *e, uint32_t id)
{
    const struct local_queue *local = local_queue_at(e, id);
    uint32_t counts[3] = {0};

    for (uint32_t at = local->first; at != 0; at = load_at(e, at)->next_local) {
        bool holds = load_holds(load_at(e, at));

        counts[LOCAL_PENDING] += load_is(load_at(e, at), LOAD_PLACED) && !holds;
        counts[LOCAL_RESERVING] += holds;
        counts[LOCAL_ADMITTED] += holds && load_at(e, at)->state == CLAIM_ALLOCATED;
        if (load_at(e, at)->local_queue != id)
            return "a workload is among those of its LocalQueue";
    }
    return memcmp(counts, local->counts, sizeof(counts)) == 0 ? NULL
                                                              : "a LocalQueue counts its workloads";
}

static const char *check_bay(const struct engine *e, uint32_t id)
{
    const struct bay *bay = &queue_at(e, id)->bay;
    uint32_t below = tree_size(&loads_that_hold, e, bay->holding);

    for (uint32_t load = e->first_promised; load != 0; load = load_at(e, load)->next)
        below += load_queue(e, load) == id;
    for (uint32_t child = queue_at(e, id)->first_child; child != 0;
         child = queue_at(e, child)->next_sibling)
        below += queue_at(e, child)->bay.below;
    if (below != bay->below)
        return "workloads that hold or are promised something are counted over the subtree";
    if (!tree_check(&loads_of_queue, e, bay->waiting) || !tree_check(&loads_of_queue, e, bay->held))
        return "the workloads of a queue wait in order of rank";
    if (!tree_check(&loads_that_hold, e, bay->holding))
        return "the workloads that hold quota stand in the order in which they would go";
    if (!tree_check(&wishes_by_head, e, bay->wishes))
        return "the wishes of a queue stand in order of their heads";
    if (!tree_check(&wishes_by_shortage, e, bay->short_of))
        return "the wishes that lack something stand in order of what that is";
    return NULL;
}

static bool counts_choosers(const struct engine *e)
{
    uint32_t choosers = 0;

    for (uint32_t id = 1; id < slab_end(&e->wishes); id++)
        choosers +=
            slab_live(&e->wishes, id) && wish_at(e, id)->set_count > 1 && wish_at(e, id)->head != 0;
    for (uint32_t id = 1; id < slab_end(&e->queues); id++)
        choosers -= slab_live(&e->queues, id) ? queue_at(e, id)->bay.choosers : 0;
    return choosers == 0;
}

const char *load_check(const struct engine *e)
{
    const char *broken = load_promise_check(e);
    uint32_t apart = 0, gated = 0;

    for (uint32_t id = 1; id < slab_end(&e->loads); id++)
        apart += slab_live(&e->loads, id) && load_queue(e, id) != 0 &&
                 load_holds(load_at(e, id)) != load_counts_later(load_at(e, id));
    if (apart != e->loads_apart)
        return "workloads that go or come are counted";
    for (uint32_t id = 1; id < slab_end(&e->wishes); id++)
        gated += slab_live(&e->wishes, id) && wish_at(e, id)->gated && wish_at(e, id)->head != 0;
    if (gated != e->gated_wishes)
        return "wishes that are gated are counted while somebody waits in them";
    if (!counts_choosers(e))
        return "a queue counts the wishes of several pod sets while somebody waits in them";

    for (uint32_t id = 1; id < slab_end(&e->loads) && broken == NULL; id++)
        broken = slab_live(&e->loads, id) ? check_load(e, id) : NULL;
    for (uint32_t id = 1; id < slab_end(&e->loads) && broken == NULL; id++)
        broken = slab_live(&e->loads, id) ? check_decided(e, id) : NULL;
    for (uint32_t id = 1; id < slab_end(&e->wishes) && broken == NULL; id++)
        broken = slab_live(&e->wishes, id) ? wish_check(e, id) : NULL;
    for (uint32_t id = 1; id < slab_end(&e->local_queues) && broken == NULL; id++)
        broken = slab_live(&e->local_queues, id) ? check_counts(e, id) : NULL;
    for (uint32_t id = 1; id < slab_end(&e->queues) && broken == NULL; id++)
        broken = slab_live(&e->queues, id) ? check_bay(e, id) : NULL;
    return broken;
}
