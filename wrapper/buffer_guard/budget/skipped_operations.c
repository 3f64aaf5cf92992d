// SPDX-License-Identifier: MIT
#include "buffer_guard/budget/skipped_operations.h"

#include <stddef.h>

#include "buffer_guard/platform/allocator.h"

// HEADS: the number of hash lists, a power of two. MOST: the largest number of requests whose
// starts are counted.
enum { HEADS = 4096, MOST = 65536 };

struct mpipp_skipped_operation {
  uint64_t request;
  struct mpipp_cover *cover; // NULL: the entry is unused
  int for_time;
  struct mpipp_skipped_operation *next;
};

static struct mpipp_skipped_operation *heads[HEADS];
uint32_t mpipp_guard_skip_count;
static __thread struct mpipp_skipped_operation now __attribute__((tls_model("initial-exec")));

static struct mpipp_skipped_operation **find(uint64_t request) {
  struct mpipp_skipped_operation **at = &heads[(request * 0x9E3779B97F4A7C15u) >> 32 & (HEADS - 1)];
  while (*at && (*at)->request != request) at = &(*at)->next;
  return at;
}

static void count(const struct mpipp_skipped_operation *one) {
  if (one->for_time)
    one->cover->skipped++;
  else
    one->cover->nothing++;
}

void mpipp_guard_skip(struct mpipp_cover *cover, int is_persistent, int for_time) {
  now = (struct mpipp_skipped_operation){.cover = cover, .for_time = for_time};
  if (is_persistent) return;
  count(&now);
  mpipp_guard_skip_forget();
}

void mpipp_guard_skip_forget(void) {
  now.cover = NULL;
}

int mpipp_guard_skips(void) {
  return now.cover != NULL;
}

void mpipp_guard_skip_note_request(uint64_t request) {
  mpipp_guard_skip_note_free(request);
  struct mpipp_skipped_operation *one =
      mpipp_guard_skip_count < MOST ? mpipp_guard_allocate(sizeof *one) : NULL;
  if (!one) {
    count(&now); // an operation without a persistent request is counted once
    return;
  }
  *one = now;
  one->request = request;
  *find(request) = one;
  __atomic_store_n(&mpipp_guard_skip_count, mpipp_guard_skip_count + 1, __ATOMIC_RELAXED);
}

void mpipp_guard_skip_note_start(uint64_t request) {
  const struct mpipp_skipped_operation *one = *find(request);
  if (one) count(one);
}

void mpipp_guard_skip_note_free(uint64_t request) {
  struct mpipp_skipped_operation **at = find(request), *one = *at;
  if (!one) return;
  *at = one->next;
  mpipp_guard_free(one);
  __atomic_store_n(&mpipp_guard_skip_count, mpipp_guard_skip_count - 1, __ATOMIC_RELAXED);
}
