/* SPDX-License-Identifier: Apache-2.0 */
#include "pending.h"

#include "plugin/state.h"

/* The first that were found so far, as a heap: the last of them in rank is at its top. */
struct page {
    const struct engine *e;
    uint32_t behind, most, count;
    uint32_t *heap;
};

static bool comes_after(const struct page *page, uint32_t a, uint32_t b)
{
    return claim_compare_rank(page->e, a, b) > 0;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t was = *a;

    *a = *b;
    *b = was;
}

/* The claim at this place goes down to where it belongs. */
static void sink(struct page *page, uint32_t count)
{
    uint32_t *heap = page->heap;

    for (uint32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_after(page, heap[child + 1], heap[child]))
            child++;
        if (comes_after(page, heap[at], heap[child]))
            return;
        swap(&heap[at], &heap[child]);
    }
}

static void add(struct page *page, uint32_t claim)
{
    uint32_t *heap = page->heap, at = page->count++;

    for (heap[at] = claim; at > 0 && comes_after(page, heap[at], heap[(at - 1) / 2]);
         at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
}

/* Whether this claim, and so whoever comes after it, is beyond the page's end. */
static bool is_beyond(const struct page *page, uint32_t claim)
{
    return page->count == page->most && comes_after(page, claim, page->heap[0]);
}

/* Of one line. */
static void take(struct page *page, uint32_t claim)
{
    for (; claim != 0 && !is_beyond(page, claim); claim = line_next(page->e, claim)) {
        if (page->count < page->most) {
            add(page, claim);
        } else {
            page->heap[0] = claim;
            sink(page, page->count);
        }
    }
}

/* Recursion is as deep as the tree of heads. */
static void take_lines(struct page *page, uint32_t head)
{
    const struct engine *e = page->e;

    while (head != 0) {
        uint32_t left = claim_at(e, head)->link.left;
        bool began = page->behind != 0 && !comes_after(page, head, page->behind);

        if (left != 0 && (!began || claim_line(e, left)->crowded))
            take_lines(page, left);
        if (is_beyond(page, head))
            return;
        take(page, began ? line_after(e, claim_line(e, head), page->behind) : head);
        head = claim_at(e, head)->link.right;
    }
}

uint32_t pending_page(const struct engine *e, uint32_t queue, uint32_t claim, uint32_t most,
                      uint32_t *ret_claims)
{
    struct page page = {e, claim, most, 0, ret_claims};

    for (uint32_t class = tree_first(&size_classes_by_head, e, queue_at(e, queue)->size_classes);
         class != 0 && !is_beyond(&page, size_class_at(e, class)->head);
         class = tree_next(&size_classes_by_head, e, class))
        take_lines(&page, size_class_at(e, class)->heads);
    for (uint32_t left = page.count; left > 1; left--) {
        swap(&ret_claims[0], &ret_claims[left - 1]);
        sink(&page, left - 1);
    }
    return page.count;
}
