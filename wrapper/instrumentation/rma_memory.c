// SPDX-License-Identifier: MIT
#include "instrumentation/rma_memory.h"

#include <stddef.h>
#include <sys/resource.h>

#include "buffer_guard/memory/remappable_regions.h"
#include "buffer_guard/operations/owned_bytes.h"
#include "buffer_guard/platform/lock.h"
#include "generated/procedures.h"
#include "instrumentation/program_parts.h"
#include "instrumentation/shadow_memory.h"
#include "recorder/objects/windows.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "rma_log/accesses.h"
#include "rma_log/shared_segments.h"

// These functions belong to a part that is loaded only in runs with --check=rma, and are called
// only then.
#pragma weak mpipp_rma_segment_count
#pragma weak mpipp_rma_query_segment_count
#pragma weak mpipp_rma_segment_of

enum { MOST = 256, NEAR = 65536, MOST_COMPLETED = 16, MOST_USES = 1000 };
#define MOST_OTHERS ((uint64_t)1 << 28)
#define DEFAULT_STACK ((uint64_t)8 << 20)
// COMPLETED: the buffer of a completed operation. Another thread may access it without being
// ordered after the completion.
enum mpipp_rma_range_kind { NONE, OF_WINDOW, ATTACHED, BUFFER, COMPLETED };

static struct mpipp_rma_range {
  enum mpipp_rma_range_kind kind;
  uint64_t win; // handle of the window
  int64_t target;
  uint64_t low, high;
  struct mpipp_strided_blocks strided; // count 0: the bytes have another form
  struct mpipp_shadow_range *looked;
  uint64_t others;  // number of bytes in other processes' parts of a window
  uint64_t ordinal; // of the completion
  uint32_t uses;    // number of accesses after the completion
} all[MOST];
static int used;        // number of entries that were ever used
static uint64_t others; // total number of bytes in other processes' parts
static uint64_t completions;
static int has_surplus;

__attribute__((target("no-sse,no-mmx"))) int mpipp_instrument_is_recorded(uint64_t low,
                                                                          uint64_t high) {
  int count = MPIPP_READ(used), found = 0;
  for (int i = 0; i < count; i++) {
    struct mpipp_rma_range *one = &all[i];
    if (low >= one->high || high <= one->low) continue;
    found |= one->kind == COMPLETED ? 1 | MPIPP_ACCESS_LASTING : 1;
    if (one->kind == COMPLETED && ++one->uses > MOST_USES) MPIPP_WRITE(has_surplus, 1);
  }
  return found;
}

int mpipp_instrument_rma_has_surplus(void) {
  return MPIPP_READ(has_surplus);
}

static int is_whole(const struct mpipp_strided_blocks *strided) {
  return strided->count == 1 || (strided->count && strided->stride == strided->length);
}

// Returns whether an existing entry contains an operation's buffer, and lasts at least as long.
// Such an entry is the window's own memory, or a buffer for the same target.
static int is_within(const struct mpipp_call *call, const struct mpipp_bytes *bytes) {
  const struct mpipp_strided_blocks *strided = &bytes->strided;
  for (int i = 0; i < used; i++) {
    const struct mpipp_rma_range *one = &all[i];
    if (!one->kind || one->kind == COMPLETED || one->win != call->win) continue;
    if (one->kind == BUFFER && one->target != call->target_rank) continue;
    int alike = strided->count && one->low == bytes->low &&
                one->strided.length == strided->length && one->strided.stride == strided->stride &&
                one->strided.count == strided->count;
    if (alike || (is_whole(&one->strided) && bytes->low >= one->low && bytes->high <= one->high))
      return 1;
  }
  return 0;
}

static void count_omission(void) {
  MPIPP_WRITE(mpipp_registry.onesided_unseen, mpipp_registry.onesided_unseen + 1);
}

static struct mpipp_rma_range *free_entry(void) {
  int i = 0;
  while (i < MOST && all[i].kind) i++;
  return i < MOST ? &all[i] : NULL;
}

// Adds an entry. Returns NULL if there is no space: then the memory is not traced.
static struct mpipp_rma_range *add(enum mpipp_rma_range_kind kind, uint64_t win, int64_t target,
                                   const struct mpipp_bytes *bytes) {
  struct mpipp_rma_range *one = free_entry();
  struct mpipp_shadow_range *looked = one ? mpipp_instrument_shadow_memory(bytes) : NULL;
  if (!looked) {
    struct mpipp_bytes given = *bytes;
    mpipp_guard_bytes_give(&given);
    count_omission();
    return NULL;
  }
  *one = (struct mpipp_rma_range){kind,           win,    target, bytes->low, bytes->high,
                                  bytes->strided, looked, 0,      0,          0};
  if (one == &all[used]) MPIPP_WRITE(used, used + 1);
  return one;
}

static void drop(struct mpipp_rma_range *one) {
  mpipp_instrument_shadow_drop(one->looked);
  others -= one->others;
  *one = (struct mpipp_rma_range){.kind = NONE};
}

static struct mpipp_rma_range *add_range(enum mpipp_rma_range_kind kind, uint64_t win,
                                         int64_t target, uint64_t low, uint64_t length) {
  if (!low || !length) return NULL;
  struct mpipp_strided_blocks strided = {low, length, length, 1};
  struct mpipp_bytes bytes = mpipp_guard_bytes_of_strided_blocks(&strided);
  return add(kind, win, target, &bytes);
}

// If the table is full, extends a nearby buffer's entry to include this buffer. The bytes in
// between are traced without need.
static int extend_entry(const struct mpipp_call *call, const struct mpipp_bytes *bytes) {
  if (free_entry()) return 0;
  for (int i = 0; i < MOST; i++) {
    struct mpipp_rma_range *one = &all[i];
    uint64_t low = one->low < bytes->low ? one->low : bytes->low;
    uint64_t high = one->high > bytes->high ? one->high : bytes->high;
    if (one->kind != BUFFER || one->win != call->win || one->target != call->target_rank ||
        high - low > NEAR)
      continue;
    drop(one);
    add_range(BUFFER, call->win, call->target_rank, low, high - low);
    return 1;
  }
  return 0;
}

static void add_window(const struct mpipp_win *win, uint64_t low, uint64_t high,
                       uint64_t of_others) {
  mpipp_guard_lock();
  struct mpipp_rma_range *one = add_range(OF_WINDOW, win->object.handle, 0, low, high - low);
  if (one) others += one->others = of_others;
  mpipp_guard_unlock();
}

static void add_own(const struct mpipp_win *win) {
  if (win->size > 0) add_window(win, win->base, win->base + (uint64_t)win->size, 0);
}

// Returns whether the marks for a window would need too much memory. Each process marks the bytes
// that it traces, one shadow byte for eight. A table shared by a node's processes may use most of
// its memory.
static int is_too_large(const struct mpipp_win *win, int count) {
  uint64_t bytes = 0;
  for (int rank = 0; rank < count; rank++)
    if (rank != win->rank) bytes += mpipp_rma_segment_of(win, rank).bytes;
  mpipp_guard_lock();
  int too_large = others + bytes > MOST_OTHERS;
  if (too_large) count_omission();
  mpipp_guard_unlock();
  return too_large;
}

// Adds all parts of a shared-memory window. Parts near each other become one entry.
static void add_segments(const struct mpipp_win *win, int count) {
  uint64_t low = 0, high = 0, of_others = 0;
  for (int rank = 0; rank < count; rank++) {
    struct mpipp_segment segment = mpipp_rma_segment_of(win, rank);
    uint64_t end = segment.low + segment.bytes;
    if (!segment.bytes) continue;
    if (!high || segment.low < low || segment.low > high + NEAR) {
      add_window(win, low, high, of_others);
      low = segment.low;
      high = end;
      of_others = 0;
    }
    if (end > high) high = end;
    if (rank != win->rank) of_others += segment.bytes;
  }
  add_window(win, low, high, of_others);
}

void mpipp_instrument_rma_window(const struct mpipp_event *event) {
  const struct mpipp_win *win = (const struct mpipp_win *)(const void *)event->object;
  if (event->kind == MPIPP_EVENT_MADE) {
    int count = mpipp_rma_segment_count(win);
    if (count && !is_too_large(win, count))
      add_segments(win, count);
    else
      add_own(win);
    return;
  }
  mpipp_guard_lock();
  for (int i = 0; event->kind == MPIPP_EVENT_FREED && i < used; i++)
    if (all[i].kind && all[i].win == win->object.handle) drop(&all[i]);
  mpipp_guard_unlock();
}

void mpipp_instrument_rma_shared_query(const struct mpipp_call *call) {
  struct mpipp_win *win = mpipp_find(MPIPP_WIN, call->win);
  int count = win ? mpipp_rma_query_segment_count(call, win, MPIPP_SEGMENTS_LOOKED_AT) : 0;
  if (count && !is_too_large(win, count))
    add_segments(win, count); // the own part has two entries
                              // now, which does no harm
}

void mpipp_instrument_rma_before_call(const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    struct mpipp_bytes bytes;
    if (!mpipp_guard_uses_buffer(call, i)) continue;
    if (!mpipp_guard_bytes_of_call(call, i, &bytes))
      count_omission();
    else if (is_within(call, &bytes) || extend_entry(call, &bytes))
      mpipp_guard_bytes_give(&bytes);
    else
      add(BUFFER, call->win, call->target_rank, &bytes);
  }
}

void mpipp_instrument_rma_drop_surplus(void) {
  MPIPP_WRITE(has_surplus, 0);
  for (int i = 0; i < used; i++)
    if (all[i].kind == COMPLETED && all[i].uses > MOST_USES) drop(&all[i]);
}

// Returns whether the program never frees the memory: static memory, and the stack of the first
// thread. Otherwise another thread may get the memory without any order that mpipp sees.
static int is_never_freed(const struct mpipp_rma_range *one) {
  extern void *__libc_stack_end __attribute__((weak));
  struct rlimit limit;
  if (mpipp_guard_is_static_memory(one->low, one->high)) return 1;
  if (!&__libc_stack_end || getrlimit(RLIMIT_STACK, &limit)) return 0;
  uint64_t end = (uint64_t)(uintptr_t)__libc_stack_end;
  uint64_t bytes = limit.rlim_cur < DEFAULT_STACK ? limit.rlim_cur : DEFAULT_STACK;
  return one->low > end - bytes && one->high <= end;
}

static void drop_oldest_buffer(void) {
  struct mpipp_rma_range *oldest = NULL;
  int count = 0;
  for (int i = 0; i < used; i++) {
    if (all[i].kind != COMPLETED) continue;
    if (!oldest || all[i].ordinal < oldest->ordinal) oldest = &all[i];
    count++;
  }
  if (count > MOST_COMPLETED) drop(oldest);
}

// The operation is complete. A program with several threads may still access the buffer in a thread
// that does not know this.
static void complete(struct mpipp_rma_range *one) {
  if (!mpipp_instrument_programs_have_order() || !is_never_freed(one)) {
    drop(one);
    return;
  }
  one->ordinal = ++completions;
  one->kind = COMPLETED;
  drop_oldest_buffer();
}

static void drop_buffers(uint64_t win, const int64_t *target) {
  for (int i = 0; i < used; i++)
    if (all[i].kind == BUFFER && all[i].win == win && (!target || all[i].target == *target))
      complete(&all[i]);
}

void mpipp_instrument_rma_after_call(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Win_attach:
    add_range(ATTACHED, call->win, 0, mpipp_recorder_win_memory, mpipp_recorder_win_bytes);
    return;
  case MPIPP_PROC_Win_detach:
    for (int i = 0; i < used; i++)
      if (all[i].kind == ATTACHED && all[i].win == call->win &&
          all[i].low == mpipp_recorder_win_memory)
        drop(&all[i]);
    return;
  case MPIPP_PROC_Win_unlock:
  case MPIPP_PROC_Win_flush:
  case MPIPP_PROC_Win_flush_local: {
    int64_t target = call->target_rank;
    drop_buffers(call->win, &target);
    return;
  }
  case MPIPP_PROC_Win_fence:
  case MPIPP_PROC_Win_complete:
  case MPIPP_PROC_Win_unlock_all:
  case MPIPP_PROC_Win_flush_all:
  case MPIPP_PROC_Win_flush_local_all:
    drop_buffers(call->win, NULL);
    return;
  default:
    return;
  }
}

void mpipp_instrument_rma_end_all(void) {
  for (int i = 0; i < used; i++)
    if (all[i].kind) drop(&all[i]);
}
