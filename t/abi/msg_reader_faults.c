/* SPDX-License-Identifier: Apache-2.0 */

/* A small decoder as hooks have them: what it reads, and how it says what is wrong. */

#include <stdlib.h>
#include <string.h>

#include "abi/msg/reader.h"
#include "t/kit/tap.h"

static const char *const removals[] = {"onBind", "onAdmission", NULL};

/* What the tests read: {removal, pod: {uid, priority, gates: [..], bound, requests: {..}}}. */
struct pod {
    struct msg_text uid;
    struct msg_text gates[4];
    struct msg_text resource;
    struct msg_text amount;
    struct msg_bin stamp;
    int64_t priority;
    int gate_count;
    int removal;
    bool bound;
};

static void read_gates(struct msg_reader *r, struct pod *ret)
{
    struct msg_array gates;
    msg_open_array(r, &gates);
    if (gates.left > 4)
        msg_fail(r, MSG_LENGTH, "at most 4 gates");
    while (msg_next_item(r, &gates))
        msg_get_text(r, 1, 40, &ret->gates[ret->gate_count++]);
}

static void read_requests(struct msg_reader *r, struct pod *ret)
{
    struct msg_map requests;
    struct msg_text resource;
    int count = 0;
    msg_open_map(r, &requests);
    while (msg_next_key(r, &requests, &resource)) {
        ret->resource = resource;
        count++;
        if (msg_get_text(r, 1, 20, &ret->amount) && ret->amount.at[0] == '-')
            msg_fail(r, MSG_INVALID, "a quantity such as 500m or 2Gi");
    }
    if (count > 2)
        msg_fail(r, MSG_LENGTH, "at most 2 resources");
}

static void read_pod(struct msg_reader *r, struct pod *ret)
{
    struct msg_map pod;
    struct msg_text key;
    bool has_uid = false;
    msg_open_map(r, &pod);
    while (msg_next_key(r, &pod, &key)) {
        if (msg_text_is(key, "uid"))
            has_uid = msg_get_text(r, 1, 36, &ret->uid);
        else if (msg_text_is(key, "priority"))
            msg_get_int(r, -10, 2000, &ret->priority);
        else if (msg_text_is(key, "gates"))
            read_gates(r, ret);
        else if (msg_text_is(key, "bound"))
            msg_get_bool(r, &ret->bound);
        else if (msg_text_is(key, "stamp"))
            msg_get_bin(r, 8, 8, &ret->stamp);
        else if (msg_text_is(key, "requests"))
            read_requests(r, ret);
        else
            msg_skip_unknown(r);
    }
    msg_require(r, has_uid, "uid");
}

static void read_request(struct msg_reader *r, struct pod *ret)
{
    struct msg_map request;
    struct msg_text key;
    msg_open_map(r, &request);
    while (msg_next_key(r, &request, &key)) {
        if (msg_text_is(key, "removal"))
            msg_get_enum(r, removals, &ret->removal);
        else if (msg_text_is(key, "pod"))
            read_pod(r, ret);
        else
            msg_skip_unknown(r);
    }
}

static void test_all_is_read(void)
{
    static const char message[] =
        "\x84\xa7removal\xabonAdmission\xa1?\x93\x01\xc0\x81\xa1x\xcf\0\0\0\0\0\0\0\0\xa3pod"
        "\x86\xa3uid\xa3u-1\xa8priority\xcd\x03\xe8\xa5gates\x92\xa1g\xd9\x01h\xa5"
        "bound\xc3"
        "\xa5stamp\xc4\x08"
        "12345678\xa8requests\x81\xd9\x03"
        "cpu\xa4"
        "500m\xa5later\xc4\x02xy";
    struct pod pod = {0};
    struct msg_reader r;
    const struct msg_limits limits = {.bytes = MSG_BYTES_DEFAULT, .depth = MSG_DEPTH_DEFAULT};
    is_int(msg_check((const uint8_t *)message, sizeof(message) - 1, &limits, NULL), 0, "checked");
    msg_reader_init(&r, (const uint8_t *)message, sizeof(message) - 1);
    read_request(&r, &pod);
    is_int(r.error, 0, "read");
    ok(r.at == r.end, "to the end");
    is_str(removals[pod.removal], "onAdmission", "one of our words");
    ok(msg_text_is(pod.uid, "u-1"), "text");
    is_int(pod.priority, 1000, "an integer");
    ok(pod.gate_count == 2 && msg_text_is(pod.gates[0], "g") && msg_text_is(pod.gates[1], "h"),
       "an array");
    ok(pod.bound, "a truth value");
    ok(pod.stamp.len == 8 && memcmp(pod.stamp.at, "12345678", 8) == 0, "binary");
    ok(msg_text_is(pod.resource, "cpu") && msg_text_is(pod.amount, "500m"), "a map");
    ok(pod.uid.at > message && pod.uid.at < message + sizeof(message), "text is not copied");
    ok(!msg_text_is(pod.uid, "u-10") && !msg_text_is(pod.uid, "u-") && !msg_text_is(pod.uid, "u-2"),
       "text is compared as a whole");
}

static void fault_is(const char *bytes, size_t len, int error, const char *path, const char *value,
                     const char *want)
{
    struct pod pod = {0};
    struct msg_reader r;
    uint8_t *exact = malloc(len + 1);
    memcpy(exact, bytes, len);
    msg_reader_init(&r, exact, len);
    read_request(&r, &pod);
    is_int(r.error, error, "%s", msg_error_text(error));
    is_str(r.fault.path, path, "its path");
    is_str(r.fault.value, value, "its value");
    is_str(r.fault.want, want, "what would be right");
    free(exact);
}

#define FAULT(bytes, ...) fault_is(bytes, sizeof(bytes) - 1, __VA_ARGS__)
#define POD "\x81\xa3pod"

static void test_faults(void)
{
    FAULT("\x90", MSG_TYPE, "", "an array", "a map");
    FAULT(POD "\xc0", MSG_TYPE, "pod", "nil", "a map");
    FAULT("\x81\xa7removal\xa5onFoo", MSG_UNKNOWN_VALUE, "removal", "\"onFoo\"",
          "one of onBind, onAdmission");
    FAULT("\x81\xa7removal\x03", MSG_TYPE, "removal", "3", "one of onBind, onAdmission");
    FAULT("\x81\xa7removal\xa6onbind", MSG_UNKNOWN_VALUE, "removal", "\"onbind\"",
          "one of onBind, onAdmission");
    FAULT(POD "\x81\xa3uid\xa0", MSG_LENGTH, "pod.uid", "\"\"", "text of 1 to 36 bytes");
    FAULT(POD "\x81\xa3uid\xd9\x25"
              "0123456789012345678901234567890123456",
          MSG_LENGTH, "pod.uid", "\"0123456789012345678901234567890123456\"",
          "text of 1 to 36 bytes");
    FAULT(POD "\x81\xa3uid\xcd\x01\x02", MSG_TYPE, "pod.uid", "258", "text of 1 to 36 bytes");
    FAULT(POD "\x81\xa8priority\xcd\x07\xd1", MSG_RANGE, "pod.priority", "2001",
          "an integer from -10 to 2000");
    FAULT(POD "\x81\xa8priority\xf5", MSG_RANGE, "pod.priority", "-11",
          "an integer from -10 to 2000");
    FAULT(POD "\x81\xa8priority\xd3\x80\0\0\0\0\0\0\0", MSG_RANGE, "pod.priority",
          "-9223372036854775808", "an integer from -10 to 2000");
    FAULT(POD "\x81\xa8priority\xa1"
              "1",
          MSG_TYPE, "pod.priority", "\"1\"", "an integer from -10 to 2000");
    FAULT(POD "\x81\xa5"
              "bound\x01",
          MSG_TYPE, "pod.bound", "1", "true or false");
    FAULT(POD "\x81\xa5stamp\xc4\x01x", MSG_LENGTH, "pod.stamp", "binary", "binary of 8 bytes");
    FAULT(POD "\x81\xa5gates\x93\xa1g\xa1h\xc2", MSG_TYPE, "pod.gates[2]", "false",
          "text of 1 to 40 bytes");
    FAULT(POD "\x81\xa5gates\xc3", MSG_TYPE, "pod.gates", "true", "an array");
    FAULT(POD "\x81\xa5gates\x95\1\1\1\1\1", MSG_LENGTH, "pod.gates", "an array",
          "at most 4 gates");
    FAULT(POD "\x81\xa8requests\x82\xa3"
              "cpu\xa1"
              "1\xaenvidia.com/gpu\xa2-1",
          MSG_INVALID, "pod.requests.nvidia.com/gpu", "\"-1\"", "a quantity such as 500m or 2Gi");
    FAULT(POD "\x81\xa8requests\x81\xa3"
              "cpu\x80",
          MSG_TYPE, "pod.requests.cpu", "a map", "text of 1 to 20 bytes");
    FAULT(POD "\x81\xa8requests\x83\xa1"
              "a\xa1"
              "1\xa1"
              "b\xa1"
              "2\xa1"
              "c\xa1"
              "3",
          MSG_LENGTH, "pod.requests", "a map", "at most 2 resources");
    FAULT(POD "\x81\xa5"
              "bound\xc3",
          MSG_REQUIRED, "pod.uid", "nothing", "a value, the key is required");
    FAULT(POD "\x83\xa0!\xa3uid\xa1u\xa5"
              "bound!",
          MSG_TYPE, "pod.bound", "33", "true or false");
    FAULT(POD "\x80", MSG_REQUIRED, "pod.uid", "nothing", "a value, the key is required");
    FAULT(POD "\x81\xa4!new\x01", MSG_MUST_UNDERSTAND, "pod.!new", "1",
          "a key that this version knows");
    FAULT(POD "\x81\x07\x01", MSG_KEY_NOT_TEXT, "pod", "7", "text as a key");
    FAULT(POD "\x81\xa3uid\xc7\x01\x01x", MSG_EXT, "pod.uid", "an extension type",
          "text of 1 to 36 bytes");
    FAULT(POD "\x81\xa8priority\xcf\xff\xff\xff\xff\xff\xff\xff\xff", MSG_INTEGER, "pod.priority",
          "an integer above 9223372036854775807", "an integer from -10 to 2000");
    FAULT(POD "\x82\xa3uid\xa1u", MSG_TRUNCATED, "pod", "nothing", "text as a key");
    FAULT(POD "\x81\xa5gates\x92\xa1g", MSG_TRUNCATED, "pod.gates[1]", "nothing", "a value");
    FAULT("", MSG_TRUNCATED, "", "nothing", "a map");
    FAULT("\x82\xa1?\x81\xa1x\xa9short", MSG_TRUNCATED, "?", "a map", "a value");
    FAULT(POD "\x81\xa3uid\xd9\x46"
              "01234567890123456789012345678901234567890123456789"
              "0123456789012\xc3\xa9"
              "56789",
          MSG_LENGTH, "pod.uid",
          "\"012345678901234567890123456789012345678901234567890123456789012...\"",
          "text of 1 to 36 bytes");
    FAULT(POD "\x81\xa5gates\x91\xd9\x29\n\"\\\x1b"
              "0123456789012345678901234567890123456",
          MSG_LENGTH, "pod.gates[0]", "\"\\n\\\"\\\\\\x1b0123456789012345678901234567890123456\"",
          "text of 1 to 40 bytes");
}

/* Reads what the tests read from a right message cut short, and with each byte changed. */
static void test_unchecked_bytes(void)
{
    static const char message[] =
        POD "\x86\xa3uid\xa3u-1\xa8priority\xcd\x03\xe8\xa5gates\x92\xa1g\xd9\x01h\xa5"
            "bound\xc3"
            "\xa5stamp\xc4\x08"
            "12345678\xa8requests\x81\xa3"
            "cpu\xa4"
            "500m";
    int read = 0;
    for (size_t len = 0; len < sizeof(message); len++) {
        for (unsigned change = 0; change < 256; change++) {
            uint8_t *exact = malloc(len + 1);
            memcpy(exact, message, len);
            if (len > 0)
                exact[len / 2] ^= (uint8_t)change;
            struct pod pod = {0};
            struct msg_reader r;
            msg_reader_init(&r, exact, len);
            read_request(&r, &pod);
            read += r.error == 0;
            if (r.error == 0 && r.at > r.end)
                ok(false, "beyond the end of %zu bytes", len);
            free(exact);
        }
    }
    ok(read > 0, "bytes that were never checked are survived; %d of them could be read", read);
}

int main(void)
{
    test_all_is_read();
    test_faults();
    test_unchecked_bytes();
    return tap_done();
}
