// SPDX-License-Identifier: MIT
#include "rma_log/freed_memory.h"

#include <errno.h>
#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "rma_log/log.h"

enum { MOST = 256 };

// This data is accessed only while an entry is added, which holds the log's lock.
static struct mpipp_pending {
  uint64_t number, win, request, low, high;
  int64_t target;
} all[MOST];
static int count;

// The memory of windows. lowest and highest: bounds of all ranges since the table was last empty.
static struct mpipp_freed_memory { uint64_t win, low, high; } memories[MOST];
static int memory_count;
static uint64_t lowest = ~(uint64_t)0, highest;

int mpipp_onesided_pends = 0;

static void set_pends(void) {
  MPIPP_WRITE(mpipp_onesided_pends, count || memory_count);
}

// Returns whether an address is on the thread's own stack, which is never freed.
static int is_on_stack(uint64_t address) {
  return address >= mpipp_recorder_self->stack_start && address < mpipp_recorder_self->stack_end;
}

static void add(struct mpipp_pending one) {
  struct mpipp_pending *last = count ? &all[count - 1] : NULL;
  // Joins adjacent ranges, such as the rows of an array.
  if (last && last->win == one.win && last->target == one.target && last->request == one.request &&
      one.low <= last->high && last->low <= one.high) {
    last->number = one.number;
    if (one.low < last->low) last->low = one.low;
    if (one.high > last->high) last->high = one.high;
  } else if (count < MOST) {
    all[count++] = one;
    set_pends();
  }
}

static __attribute__((noinline)) void begin(const struct mpipp_call *call,
                                            const struct mpipp_buffer *buffer,
                                            const struct mpipp_datatype *type, uint64_t win,
                                            uint64_t request) {
  if (!type || buffer->count <= 0) return;
  int64_t last = (buffer->count - 1) * type->extent;
  uint64_t first = buffer->address + (uint64_t)type->true_lb;
  uint64_t end = first + (uint64_t)type->true_extent;
  add((struct mpipp_pending){mpipp_rma_log_count(), win, request,
                             first + (uint64_t)(last < 0 ? last : 0),
                             end + (uint64_t)(last > 0 ? last : 0), call->target_rank});
}

int mpipp_rma_begin_operation(const struct mpipp_call *call, const uint64_t *datatypes,
                              uint64_t win, uint64_t request) {
  int any = 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (buffer->access & MPIPP_REMOTE || is_on_stack(buffer->address)) continue;
    begin(call, buffer, (const void *)(uintptr_t)datatypes[i], win, request);
    any = 1;
  }
  return any;
}

static int has_ended(const struct mpipp_pending *one, const struct mpipp_pending *like) {
  if (like->request) return one->request == like->request;
  return one->win == like->win && one->number < like->number &&
         (like->target < 0 || one->target == like->target);
}

static void drop(const struct mpipp_pending *like) {
  int left = 0;
  for (int i = 0; i < count; i++)
    if (!has_ended(&all[i], like)) all[left++] = all[i];
  count = left;
  set_pends();
}

void mpipp_rma_complete_operations(uint64_t win, int64_t target, uint64_t before) {
  if (count) drop(&(struct mpipp_pending){.number = before, .win = win, .target = target});
}

void mpipp_rma_complete_request(uint64_t request) {
  if (!MPIPP_READ(mpipp_onesided_pends)) return;
  mpipp_rma_log_hold();
  drop(&(struct mpipp_pending){.request = request});
  mpipp_rma_log_end();
}

void mpipp_rma_add_memory(uint64_t win, uint64_t base, uint64_t bytes) {
  uint64_t end = base + bytes;
  if (!base || !bytes || memory_count == MOST) return;
  memories[memory_count++] = (struct mpipp_freed_memory){win, base, end};
  if (base < lowest) MPIPP_WRITE(lowest, base);
  if (end > highest) MPIPP_WRITE(highest, end);
  set_pends();
}

void mpipp_rma_drop_memory(uint64_t win, uint64_t base) {
  int left = 0;
  for (int i = 0; i < memory_count; i++) {
    const struct mpipp_freed_memory *one = &memories[i];
    if (one->win != win || (base && one->low != base)) memories[left++] = *one;
  }
  memory_count = left;
  if (!left) {
    MPIPP_WRITE(lowest, ~(uint64_t)0);
    MPIPP_WRITE(highest, 0);
  }
  set_pends();
}

static int is_pending(uint64_t low, uint64_t high) {
  int found = 0;
  if (!MPIPP_READ(count) && (low >= MPIPP_READ(highest) || high <= MPIPP_READ(lowest))) return 0;
  mpipp_rma_log_hold();
  for (int i = 0; i < count && !found; i++) found = low < all[i].high && high > all[i].low;
  for (int i = 0; i < memory_count && !found; i++)
    found = low < memories[i].high && high > memories[i].low;
  mpipp_rma_log_end();
  return found;
}

void mpipp_onesided_report_free(uint64_t start, uint64_t bytes, uint64_t caller) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  // For other threads it is unknown how their calls are ordered.
  if (thread == &mpipp_recorder_no_thread || mpipp_frees_own(thread, &caller)) return;
  int saved = errno;
  uint64_t *at = NULL;
  mpipp_rma_log_is_adding = 1;
  if (is_pending(start, start + bytes))
    at = mpipp_rma_log_begin_at(MPIPP_LOGGED_GIVEN_BACK, 0, mpipp_outside_mpi(caller), 2);
  if (at) {
    at[0] = start;
    at[1] = bytes;
    mpipp_rma_log_end();
  }
  mpipp_rma_log_is_adding = 0;
  errno = saved;
}
