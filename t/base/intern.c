/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/base/intern.h"

#include "t/kit/tap.h"
#include "t/kit/test_mem.h"

enum { WORDS = 3000 };

/* Word n, of 1 to 40 bytes and with a NUL here and there. Returns its length. */
static size_t word(uint32_t n, char text[48])
{
    size_t len = 4 + n % 37;

    memset(text, (int)(n % 3), len);
    memcpy(text, &n, 4);
    return len;
}

static void test_basics(void)
{
    struct test_mem test;
    struct intern intern;
    uint32_t a = 99;
    uint32_t b = 99;

    test_mem_init(&test);
    intern_init(&intern, &test.mem);
    is_int(intern_get(&intern, text_of(""), &a), 0, "the empty string");
    is_int(a, 0, "is 0");
    is_str(intern_view(&intern, 0).at, "", "with its text");
    is_int(intern_view(&intern, 0).len, 0, "and length");
    intern_ref(&intern, 0);
    intern_unref(&intern, 0);
    intern_unref(&intern, 0);
    is_int(intern_find(&intern, text_of("abc")), 0, "not there yet");
    is_int(intern_get(&intern, (struct text){"abcdef", 3}, &a), 0, "added");
    ok(a != 0, "under an id");
    is_str(intern_view(&intern, a).at, "abc", "only its own bytes, and a NUL");
    is_int(intern_view(&intern, a).len, 3, "with its length");
    intern_get(&intern, text_of("abc"), &b);
    is_int(b, a, "the same string has the same id");
    is_int(intern_find(&intern, text_of("abc")), a, "and is found under it");
    intern_unref(&intern, a);
    is_int(intern_find(&intern, text_of("abc")), a, "still one user");
    intern_ref(&intern, a);
    intern_unref(&intern, a);
    is_int(slab_count(&intern.entries), 1, "one string");
    intern_unref(&intern, a);
    is_int(intern_find(&intern, text_of("abc")), 0, "gone with the last user");
    is_int(slab_count(&intern.entries), 0, "none is left");
    intern_get(&intern, text_of("x"), &b);
    is_int(b, a, "its id is used again");
    intern_finish(&intern);
    ok(test_mem_clean(&test), "all is released");
}

static void test_random_use(void)
{
    static uint32_t users[WORDS];
    static uint32_t ids[WORDS];
    static const char *texts[WORDS];
    struct test_mem test;
    struct intern intern;
    unsigned long long state = 3;
    int wrong = 0;

    test_mem_init(&test);
    intern_init(&intern, &test.mem);
    for (int i = 0; i < 200000; i++) {
        uint32_t n = test_random(&state) % WORDS;
        char bytes[48];
        struct text text = {bytes, word(n, bytes)};

        wrong += intern_find(&intern, text) != (users[n] > 0 ? ids[n] : 0);
        if (users[n] > 0 && test_random(&state) % 2 == 0) {
            intern_unref(&intern, ids[n]);
            users[n]--;
        } else if (users[n] > 0 && test_random(&state) % 2 == 0) {
            intern_ref(&intern, ids[n]);
            users[n]++;
        } else {
            uint32_t id = 0;

            wrong += intern_get(&intern, text, &id) != 0;
            if (users[n]++ == 0) {
                ids[n] = id;
                texts[n] = intern_view(&intern, id).at;
            }
            wrong += id != ids[n];
        }
        if (users[n] > 0) {
            struct text kept = intern_view(&intern, ids[n]);

            wrong += kept.at != texts[n] || !text_same(kept, text) || kept.at[kept.len] != '\0';
        }
    }

    uint32_t count = 0;

    for (uint32_t n = 0; n < WORDS; n++)
        count += users[n] > 0;
    is_int(wrong, 0, "200000 uses of %d strings", WORDS);
    is_int(slab_count(&intern.entries), count, "as many as are used");
    for (uint32_t n = 0; n < WORDS; n++) {
        for (; users[n] > 0 && n % 2 == 0; users[n]--)
            intern_unref(&intern, ids[n]);
    }
    intern_finish(&intern);
    ok(test_mem_clean(&test), "all is released, strings in use as well");
}

static void test_no_memory(void)
{
    int wrong = 0;
    long n;

    for (n = 1;; n++) {
        struct test_mem test;
        struct intern intern;

        test_mem_init(&test);
        intern_init(&intern, &test.mem);
        test.fail_at = n;
        for (uint32_t i = 0; i < 100; i++) {
            char bytes[48];
            struct text text = {bytes, word(i, bytes)};
            uint32_t id = 12345;

            if (intern_get(&intern, text, &id) < 0) {
                wrong += id != 12345 || intern_find(&intern, text) != 0;
                wrong += slab_count(&intern.entries) != i;
                wrong += intern_get(&intern, text, &id) != 0;
            }
            wrong += intern_find(&intern, text) != id;
        }
        intern_finish(&intern);
        wrong += !test_mem_clean(&test);
        if (!test.failed)
            break;
    }
    is_int(wrong, 0, "whichever allocation fails, get changes nothing");
    ok(n > 100, "and that was tried at %ld of them", n - 1);
}

int main(void)
{
    test_basics();
    test_random_use();
    test_no_memory();
    return tap_done();
}
