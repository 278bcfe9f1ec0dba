/* SPDX-License-Identifier: Apache-2.0 */
#include "observe_fleet.h"

#include "decode.h"

void observe_cluster(struct call *call, bool gone)
{
    struct cluster_facts cluster;

    if (gone)
        decode_lost_named(&call->in, &cluster.name);
    else
        decode_cluster(&call->in, &cluster);
    if (!call_begin(call))
        return;
    call->of_fleet = true;
    if (gone)
        fleet_lose_cluster(call->fleet, cluster.name);
    else
        call_seen(call, fleet_see_cluster(call->fleet, &cluster));
}

void observe_dispatch(struct call *call, bool gone)
{
    struct dispatch_facts dispatch;
    struct replica_facts lost;
    enum workload_role role;

    if (gone)
        decode_lost_workload(&call->in, &role, &lost);
    else
        decode_dispatch(&call->in, &role, &dispatch);
    if (!call_begin(call))
        return;
    call->of_fleet = true;
    if (gone)
        fleet_lose_dispatch(call->fleet, lost.space, lost.name, lost.uid);
    else
        call_seen(call, fleet_see_dispatch(call->fleet, &dispatch));
}

void observe_replica(struct call *call, bool gone)
{
    struct replica_facts replica;

    if (gone)
        decode_lost_workload(&call->in, NULL, &replica);
    else
        decode_replica(&call->in, &replica);
    if (!call_begin(call))
        return;
    call->of_fleet = true;
    if (gone)
        fleet_lose_replica(call->fleet, replica.worker, replica.space, replica.name, replica.uid);
    else
        call_seen(call, fleet_see_replica(call->fleet, &replica));
}
