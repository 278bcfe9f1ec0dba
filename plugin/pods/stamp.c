/* SPDX-License-Identifier: Apache-2.0 */
#include "stamp.h"

#include "plugin/state.h"

bool stamp_names_queue(const struct pod_facts *pod)
{
    return (pod->stamp != 0 || pod->node.len > 0) && pod->gates.ours == 0 &&
           pod->stamped_queue.len > 0;
}

/* Nothing, if it does not tell. */
static struct text flavor_in_stamp(struct text stamp, struct text resource)
{
    size_t at = 0;

    while (at < stamp.len) {
        const char *comma = memchr(stamp.at + at, ',', stamp.len - at);
        size_t end = comma == NULL ? stamp.len : (size_t)(comma - stamp.at);

        if (end - at > resource.len + 1 && stamp.at[at + resource.len] == '=' &&
            memcmp(stamp.at + at, resource.at, resource.len) == 0)
            return (struct text){stamp.at + at + resource.len + 1, end - at - resource.len - 1};
        at = end + 1;
    }
    return (struct text){NULL, 0};
}

int stamp_read(struct engine *e, struct text stamp, uint32_t line, uint16_t *ret_flavors,
               uint32_t *ret_count)
{
    for (uint32_t i = 0; i < line_count(e, line_at(e, line)); i++) {
        struct text resource = name_text(e, line_resource(e, line_at(e, line), i));
        struct text name = flavor_in_stamp(stamp, resource);
        int error;

        ret_flavors[i] = 0;
        error = name.len == 0 ? 0 : flavor_get(e, name, &ret_flavors[i]);
        if (error < 0)
            return error;
        ++*ret_count;
    }
    return 0;
}
