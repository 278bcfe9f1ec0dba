/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/world.h"

#include "plugin/base/queue_state.h"

#include <stdio.h>

const char *const world_resources[RESOURCES] = {"cpu", "memory", "example.com/gpu", "pods"};
const char *const world_flavors[FLAVORS + 1] = {"spot", "on-demand", "big", "default"};
const char *const world_queues[QUEUE_NAMES] = {"root", "default", "a", "b", "c",
                                               "d",    "e",       "f", "g", "h"};
static const char *const commands[COMMANDS] = {"c0", "c1", "c2", "c3", "c4",
                                               "c5", "c6", "c7", "c8", "c9"};
const char *const world_nodes[NODES] = {"node-0", "node-1", "node-2", "node-3"};
const char *const world_uids[] = {
    "00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13",
    "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27",
    "28", "29", "30", "31", "32", "33", "34", "35", "36", "37", "38", "39",
};
_Static_assert(sizeof world_uids / sizeof world_uids[0] >= UIDS && UIDS >= NAMES,
               "a text for each");
const char *const world_groups[GROUPS] = {"g0", "g1", "g2", "g3"};
const char *const world_checks[CHECKS] = {"k0", "k1"};

int world_find(struct text text, const char *const *among, int count)
{
    for (int n = 0; n < count; n++)
        if (text_is(text, among[n]))
            return n;
    return -1;
}

int world_find_resource(struct text text)
{
    return world_find(text, world_resources, RESOURCES);
}

int world_find_flavor(struct text text)
{
    return world_find(text, world_flavors, FLAVORS + 1);
}

int world_find_queue(struct text text)
{
    return world_find(text, world_queues, QUEUE_NAMES);
}

int world_find_command(struct text uid)
{
    return world_find(uid, commands, COMMANDS);
}

int world_find_uid(struct text text)
{
    return world_find(text, world_uids, UIDS);
}

static struct text queue_text(int64_t field)
{
    return field == 0 ? (struct text){0} : text_of(world_queues[field - 1]);
}

static void set_amounts(struct named_amounts *amounts, const int64_t *fields, int count)
{
    for (int r = 0; r < count; r++)
        if (fields[r] != UNSAID)
            amounts->item[amounts->count++] =
                (struct named_amount){text_of(world_resources[r]), fields[r]};
}

static const char *const part_names[PARTS + 1] = {"p0", "p1", "p2"};

static void set_pod_group(const int64_t *fields, struct pod_facts *pod)
{
    int group = (int)fields[POD_GROUP] - 1;
    struct text name = text_of(group < 0 ? "" : world_groups[group]);

    if (world_is_composite(group)) {
        pod->composite_group = name;
        pod->native_group = text_of(part_names[world_part((int)fields[POD_UID])]);
    } else if (world_is_native(group)) {
        pod->native_group = name;
    } else {
        pod->group = name;
    }
}

void world_pod_facts(const int64_t *fields, struct pod_view *view)
{
    struct pod_facts *pod = &view->facts;
    size_t len = 0;

    *view = (struct pod_view){0};
    pod->uid = text_of(world_uids[fields[POD_UID]]);
    pod->space = text_of(fields[POD_SYSTEM] ? "kube-system" : "space");
    pod->name = text_of(world_uids[fields[POD_UID] % NAMES]);
    pod->created = fields[POD_CREATED];
    pod->priority = (int32_t)fields[POD_PRIORITY];
    pod->generation = fields[POD_GENERATION];
    pod->resource_version = fields[POD_VERSION];
    pod->scheduler = text_of(fields[POD_FOREIGN_SCHEDULER] ? "other" : "default-scheduler");
    for (int gate = GATE_LONG; gate <= GATE_SHORT; gate <<= 1)
        if (fields[POD_GATES] & gate)
            gates_add(&pod->gates, text_of(gate_name((uint8_t)gate)));
    for (int64_t n = 0; n < fields[POD_FOREIGN]; n++)
        gates_add(&pod->gates, text_of(n == 0 ? "example.com/one" : "example.com/two"));
    pod->opted_in = fields[POD_OPTED_IN];
    pod->queue = queue_text(fields[POD_QUEUE]);
    pod->namespace_queue = queue_text(fields[POD_NAMESPACE_QUEUE]);
    pod->queue_kind = fields[POD_KIND] ? QUEUE_CLUSTER : QUEUE_VOLCANO;
    pod->not_selected = fields[POD_NOT_SELECTED];
    set_pod_group(fields, pod);
    pod->stamp = fields[POD_STAMP];
    if (fields[POD_STAMPED_IN] > 0) {
        pod->stamped_kind = (enum queue_kind)((fields[POD_STAMPED_IN] - 1) / QUEUE_NAMES);
        pod->stamped_queue = text_of(world_queues[(fields[POD_STAMPED_IN] - 1) % QUEUE_NAMES]);
    }
    for (int r = 0; r < RESOURCES; r++)
        if (fields[POD_STAMPED + r] > 0)
            len += (size_t)snprintf(view->stamped + len, sizeof view->stamped - len, "%s%s=%s",
                                    len > 0 ? "," : "", world_resources[r],
                                    world_flavors[fields[POD_STAMPED + r] - 1]);
    pod->stamped_flavors = (struct text){view->stamped, len};
    set_amounts(&pod->requests, fields + POD_REQUEST, RESOURCES - 1);
    if (fields[POD_NODE] > 0)
        pod->node = text_of(world_nodes[fields[POD_NODE] - 1]);
    pod->nominated = fields[POD_NOMINATED];
    pod->finished = fields[POD_FINISHED];
    pod->deleted = fields[POD_DELETED];
    pod->unschedulable = fields[POD_UNSCHEDULABLE];
    pod->of_daemon_set = fields[POD_DAEMON];
    pod->mirror = fields[POD_MIRROR];
}

int world_group_order(const int64_t *queue_fields, int group, int ret_flavors[FLAVORS])
{
    int64_t digits = queue_fields[QUEUE_ORDER + group];
    int reversed[FLAVORS], count = 0;

    for (; digits > 0 && count < FLAVORS; digits /= 10)
        reversed[count++] = (int)(digits % 10) - 1;
    for (int n = 0; n < count; n++)
        ret_flavors[n] = reversed[count - 1 - n];
    return count;
}

static void set_group(struct queue_view *view, int group, const int64_t *fields)
{
    struct resource_group *facts = &view->groups[view->facts.group_count];
    int order[FLAVORS], count = world_group_order(fields, group, order);

    *facts = (struct resource_group){0};
    for (int r = 0; r < RESOURCES; r++)
        if (fields[QUEUE_GROUP + r] == group + 1)
            facts->resources[facts->resource_count++] = text_of(world_resources[r]);
    if (facts->resource_count == 0 || count == 0)
        return;
    facts->flavors = view->flavors[group];
    for (int n = 0; n < count; n++) {
        struct group_flavor *flavor = &facts->flavors[facts->flavor_count++];

        flavor->name = text_of(world_flavors[order[n]]);
        flavor->quotas = view->quotas[group][n];
        for (int r = 0; r < RESOURCES; r++) {
            struct flavor_quota *quota = &flavor->quotas[flavor->count];
            int at = order[n] * RESOURCES + r;

            if (fields[QUEUE_GROUP + r] != group + 1)
                continue;
            flavor->count++;
            quota->resource = text_of(world_resources[r]);
            quota->nominal = fields[QUEUE_NOMINAL + at] == UNSAID ? 0 : fields[QUEUE_NOMINAL + at];
            quota->has_borrowing = fields[QUEUE_BORROWING + at] != UNSAID;
            quota->borrowing = quota->has_borrowing ? fields[QUEUE_BORROWING + at] : 0;
            quota->has_lending = fields[QUEUE_LENDING + at] != UNSAID;
            quota->lending = quota->has_lending ? fields[QUEUE_LENDING + at] : 0;
        }
    }
    view->facts.group_count++;
}

/* By enum: what an object says, word by word. */
static const char *const states[WORDS] = {"Open", "Suspended", "Closed", "Closing", "Strange", ""};

static uint8_t mark_of(int64_t field)
{
    if (field == 0)
        return 0;
    return queue_mark_of(text_of(field == 1 + SAYS_OPEN      ? "true"
                                 : field == 1 + SAYS_UNKNOWN ? "Unknown"
                                                             : states[field - 1]));
}

void world_command_facts(const int64_t *fields, struct command_facts *command)
{
    static const char *const actions[ACTIONS] = {"OpenQueue", "CloseQueue", "SuspendQueue",
                                                 "ResumeQueue", "AbortJob"};

    *command = (struct command_facts){.uid = text_of(commands[fields[COMMAND_UID]]),
                                      .space = text_of("space"),
                                      .name = text_of(commands[fields[COMMAND_UID]]),
                                      .created = fields[COMMAND_CREATED],
                                      .action = text_of(actions[fields[COMMAND_ACTION]]),
                                      .target = text_of(world_queues[fields[COMMAND_TARGET]])};
}

static void set_checks(struct queue_view *view, const int64_t *fields)
{
    view->facts.checks = view->checks;
    for (int n = 0; n < CHECKS; n++) {
        struct queue_check_facts *check = &view->checks[view->facts.check_count];

        if (fields[QUEUE_CHECKS + n] == 0)
            continue;
        *check = (struct queue_check_facts){.name = text_of(world_checks[n])};
        if (fields[QUEUE_CHECKS + n] > 1)
            check->flavors[check->flavor_count++] =
                text_of(world_flavors[fields[QUEUE_CHECKS + n] - 2]);
        view->facts.check_count++;
    }
}

enum queue_state world_stop(int64_t field)
{
    return field == 0 ? QUEUE_OPEN : field == 1 ? QUEUE_HOLD : QUEUE_HOLD_AND_DRAIN;
}

void world_queue_facts(const int64_t *fields, struct queue_view *view)
{
    struct queue_facts *queue = &view->facts;
    static const char *const objects[] = {"first", "second", "third", "fourth"};

    *view = (struct queue_view){0};
    queue->kind = (enum queue_kind)fields[QUEUE_KIND];
    queue->name = text_of(world_queues[fields[QUEUE_NAME]]);
    queue->parent = queue_text(fields[QUEUE_PARENT]);
    queue->priority = (int32_t)fields[QUEUE_PRIORITY];
    queue->strict = fields[QUEUE_STRICT];
    queue->state = text_of(states[fields[QUEUE_COMMAND]]);
    queue->closed_by = mark_of(fields[QUEUE_CLOSED_BY]);
    queue->suspended_by = mark_of(fields[QUEUE_SUSPENDED_BY]);
    queue->create_suspended = fields[QUEUE_CREATED_SUSPENDED];
    queue->uid = text_of(objects[fields[QUEUE_OBJECT] % 4]);
    queue->version = fields[QUEUE_VERSION];
    queue->reclaimable = !fields[QUEUE_UNRECLAIMABLE];
    queue->preempts.within = (enum preempt_whom)fields[QUEUE_WITHIN];
    queue->preempts.reclaim = (enum preempt_whom)fields[QUEUE_RECLAIM];
    queue->preempts.while_borrowing = fields[QUEUE_BORROWS] > 0;
    queue->preempts.has_threshold = fields[QUEUE_BORROWS] > 1;
    if (queue->kind == QUEUE_VOLCANO) {
        set_amounts(&queue->capability, fields + QUEUE_CAPABILITY, RESOURCES);
        set_amounts(&queue->deserved, fields + QUEUE_DESERVED, RESOURCES);
        set_amounts(&queue->guarantee, fields + QUEUE_GUARANTEE, RESOURCES);
        return;
    }
    queue->borrows_last = fields[QUEUE_BORROWS_LAST];
    queue->preempts_last = fields[QUEUE_PREEMPTS_LAST];
    queue->borrows_least = fields[QUEUE_BORROWS_LEAST];
    queue->stop = world_stop(fields[QUEUE_STOP]);
    set_checks(view, fields);
    queue->groups = view->groups;
    for (int group = 0; group < 2; group++)
        set_group(view, group, fields);
}

/* Those that are there, directly below it. */
static void set_parts(const int64_t *fields, struct group_facts *group)
{
    static struct part_facts parts[PARTS];

    if (group->kind != GROUP_COMPOSITE)
        return;
    group->minimum = (int32_t)fields[GROUP_WANTS_PARTS];
    group->parts = parts;
    for (int part = 0; part < PARTS; part++)
        if (fields[GROUP_PART + part] > 0)
            parts[group->part_count++] = (struct part_facts){text_of(part_names[part]), 1, false,
                                                             (int32_t)fields[GROUP_PART + part]};
}

void world_group_facts(const int64_t *fields, struct group_facts *group)
{
    /* They come after those of pods. */
    static const char *const uids[2][GROUPS] = {{"g0", "g1", "g2", "g3"}, {"h0", "h1", "h2", "h3"}};

    *group = (struct group_facts){0};
    group->uid = text_of(uids[fields[GROUP_UID] != 0][fields[GROUP_NUMBER]]);
    group->space = text_of("space");
    group->name = text_of(world_groups[fields[GROUP_NUMBER]]);
    group->kind = world_group_kind((int)fields[GROUP_NUMBER]);
    group->created = fields[GROUP_CREATED];
    group->minimum = (int32_t)fields[GROUP_MINIMUM];
    group->goes_whole = fields[GROUP_GOES_WHOLE];
    set_parts(fields, group);
    group->queue = queue_text(fields[GROUP_QUEUE]);
    group->not_selected = fields[GROUP_NOT_SELECTED];
    group->has_priority = fields[GROUP_PRIORITY] != UNSAID;
    if (group->has_priority)
        group->priority = (int32_t)fields[GROUP_PRIORITY];
    if (fields[GROUP_PHASE] != PHASE_OTHER)
        group->phase = text_of(fields[GROUP_PHASE] == PHASE_INQUEUE ? "Inqueue" : "Completed");
    set_amounts(&group->least, fields + GROUP_LEAST, RESOURCES - 1);
}

/* A flavor's labels: nodes with `flavor` of its number have them. */
static struct label label_of(int64_t number)
{
    return (struct label){text_of("flavor"), text_of(world_flavors[number])};
}

void world_flavor_facts(const int64_t *fields, struct flavor_facts *flavor)
{
    *flavor = (struct flavor_facts){.name = text_of(world_flavors[fields[FLAVOR_NUMBER]])};
    if (fields[FLAVOR_LABELLED])
        flavor->labels[flavor->label_count++] = label_of(fields[FLAVOR_NUMBER]);
    if (fields[FLAVOR_TOLERATED])
        flavor->tolerations[flavor->toleration_count++] =
            (struct toleration){.key = text_of("spot"),
                                .operator_ = text_of("Exists"),
                                .effect = text_of("NoSchedule")};
    if (fields[FLAVOR_TAINTED])
        flavor->taints.item[flavor->taints.count++] = (struct taint){
            .key = text_of("kept"), .value = text_of("yes"), .effect = text_of("NoSchedule")};
}

void world_node_facts(const int64_t *fields, struct node_view *view)
{
    *view = (struct node_view){.facts.name = text_of(world_nodes[fields[NODE_NUMBER]])};
    if (fields[NODE_LABEL] > 0) {
        view->label = label_of(fields[NODE_LABEL] - 1);
        view->facts.label_count = 1;
        view->facts.labels = &view->label;
    }
    set_amounts(&view->facts.allocatable, fields + NODE_AMOUNT, RESOURCES);
}

void world_config(const int64_t *fields, struct engine_config *config)
{
    *config = (struct engine_config){
        .removal = (enum removal)fields[CONFIG_REMOVAL],
        .manage_all = fields[CONFIG_MANAGE_ALL],
        .root_ceiling = (enum root_ceiling)fields[CONFIG_ROOT],
        .undeclared_unlimited = fields[CONFIG_UNDECLARED],
        .observe_only = fields[CONFIG_OBSERVE_ONLY],
        .effects = fields[CONFIG_WRITES] ? 1u << EFFECT_QUEUE_STATUS | 1u << EFFECT_EVENT |
                                               1u << EFFECT_DELETE_COMMAND
                                         : 0,
    };
    config->effects |= fields[CONFIG_EVICTS] ? 1u << EFFECT_EVICT_POD : 0;
    config->effects |= fields[CONFIG_ADMITS] ? 1u << EFFECT_WRITE_WORKLOAD : 0;
    config->preemption_gates = fields[CONFIG_GATES];
    /* What pods are told besides, the engine itself looks after: no effect comes of it there. */
    config->pod_events = !fields[CONFIG_WRITES];
    set_amounts(&config->root_amounts, fields + CONFIG_ROOT_AMOUNT, RESOURCES);
}
