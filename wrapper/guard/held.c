// SPDX-License-Identifier: MIT
#include "guard/held.h"

#include "layouts/comb.h"
#include "recorders/threads.h"

enum { MOST = 64 };

static struct held { uint64_t low, high; } all[MOST];
static uint32_t used; // more than there is room for: any memory may be such

static int meets(uint64_t low, uint64_t high, int wholly) {
  uint32_t count = __atomic_load_n(&used, __ATOMIC_ACQUIRE);
  if (count > MOST) return 1;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t end = __atomic_load_n(&all[i].high, __ATOMIC_ACQUIRE); // 0: it is not there yet
    if (wholly ? all[i].low <= low && high <= end : low < end && all[i].low < high) return 1;
  }
  return 0;
}

int mpipp_is_held(uint64_t low, uint64_t high) {
  return meets(low, high, 0);
}

// What MPI registers itself is what the guard has given it.
void mpipp_system_has_held(uint64_t start, uint64_t bytes) {
  const struct mpipp_thread *thread = mpipp_self;
  uint64_t low = mpipp_page_down(start), high = mpipp_page_up(start + bytes);
  if ((thread != &mpipp_no_thread && thread->depth) || low >= high || meets(low, high, 1)) return;
  uint32_t i = __atomic_fetch_add(&used, 1, __ATOMIC_ACQ_REL);
  if (i >= MOST) return;
  all[i].low = low;
  __atomic_store_n(&all[i].high, high, __ATOMIC_RELEASE);
}
