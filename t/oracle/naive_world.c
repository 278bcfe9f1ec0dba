/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/naive_world.h"

#include <string.h>

void naive_begin(struct naive_world *world, int nodes, int claims)
{
    world->node_count = nodes;
    world->claim_count = claims;
    memset(world->nodes, 0, (size_t)nodes * sizeof(world->nodes[0]));
    memset(world->claims, 0, (size_t)claims * sizeof(world->claims[0]));
    memset(world->gangs, 0, sizeof(world->gangs));
}

static int depth_of(const struct naive_world *world, int node)
{
    int depth = 0;

    while ((node = world->nodes[node].parent) >= 0)
        depth++;
    return depth;
}

/* A node uses what its claims do, and what its children use beyond what is kept for them. */
void naive_count(const struct naive_world *world, int cell, bool later, const bool *away,
                 wide ret_used[NAIVE_NODES])
{
    int depths[NAIVE_NODES], deepest = 0;

    memset(ret_used, 0, (size_t)world->node_count * sizeof(*ret_used));
    for (int n = 0; n < world->claim_count; n++) {
        const struct naive_claim *claim = &world->claims[n];

        if (claim->node >= 0 && (later ? claim->later && (away == NULL || !away[n]) : claim->now))
            ret_used[claim->node] += claim->uses[cell];
    }
    for (int node = 0; node < world->node_count; node++) {
        depths[node] = depth_of(world, node);
        deepest = depths[node] > deepest ? depths[node] : deepest;
    }
    for (int depth = deepest; depth > 0; depth--)
        for (int node = 0; node < world->node_count; node++)
            if (depths[node] == depth)
                ret_used[world->nodes[node].parent] +=
                    wide_max(0, ret_used[node] - world->nodes[node].at[cell].kept);
}

static wide room_of(const struct naive_world *world, int cell, const wide used[NAIVE_NODES],
                    int node)
{
    const struct naive_quota *quota = &world->nodes[node].at[cell];
    int parent = world->nodes[node].parent;
    wide room = NAIVE_UNLIMITED;

    if (parent >= 0)
        room = wide_max(0, quota->kept - used[node]) + room_of(world, cell, used, parent);
    return quota->bounded ? wide_min(room, quota->ceiling - used[node]) : room;
}

wide naive_room(const struct naive_world *world, int cell, bool later, const wide used[NAIVE_NODES],
                int node)
{
    const struct naive_quota *quota = &world->nodes[node].at[cell];
    wide room = room_of(world, cell, used, node);

    return later && quota->within ? wide_min(room, quota->share - used[node]) : room;
}

/* Of cohorts, one above the other. */
static int cohorts_below(const struct naive_world *world, int node)
{
    int height = 0;

    for (int child = 0; child < world->node_count; child++) {
        int over = 1;

        if (world->nodes[child].parent != node)
            continue;
        if (world->nodes[child].is_cohort)
            over += cohorts_below(world, child);
        height = over > height ? over : height;
    }
    return height;
}

int naive_height(const struct naive_world *world, int cell, const wide used[NAIVE_NODES], int node,
                 wide amount, bool *ret_reclaims)
{
    int at = node;

    for (; world->nodes[at].parent >= 0; at = world->nodes[at].parent) {
        const struct naive_quota *quota = &world->nodes[at].at[cell];

        if (used[at] + amount <= quota->share)
            break;
        amount -= wide_max(0, quota->kept - used[at]);
    }
    *ret_reclaims = world->nodes[at].parent >= 0;
    return at == node ? 0 : cohorts_below(world, at);
}

int naive_common(const struct naive_world *world, int a, int b)
{
    for (; a >= 0; a = world->nodes[a].parent)
        for (int up = b; up >= 0; up = world->nodes[up].parent)
            if (up == a)
                return a;
    return -1;
}
