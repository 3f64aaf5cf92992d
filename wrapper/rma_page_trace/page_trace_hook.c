// SPDX-License-Identifier: MIT
// A hook that logs loads and stores to windows in programs that were not compiled for that, in runs
// with `--check=rma --rma-loads`.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/vendor.h"
#include "buffer_guard/faults/faults.h"
#include "buffer_guard/fork.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/operations/owned_bytes.h"
#include "buffer_guard/platform/lock.h"
#include "buffer_guard/platform/mappings.h"
#include "buffer_guard/reporting/freed_memory.h"
#include "generated/procedures.h"
#include "instrumentation/program_parts.h"
#include "intercept/hooks.h"
#include "layout/strided_blocks.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "rma_page_trace/budget.h"
#include "rma_page_trace/quiescence.h"
#include "rma_page_trace/win_create_memory.h"
#include "rma_page_trace/window_pages.h"

enum { ORDER = -1000 }; // its `leave` runs after that of all other hooks

static int is_off = 0;
static int inside; // number of threads inside calls
static __thread int is_inside __attribute__((tls_model("initial-exec")));
// The window that the thread's call frees.
static __thread uint64_t freeing __attribute__((tls_model("initial-exec")));

// Creates a second mapping of memory that MPI has allocated for a window. That memory is shared
// between processes, so it can be mapped twice. Returns 0 if that is impossible.
static uint64_t view_of(uint64_t low, uint64_t high) {
  struct mpipp_mapping mapping;
  if (!mpipp_guard_mapping_at(low, &mapping) || mapping.end < high || !mapping.shared) return 0;
  if (!mapping.readable || !mapping.writable || mapping.executable) return 0;
  if (strstr(mapping.name, "huge") ||
      (!strncmp(mapping.name, "/dev/", 5) && strncmp(mapping.name, "/dev/shm/", 9)))
    return 0;
  int saved = errno;
  // Uses the system call directly, as buffer_guard/memory/pages.c does.
  long view = syscall(SYS_mremap, low, 0, high - low, MREMAP_MAYMOVE);
  errno = saved;
  return view == -1 ? 0 : (uint64_t)view;
}

static void add_window(const struct mpipp_win *win) {
  if (win->flavor == MPIPP_WIN_CREATE) mpipp_trace_win_create_end(win->object.handle);
  uint64_t end = win->base + (uint64_t)win->size;
  uint64_t low = mpipp_page_down(win->base), high = mpipp_page_up(end);
  if (!win->base || win->size <= 0 || mpipp_instrument_programs_any) return;
  if (win->flavor != MPIPP_WIN_ALLOCATE && win->flavor != MPIPP_WIN_SHARED) return;
  mpipp_trace_areas_begin();
  uint64_t view = view_of(low, high);
  if (view) mpipp_trace_area_add(win->object.handle, win->base, end, view - low);
}

static void event(const struct mpipp_event *event) {
  const struct mpipp_object *object = event->object;
  if (MPIPP_READ(is_off) || object->kind != MPIPP_WIN || event->kind != MPIPP_EVENT_MADE) return;
  MPIPP_WRITE(mpipp_registry.onesided_looks, 1);
  mpipp_guard_lock();
  add_window((const struct mpipp_win *)(const void *)object);
  mpipp_guard_unlock();
}

// MPI, or the system for MPI, may use buffers in protected pages. So MPI gets their address in the
// second mapping.
static void shift(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    struct mpipp_bytes bytes;
    if (!mpipp_guard_uses_buffer(call, i)) continue;
    if (!mpipp_guard_bytes_of_call(call, i, &bytes)) {
      mpipp_trace_areas_drop_all();
      continue;
    }
    passage->addresses[i] += mpipp_trace_area_shift(bytes.low, bytes.high);
    mpipp_guard_bytes_give(&bytes);
  }
}

static int64_t number_in(const struct mpipp_call *call, uint32_t i) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  return inputs[i].size == sizeof(int) ? *(const int *)inputs[i].values
                                       : *(const int64_t *)inputs[i].values;
}

static int is_win_create(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Win_create || call->procedure == MPIPP_PROC_Win_create_c;
}

// Passes MPI another address for the memory of a new window, before MPI has seen the first one.
static void begin(struct mpipp_passage *passage) {
  int64_t size = number_in(passage->call, 0);
  if (!passage->base || size <= 0 || mpipp_instrument_programs_any) return;
  mpipp_trace_areas_begin();
  uint64_t base = (uint64_t)(uintptr_t)passage->base;
  passage->base = (void *)(uintptr_t)mpipp_trace_win_create_begin(base, (uint64_t)size, inside > 1);
}

// Prepares for a call that may use windows or their memory.
static void prepare(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  mpipp_trace_quiet_enter(call);
  freeing = 0;
  if (call->procedure == MPIPP_PROC_Win_free && passage->handle) {
    freeing = MPIPP_KEY(*(const MPI_Win *)passage->handle);
    mpipp_trace_area_drop(freeing);
  }
  if (is_win_create(call)) begin(passage);
  if (call->procedure == MPIPP_PROC_Finalize) mpipp_trace_areas_drop_all();
  if (call->buffer_count) shift(passage);
}

static void settle(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  mpipp_trace_quiet_leave(call);
  if (is_win_create(call))
    mpipp_trace_win_create_end(0); // the call has failed, or the window is
                                   // already complete
  if (call->procedure == MPIPP_PROC_Win_attach) mpipp_trace_areas_leave_attached_memory();
  if (freeing && passage->code == MPI_SUCCESS) mpipp_trace_win_create_free(freeing, inside > 0);
  freeing = 0;
}

// Returns whether the hook has work at a call.
static int is_concerned(const struct mpipp_call *call) {
  return mpipp_trace_has_areas() || call->present & MPIPP_HAS_WIN || is_win_create(call) ||
         call->procedure == MPIPP_PROC_Win_free || call->procedure == MPIPP_PROC_Init ||
         call->procedure == MPIPP_PROC_Init_thread;
}

static int enter(struct mpipp_passage *passage) {
  if (MPIPP_READ(is_off)) return MPIPP_GO_ON;
  if (!is_inside) __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
  is_inside = 1;
  if (!is_concerned(passage->call)) return MPIPP_GO_ON;
  if (mpipp_trace_has_areas()) mpipp_trace_budget_enter();
  mpipp_guard_lock();
  prepare(passage);
  mpipp_guard_unlock();
  return MPIPP_GO_ON;
}

static void leave(struct mpipp_passage *passage) {
  if (MPIPP_READ(is_off)) return;
  is_inside = 0;
  int others = __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
  if (!is_concerned(passage->call)) return;
  mpipp_guard_lock();
  settle(passage);
  mpipp_guard_unlock();
  if (!mpipp_trace_has_areas()) return;
  mpipp_trace_budget_leave(passage->call->caller);
  if (others > 0) return;
  mpipp_guard_lock();
  mpipp_trace_areas_close();
  mpipp_guard_unlock();
}

static struct mpipp_hook hook = {.enter = enter, .leave = leave, .event = event, .order = ORDER};

static void after_fork_in_child(void) {
  is_off = 1;
  mpipp_trace_areas_drop_all();
}

static void forget_memory(uint64_t start, uint64_t bytes) {
  if (MPIPP_READ(is_off) || mpipp_guard_locked || !mpipp_guard_pages_overlap(start, start + bytes))
    return;
  mpipp_guard_lock_outside_mpi();
  mpipp_trace_win_create_free_memory(start, bytes);
  mpipp_guard_unlock();
}

__attribute__((constructor)) static void hook_in(void) {
  if (!getenv("MPIPP_RMA_LOADS") || !getenv("MPIPP_RMA") || !getenv("MPIPP_WATCH")) return;
  mpipp_guard_faults_prepare();
  mpipp_trace_areas_prepare();
  mpipp_guard_fork_add_handler(after_fork_in_child);
  mpipp_guard_free_listener = forget_memory;
  mpipp_hook_in(&hook);
  mpipp_guards_buffers = 1;
}
