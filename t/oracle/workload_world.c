/* SPDX-License-Identifier: Apache-2.0 */
#include "t/oracle/workload_world.h"

#include "plugin/engine.h"

const char *const workload_world_names[WORKLOADS] = {
    "w00", "w01", "w02", "w03", "w04", "w05", "w06", "w07", "w08", "w09",
    "w10", "w11", "w12", "w13", "w14", "w15", "w16", "w17", "w18", "w19"};
static const char *const uids[2][WORKLOADS] = {
    {"a00", "a01", "a02", "a03", "a04", "a05", "a06", "a07", "a08", "a09",
     "a10", "a11", "a12", "a13", "a14", "a15", "a16", "a17", "a18", "a19"},
    {"b00", "b01", "b02", "b03", "b04", "b05", "b06", "b07", "b08", "b09",
     "b10", "b11", "b12", "b13", "b14", "b15", "b16", "b17", "b18", "b19"}};
const char *const workload_world_locals[LOCALS] = {"l0", "l1", "l2", "l3", "l4", "l5"};
static const char *const set_names[WORKLOAD_SETS] = {"one", "two"};
static const char *const gate_names[WORKLOAD_MOST_GATES] = {"kueue.x-k8s.io/multikueue", "other"};

const char *workload_world_uid(int number, int object)
{
    return uids[object != 0][number];
}

int workload_world_find(struct text name)
{
    return world_find(name, workload_world_names, WORKLOADS);
}

int workload_world_find_uid(struct text uid)
{
    int number = world_find(uid, uids[0], WORKLOADS);

    return number >= 0 ? number : world_find(uid, uids[1], WORKLOADS);
}

int workload_world_find_set(struct text name)
{
    return world_find(name, set_names, WORKLOAD_SETS);
}

int workload_world_find_gate(struct text name)
{
    return world_find(name, gate_names, WORKLOAD_MOST_GATES);
}

/* The facts point into the view. */
struct workload_view {
    struct workload_facts facts;
    struct set_facts sets[WORKLOAD_SETS];
    struct label selectors[WORKLOAD_SETS];
    struct toleration toleration;
    struct granted_facts granted[WORKLOAD_SETS];
};

static void set_sets(const struct workload_object *object, struct workload_view *view)
{
    struct workload_facts *facts = &view->facts;

    facts->sets = view->sets;
    view->toleration = (struct toleration){.key = text_of("kept"), .operator_ = text_of("Exists")};
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        const struct workload_set *set = &object->sets[s];
        struct set_facts *to = &view->sets[facts->set_count];

        if (set->count == 0)
            continue;
        *to = (struct set_facts){
            .name = text_of(set_names[s]), .count = set->count, .minimum = set->minimum};
        for (int r = 0; r < RESOURCES - 1; r++)
            if (set->asks[r] >= 0)
                to->requests.item[to->requests.count++] =
                    (struct named_amount){text_of(world_resources[r]), set->asks[r]};
        if (set->selects >= 0) {
            view->selectors[s] =
                (struct label){text_of("flavor"), text_of(world_flavors[set->selects])};
            to->placement.selector = &view->selectors[s];
            to->placement.selector_count = 1;
        }
        if (set->tolerates) {
            to->placement.tolerations = &view->toleration;
            to->placement.toleration_count = 1;
        }
        facts->set_count++;
    }
}

static void set_granted(const struct workload_object *object, struct workload_view *view)
{
    struct workload_facts *facts = &view->facts;

    facts->granted = view->granted;
    facts->has_admission = object->has_admission;
    if (!object->has_admission)
        return;
    facts->granted_queue = text_of(world_queues[object->granted_queue]);
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        struct granted_facts *to = &view->granted[facts->granted_count];

        if (object->sets[s].count == 0)
            continue;
        *to = (struct granted_facts){.name = text_of(set_names[s]),
                                     .count = object->granted[s].count};
        for (int r = 0; r < RESOURCES; r++) {
            if (object->granted[s].flavors[r] < 0)
                continue;
            to->flavors[to->flavor_count].resource = text_of(world_resources[r]);
            to->flavors[to->flavor_count++].flavor =
                text_of(world_flavors[object->granted[s].flavors[r]]);
        }
        facts->granted_count++;
    }
}

static void facts_of(const struct workload_object *object, struct workload_view *view)
{
    struct workload_facts *facts = &view->facts;

    *view = (struct workload_view){0};
    *facts =
        (struct workload_facts){.uid = text_of(workload_world_uid(object->number, object->object)),
                                .space = text_of("space"),
                                .name = text_of(workload_world_names[object->number]),
                                .created = object->created,
                                .version = object->version,
                                .queue = text_of(workload_world_locals[object->local]),
                                .priority = object->priority,
                                .active = object->active,
                                .deleted = object->deleted,
                                .job_stopped = object->job_stopped,
                                .yields = object->yields,
                                .unsupported = text_of(object->unsupported ? "a slice" : ""),
                                .gate_count = (uint32_t)object->gate_count,
                                .stray_gates = object->strays,
                                .check_count = (uint32_t)object->check_count,
                                .has_requeue = object->has_requeue,
                                .requeue_at = object->requeue_at};
    set_sets(object, view);
    set_granted(object, view);
    for (int n = 0; n < object->gate_count; n++) {
        facts->gates[n].name = text_of(gate_names[n]);
        facts->gates[n].said = object->gates[n].said;
        facts->gates[n].open = object->gates[n].open;
    }
    for (int n = 0; n < CONDITIONS; n++) {
        const struct workload_condition_of *is = &object->conditions[n];

        facts->conditions[n] =
            (struct condition_facts){is->is_true, is->is_false, text_of(is->reason), is->since};
    }
    for (int n = 0; n < object->check_count; n++)
        facts->checks[n] =
            (struct workload_check_facts){text_of(world_checks[object->checks[n].check]),
                                          object->checks[n].state, object->checks[n].retry_at};
}

int workload_world_show(struct engine *engine, const struct workload_object *object)
{
    struct workload_view view;

    facts_of(object, &view);
    if (object->is)
        return engine_see_workload(engine, &view.facts);
    engine_lose_workload(engine, view.facts.space, view.facts.name, view.facts.uid);
    return 0;
}

void workload_world_local_facts(const int64_t *fields, struct local_queue_facts *facts)
{
    *facts = (struct local_queue_facts){
        .space = text_of("space"),
        .name = text_of(workload_world_locals[fields[LOCAL_NUMBER]]),
        .queue = text_of(world_queues[fields[LOCAL_QUEUE]]),
        .stop = world_stop(fields[LOCAL_STOP]),
        .selected = !fields[LOCAL_UNSELECTED],
    };
}

struct workload_object *workload_world_change(struct workload_world *world, int number)
{
    struct workload_object *object = &world->objects[number];

    world->before[number] = *object;
    object->version = ++world->version;
    return object;
}

static void set_spec(struct workload_object *object, const int64_t *fields)
{
    object->created = fields[WORKLOAD_CREATED];
    object->local = (int)fields[WORKLOAD_LOCAL];
    object->yields = fields[WORKLOAD_YIELDS];
    object->unsupported = fields[WORKLOAD_UNSUPPORTED];
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        struct workload_set *set = &object->sets[s];

        set->count = (int)fields[WORKLOAD_COUNT + s];
        set->minimum = (int)fields[WORKLOAD_MINIMUM + s];
        if (set->minimum <= 0 || set->minimum > set->count)
            set->minimum = set->count;
        for (int r = 0; r < RESOURCES - 1; r++)
            set->asks[r] = fields[WORKLOAD_ASKS + s * (RESOURCES - 1) + r] == UNSAID
                               ? -1
                               : fields[WORKLOAD_ASKS + s * (RESOURCES - 1) + r];
        set->asks[RESOURCES - 1] = 1;
        set->selects = (int)fields[WORKLOAD_SELECTS + s] - 1;
        set->tolerates = fields[WORKLOAD_TOLERATES + s];
    }
}

void workload_world_edit(struct workload_world *world, const int64_t *fields)
{
    int number = (int)fields[WORKLOAD_NUMBER];
    struct workload_object *object = workload_world_change(world, number);

    if (!object->is || object->object != (int)fields[WORKLOAD_OBJECT]) {
        *object = (struct workload_object){.is = true,
                                           .number = number,
                                           .object = (int)fields[WORKLOAD_OBJECT],
                                           .version = world->version,
                                           .job_stopped = true,
                                           .gate_count = (int)fields[WORKLOAD_GATES]};
        set_spec(object, fields);
    } else if (!object->conditions[CONDITION_RESERVED].is_true) {
        set_spec(object, fields);
    }
    object->active = !fields[WORKLOAD_INACTIVE];
    object->priority = (int32_t)fields[WORKLOAD_PRIORITY];
}

static void reserve(struct workload_world *world, struct workload_object *object, int flavor,
                    int queue)
{
    if (object->conditions[CONDITION_RESERVED].is_true)
        return;
    object->has_admission = true;
    object->granted_queue = queue;
    for (int s = 0; s < WORKLOAD_SETS; s++) {
        object->granted[s].count = object->sets[s].count;
        for (int r = 0; r < RESOURCES; r++)
            object->granted[s].flavors[r] = object->sets[s].asks[r] > 0 ? flavor : -1;
    }
    workload_world_say(world, object, CONDITION_RESERVED, true, "QuotaReserved");
    if (object->conditions[CONDITION_EVICTED].is_true)
        workload_world_say(world, object, CONDITION_EVICTED, false, "QuotaReserved");
}

bool workload_world_touch(struct workload_world *world, const int64_t *fields)
{
    int number = (int)fields[TOUCH_NUMBER], which = (int)fields[TOUCH_WHICH];
    struct workload_object *object = &world->objects[number];

    if (!object->is)
        return false;
    if (fields[TOUCH_WHAT] == TOUCH_STOP) {
        object->job_stopped = true;
        return true;
    }
    workload_world_change(world, number);
    switch ((enum touch)fields[TOUCH_WHAT]) {
    case TOUCH_OPEN:
    case TOUCH_CLOSE:
        if (which < object->gate_count) {
            object->gates[which].said = true;
            object->gates[which].open = fields[TOUCH_WHAT] == TOUCH_OPEN;
        }
        break;
    case TOUCH_STRAY:
        object->strays = true;
        break;
    case TOUCH_FINISH:
        workload_world_say(world, object, CONDITION_FINISHED, true, "Succeeded");
        break;
    case TOUCH_ANSWER:
        for (int n = 0; n < object->check_count; n++) {
            if (object->checks[n].check != which)
                continue;
            object->checks[n].state = (enum check_state)(fields[TOUCH_STATE] % 4);
            object->checks[n].retry_at =
                fields[TOUCH_STATE] > 3 ? world->now + fields[TOUCH_STATE] * SECOND : 0;
        }
        break;
    case TOUCH_DELETE:
        object->deleted = true;
        break;
    case TOUCH_REMOVE:
        object->is = false;
        break;
    case TOUCH_EVICT:
        if (object->conditions[CONDITION_RESERVED].is_true)
            workload_world_say(world, object, CONDITION_EVICTED, true, "PodsReadyTimeout");
        break;
    case TOUCH_RESERVE:
        reserve(world, object, which, (int)fields[TOUCH_STATE]);
        break;
    case TOUCH_SIGNAL:
        workload_world_say(world, object, CONDITION_SIGNAL, fields[TOUCH_STATE] != 0, "Strange");
        break;
    default:
        break;
    }
    return true;
}
