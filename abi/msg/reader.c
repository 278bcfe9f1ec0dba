/* SPDX-License-Identifier: Apache-2.0 */
#include "reader.h"

#include "line.h"

static void describe_path(struct msg_reader *r)
{
    struct msg_line line = {.out = r->fault.path, .cap = MSG_PATH_BYTES};
    for (uint32_t i = 0; i < r->depth; i++) {
        const struct msg_step *step = &r->path[i];
        if (step->key) {
            if (i > 0)
                msg_line_add(&line, ".", 1);
            msg_line_foreign(&line, step->key, step->n);
        } else {
            msg_line_add(&line, "[", 1);
            msg_line_number(&line, step->n);
            msg_line_add(&line, "]", 1);
        }
    }
    msg_line_end(&line, "");
}

static const char *type_in_words(enum msg_type type)
{
    switch (type) {
    case MSG_NIL:
        return "nil";
    case MSG_BIN:
        return "binary";
    case MSG_ARRAY:
        return "an array";
    case MSG_MAP:
        return "a map";
    default:
        return "nothing";
    }
}

static void describe_value(struct msg_reader *r)
{
    struct msg_line line = {.out = r->fault.value, .cap = MSG_VALUE_BYTES};
    const uint8_t *at = r->subject;
    struct msg_head head;
    int error = msg_wire_head(&at, r->end, &head);
    const char *closing = "";
    if (error == MSG_EXT)
        msg_line_words(&line, "an extension type");
    else if (error == MSG_INTEGER)
        msg_line_words(&line, "an integer above 9223372036854775807");
    else if (error < 0)
        msg_line_words(&line, "nothing");
    else if (head.type == MSG_INT)
        msg_line_integer(&line, head.integer);
    else if (head.type == MSG_BOOL)
        msg_line_words(&line, head.integer ? "true" : "false");
    else if (head.type != MSG_TEXT)
        msg_line_words(&line, type_in_words(head.type));
    else {
        line.cap++;
        closing = "\"";
        msg_line_add(&line, closing, 1);
        msg_line_foreign(&line, (const char *)at, head.count);
    }
    msg_line_end(&line, closing);
}

/*
 * Every failure goes through these two. fault_begin returns false if there is an error already;
 * else it describes the value and its path, and the caller writes what was wanted.
 */
static bool fault_begin(struct msg_reader *r, int error, struct msg_line *ret_want)
{
    if (r->error < 0)
        return false;
    describe_path(r);
    describe_value(r);
    r->error = error;
    r->at = r->end;
    *ret_want = (struct msg_line){.out = r->fault.want, .cap = MSG_WANT_BYTES};
    return true;
}

static bool fault_set(struct msg_reader *r, int error, const char *want)
{
    struct msg_line line;
    if (fault_begin(r, error, &line)) {
        msg_line_words(&line, want);
        msg_line_end(&line, "");
    }
    return false;
}

static bool fault_integer(struct msg_reader *r, int error, int64_t min, int64_t max)
{
    struct msg_line line;
    if (!fault_begin(r, error, &line))
        return false;
    msg_line_words(&line, "an integer");
    if (min > INT64_MIN && max < INT64_MAX) {
        msg_line_words(&line, " from ");
        msg_line_integer(&line, min);
        msg_line_words(&line, " to ");
        msg_line_integer(&line, max);
    } else if (min > INT64_MIN) {
        msg_line_words(&line, " of at least ");
        msg_line_integer(&line, min);
    } else if (max < INT64_MAX) {
        msg_line_words(&line, " of at most ");
        msg_line_integer(&line, max);
    }
    msg_line_end(&line, "");
    return false;
}

static bool fault_length(struct msg_reader *r, int error, const char *what, size_t min, size_t max)
{
    struct msg_line line;
    if (!fault_begin(r, error, &line))
        return false;
    msg_line_words(&line, what);
    if (min > 0 || max < SIZE_MAX) {
        msg_line_words(&line, " of ");
        if (max == SIZE_MAX)
            msg_line_words(&line, "at least ");
        else if (min == 0)
            msg_line_words(&line, "at most ");
        if (min > 0) {
            msg_line_number(&line, min);
            if (min != max && max < SIZE_MAX)
                msg_line_words(&line, " to ");
        }
        if (min != max && max < SIZE_MAX)
            msg_line_number(&line, max);
        bool is_one = (max == SIZE_MAX ? min : max) == 1;
        msg_line_words(&line, is_one ? " byte" : " bytes");
    }
    msg_line_end(&line, "");
    return false;
}

static bool fault_enum(struct msg_reader *r, int error, const char *const names[])
{
    struct msg_line line;
    if (!fault_begin(r, error, &line))
        return false;
    msg_line_words(&line, names[0] && names[1] ? "one of " : "");
    for (size_t i = 0; names[i]; i++) {
        if (i > 0)
            msg_line_words(&line, ", ");
        msg_line_words(&line, names[i]);
    }
    msg_line_end(&line, "");
    return false;
}

void msg_reader_init(struct msg_reader *r, const uint8_t *bytes, size_t len)
{
    static const uint8_t none[1];
    r->at = len > 0 ? bytes : none;
    r->end = r->at + len;
    r->subject = r->at;
    r->error = 0;
    r->depth = 0;
}

enum msg_type msg_peek_type(const struct msg_reader *r)
{
    return r->at == r->end ? MSG_NOTHING : msg_wire_type(*r->at);
}

/* The head of the next value, if it is of this type; 0 or what is wrong. */
static int read_head(const struct msg_reader *r, enum msg_type type, const uint8_t **ret_at,
                     struct msg_head *ret_head)
{
    *ret_at = r->at;
    int error = msg_wire_head(ret_at, r->end, ret_head);
    if (error < 0)
        return error;
    return ret_head->type == type ? 0 : MSG_TYPE;
}

bool msg_open_map(struct msg_reader *r, struct msg_map *ret)
{
    const uint8_t *at;
    struct msg_head head;
    int error = read_head(r, MSG_MAP, &at, &head);
    if (error == 0 && r->depth == MSG_DEPTH_MAX)
        error = MSG_DEPTH;
    *ret = (struct msg_map){.start = r->at, .level = r->depth};
    if (error < 0)
        return fault_set(r, error, "a map");
    ret->left = head.count;
    r->at = at;
    return true;
}

bool msg_open_array(struct msg_reader *r, struct msg_array *ret)
{
    const uint8_t *at;
    struct msg_head head;
    int error = read_head(r, MSG_ARRAY, &at, &head);
    if (error == 0 && r->depth == MSG_DEPTH_MAX)
        error = MSG_DEPTH;
    *ret = (struct msg_array){.start = r->at, .level = r->depth};
    if (error < 0)
        return fault_set(r, error, "an array");
    ret->left = head.count;
    r->at = at;
    r->path[r->depth].key = NULL;
    r->path[r->depth].n = UINT32_MAX; /* the first item makes it 0 */
    return true;
}

/* Back to the container itself: msg_fail and msg_require speak of it once its loop has ended. */
static bool close_container(struct msg_reader *r, const uint8_t *start, uint32_t level)
{
    if (r->error == 0) {
        r->depth = level;
        r->subject = start;
    }
    return false;
}

bool msg_next_key_long(struct msg_reader *r, struct msg_map *map, struct msg_text *ret_key)
{
    if (map->left == 0 || r->error < 0)
        return close_container(r, map->start, map->level);
    const uint8_t *at;
    struct msg_head head;
    int error = read_head(r, MSG_TEXT, &at, &head);
    if (error < 0) {
        r->depth = map->level;
        r->subject = r->at;
        return fault_set(r, error == MSG_TYPE ? MSG_KEY_NOT_TEXT : error, "text as a key");
    }
    map->left--;
    ret_key->at = (const char *)at;
    ret_key->len = head.count;
    r->depth = map->level + 1;
    r->path[map->level].key = ret_key->at;
    r->path[map->level].n = head.count;
    r->at = at + head.count;
    r->subject = r->at;
    return true;
}

bool msg_next_item_last(struct msg_reader *r, struct msg_array *array)
{
    if (array->left == 0 || r->error < 0)
        return close_container(r, array->start, array->level);
    r->depth = array->level + 1;
    r->path[array->level].n++;
    r->subject = r->at;
    return fault_set(r, MSG_TRUNCATED, "a value");
}

bool msg_get_int_long(struct msg_reader *r, int64_t min, int64_t max, int64_t *ret)
{
    const uint8_t *at;
    struct msg_head head;
    int error = read_head(r, MSG_INT, &at, &head);
    if (error == 0 && (head.integer < min || head.integer > max))
        error = MSG_RANGE;
    if (error < 0)
        return fault_integer(r, error, min, max);
    r->at = at;
    *ret = head.integer;
    return true;
}

bool msg_get_text_long(struct msg_reader *r, size_t min_len, size_t max_len, struct msg_text *ret)
{
    const uint8_t *at;
    struct msg_head head;
    int error = read_head(r, MSG_TEXT, &at, &head);
    if (error == 0 && (head.count < min_len || head.count > max_len))
        error = MSG_LENGTH;
    if (error < 0)
        return fault_length(r, error, "text", min_len, max_len);
    ret->at = (const char *)at;
    ret->len = head.count;
    r->at = at + head.count;
    return true;
}

bool msg_get_bin(struct msg_reader *r, size_t min_len, size_t max_len, struct msg_bin *ret)
{
    const uint8_t *at;
    struct msg_head head;
    int error = read_head(r, MSG_BIN, &at, &head);
    if (error == 0 && (head.count < min_len || head.count > max_len))
        error = MSG_LENGTH;
    if (error < 0)
        return fault_length(r, error, "binary", min_len, max_len);
    ret->at = at;
    ret->len = head.count;
    r->at = at + head.count;
    return true;
}

bool msg_get_bool(struct msg_reader *r, bool *ret)
{
    const uint8_t *at;
    struct msg_head head;
    int error = read_head(r, MSG_BOOL, &at, &head);
    if (error < 0)
        return fault_set(r, error, "true or false");
    r->at = at;
    *ret = head.integer != 0;
    return true;
}

bool msg_get_enum(struct msg_reader *r, const char *const names[], int *ret)
{
    const uint8_t *at;
    struct msg_head head;
    int error = read_head(r, MSG_TEXT, &at, &head);
    if (error < 0)
        return fault_enum(r, error, names);
    struct msg_text word = {.at = (const char *)at, .len = head.count};
    for (int i = 0; names[i]; i++) {
        if (msg_text_is(word, names[i])) {
            r->at = at + head.count;
            *ret = i;
            return true;
        }
    }
    return fault_enum(r, MSG_UNKNOWN_VALUE, names);
}

bool msg_get_nil(struct msg_reader *r)
{
    if (msg_peek_type(r) != MSG_NIL)
        return false;
    r->at++;
    return true;
}

void msg_skip_value(struct msg_reader *r)
{
    const uint8_t *at = r->at;
    uint64_t values = 1;
    while (values > 0) {
        struct msg_head head;
        int error = msg_wire_head(&at, r->end, &head);
        if (error < 0) {
            fault_set(r, error, "a value");
            return;
        }
        values--;
        if (head.type == MSG_ARRAY)
            values += head.count;
        else if (head.type == MSG_MAP)
            values += UINT64_C(2) * head.count;
        else
            at += head.count;
    }
    r->at = at;
}

void msg_skip_unknown(struct msg_reader *r)
{
    const struct msg_step *step = r->depth > 0 ? &r->path[r->depth - 1] : NULL;
    if (step && step->key && step->n > 0 && step->key[0] == '!')
        fault_set(r, MSG_MUST_UNDERSTAND, "a key that this version knows");
    else
        msg_skip_value(r);
}

void msg_fail(struct msg_reader *r, enum msg_error error, const char *want)
{
    fault_set(r, error, want);
}

void msg_require(struct msg_reader *r, bool present, const char *key)
{
    if (present || r->error < 0)
        return;
    if (r->depth < MSG_DEPTH_MAX) {
        r->path[r->depth].key = key;
        r->path[r->depth].n = (uint32_t)strlen(key);
        r->depth++;
    }
    r->subject = r->end;
    fault_set(r, MSG_REQUIRED, "a value, the key is required");
}
