/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/directory.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

struct record {
    uint32_t number, space, name;
};

struct scene {
    struct test_mem test;
    struct slab records;
    struct intern names;
    struct directory directory;
};

static void begin(struct scene *scene, size_t space)
{
    test_mem_init(&scene->test);
    slab_init(&scene->records, &scene->test.mem, sizeof(struct record));
    intern_init(&scene->names, &scene->test.mem);
    directory_init(&scene->directory, &scene->records, &scene->names, space,
                   offsetof(struct record, name));
}

static uint32_t add(struct scene *scene, const char *space, const char *name)
{
    struct record record = {.number = 7};
    uint32_t id;

    slab_reserve(&scene->records, 1);
    intern_get(&scene->names, text_of(space), &record.space);
    intern_get(&scene->names, text_of(name), &record.name);
    is_int(index_reserve(&scene->directory.index), 0, "there is room for %s/%s", space, name);
    id = slab_take(&scene->records);
    *(struct record *)slab_at(&scene->records, id) = record;
    directory_put(&scene->directory, id);
    return id;
}

static uint32_t find(const struct scene *scene, const char *space, const char *name)
{
    return directory_find(&scene->directory, text_of(space), text_of(name));
}

static void finish(struct scene *scene)
{
    index_finish(&scene->directory.index);
    intern_finish(&scene->names);
    slab_finish(&scene->records);
    ok(test_mem_clean(&scene->test), "all is released");
}

static void test_names_in_namespaces(void)
{
    struct scene scene;
    uint32_t a, b, c;

    begin(&scene, offsetof(struct record, space));
    is_int(find(&scene, "one", "a"), 0, "nothing is there yet");
    a = add(&scene, "one", "a");
    b = add(&scene, "two", "a");
    c = add(&scene, "one", "b");
    is_int(find(&scene, "one", "a"), a, "a record is found by both its names");
    is_int(find(&scene, "two", "a"), b, "one of another namespace is another");
    is_int(find(&scene, "one", "b"), c, "and so is one of another name");
    is_int(find(&scene, "two", "b"), 0, "what nobody is called is not found");
    directory_drop(&scene.directory, a);
    is_int(find(&scene, "one", "a"), 0, "who was dropped is found no more");
    is_int(find(&scene, "two", "a"), b, "and the others are");
    finish(&scene);
}

static void test_names_alone(void)
{
    struct scene scene;
    uint32_t a;

    begin(&scene, DIRECTORY_NO_SPACE);
    a = add(&scene, "one", "a");
    is_int(find(&scene, "", "a"), a, "without namespaces a name is enough");
    is_int(find(&scene, "", "b"), 0, "and another one is another's");
    finish(&scene);
}

int main(void)
{
    test_names_in_namespaces();
    test_names_alone();
    return tap_done();
}
