// SPDX-License-Identifier: MIT
#include "rma_page_trace/quiescence.h"

#include <stddef.h>

#include "buffer_guard/operations/owned_bytes.h"
#include "buffer_guard/platform/other_threads.h"
#include "buffer_guard/platform/proc_dir.h"
#include "generated/procedures.h"
#include "recorder/objects/windows.h"
#include "recorder/requests/requests.h"

enum { WINDOWS = 64 };

// Windows with operations that may still use their buffers.
static uint64_t windows[WINDOWS];
static int has_more;

// Devices to which the program may have passed addresses of its memory.
static const char *const devices[] = {"/dev/infiniband/", "/dev/nvidia", "/dev/kfd", "/dev/hfi1",
                                      NULL};

// Returns whether the call completes all operations that this process has begun on the window.
static int completes_all(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Win_fence:
  case MPIPP_PROC_Win_complete:
  case MPIPP_PROC_Win_unlock_all:
  case MPIPP_PROC_Win_flush_all:
  case MPIPP_PROC_Win_flush_local_all:
    return 1;
  default:
    return 0;
  }
}

static void note(uint64_t win) {
  int free = -1;
  for (int i = 0; i < WINDOWS; i++) {
    if (windows[i] == win) return;
    if (free < 0 && !windows[i]) free = i;
  }
  if (free < 0)
    has_more = 1;
  else
    windows[free] = win;
}

void mpipp_trace_quiet_enter(const struct mpipp_call *call) {
  mpipp_guard_threads_before_init(call);
  if (call->present & MPIPP_HAS_WIN && call->buffer_count) note(call->win);
}

void mpipp_trace_quiet_leave(const struct mpipp_call *call) {
  mpipp_guard_threads_after_init(call);
  if (!completes_all(call)) return;
  for (int i = 0; i < WINDOWS; i++)
    if (windows[i] == call->win) windows[i] = 0;
}

// Returns whether no window has an open operation. If a window's epochs have ended, its operations
// are complete.
static int are_operations_complete(void) {
  const uint64_t own =
      MPIPP_EPOCH_FENCE | MPIPP_EPOCH_START | MPIPP_EPOCH_LOCK | MPIPP_EPOCH_LOCK_ALL;
  for (int i = 0; i < WINDOWS; i++) {
    const struct mpipp_win *win = windows[i] ? mpipp_find_live(MPIPP_WIN, windows[i]) : NULL;
    if (win && MPIPP_READ(win->epochs) & own) return 0;
    windows[i] = 0;
  }
  return !has_more;
}

static int is_active(const struct mpipp_request *request) {
  uint32_t flags = MPIPP_READ(request->object.flags);
  if (!MPIPP_READ(request->object.serial)) return 0;
  return flags & MPIPP_FLAG_GIVEN_UP ||
         (!(flags & MPIPP_FLAG_ENDED) && request->state != MPIPP_REQUEST_COMPLETE);
}

// Returns whether an operation uses memory of [low, high), or may do so when it is started again.
static int uses(const struct mpipp_request *request, uint64_t low, uint64_t high) {
  int any = 0;
  for (uint32_t i = 0; i < request->call.buffer_count && !any; i++) {
    struct mpipp_bytes bytes;
    if (!mpipp_guard_uses_buffer(&request->call, i)) continue;
    if (!mpipp_guard_bytes_of_call(&request->call, i, &bytes)) return 1;
    any = bytes.low < high && low < bytes.high;
    mpipp_guard_bytes_give(&bytes);
  }
  return any;
}

static int are_requests_quiet(uint64_t low, uint64_t high) {
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_REQUEST].table;
  int any = 0, locked = mpipp_lock_kind(MPIPP_REQUEST);
  for (const struct mpipp_chunk *chunk = table ? (void *)(uintptr_t)table->chunks : NULL; chunk;
       chunk = (const void *)(uintptr_t)chunk->next) {
    const struct mpipp_request *requests = (const void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used) && !any; i++)
      any = is_active(&requests[i]) && uses(&requests[i], low, high);
  }
  mpipp_unlock_kind(locked);
  return !any;
}

int mpipp_trace_is_quiet(uint64_t low, uint64_t high, int has_neighbors) {
  return !mpipp_guard_has_open(devices) && !mpipp_recorder_is_attached(low, high) &&
         are_operations_complete() && (!has_neighbors || mpipp_guard_has_one_thread()) &&
         are_requests_quiet(low, high);
}
