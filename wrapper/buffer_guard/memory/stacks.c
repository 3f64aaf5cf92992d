// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/memory/stacks.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "buffer_guard/memory/remappable_regions.h"
#include "buffer_guard/platform/mappings.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"

// WALK_BYTES: backtrace needs 2 KiB of stack in the C library and libgcc.
enum { MOST_MAPPINGS = 64, WALK_BYTES = 3072 };

static int is_in(const struct mpipp_thread *thread, uint64_t low, uint64_t high) {
  return thread->stack_start < high && low < thread->stack_end;
}

// Returns whether memory may be on the stack at address `here`. A coroutine's stack is ordinary
// memory: one malloc block, or all memory up to a gap or an inaccessible page.
static int is_on_same_stack(uint64_t here, uint64_t low, uint64_t high) {
  uint64_t start, end;
  if (mpipp_guard_is_in_block(here, here + 1, &start, &end)) return low < end && start < high;
  uint64_t from = here < low ? here : low, to = here < low ? low : here;
  for (int i = 0; i < MOST_MAPPINGS && from <= to; i++) {
    struct mpipp_mapping mapping;
    if (!mpipp_guard_mapping_at(from, &mapping)) return 0;
    if (!mapping.readable && !mapping.shared)
      return 0; // pages that the guard forbids are shared,
                // and do not end a stack
    from = mapping.end;
  }
  return 1;
}

int mpipp_guard_is_stack(uint64_t low, uint64_t high) {
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  for (struct mpipp_thread *one = mpipp_recorder_next_thread(NULL, NULL); one;
       one = mpipp_recorder_next_thread(NULL, one)) {
    if (is_in(one, low, high)) return 1;
  }
  return !is_in(mpipp_recorder_self, here, here + 1) && is_on_same_stack(here, low, high);
}

// State of a walk from this function outwards: the last visited function, and where its frame
// begins.
struct mpipp_outwards {
  uint64_t code, stack;
  int turns; // the stack pointer went downwards: the walk has changed to another stack
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  struct mpipp_outwards *walk = data;
  uint64_t stack = _Unwind_GetCFA(context);
  walk->turns |= stack < walk->stack;
  if (_Unwind_GetIP(context))
    walk->code = _Unwind_GetIP(context); // the outermost frame has no
                                         // code address
  walk->stack = stack;
  return walk->turns ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static void do_nothing(void) {}

// The return address of a coroutine's first function, in the C library. That code has no public
// name, so a coroutine is prepared, and the address read from its stack.
static uint64_t end_of_coroutines(void) {
  static uint64_t stack[1024];
  ucontext_t made;
  if (getcontext(&made)) return 0;
  made.uc_link = NULL;
  made.uc_stack.ss_sp = stack;
  made.uc_stack.ss_size = sizeof stack;
  makecontext(&made, do_nothing, 0);
#ifdef __x86_64__
  return *(const uint64_t *)(uintptr_t)made.uc_mcontext.gregs[REG_RSP];
#else
  return 0;
#endif
}

// Returns whether code belongs to the C library's functions that start threads. `clone` itself is
// not compared, because it may be a replacement.
static int is_thread_start(uint64_t code) {
  Dl_info one, other;
  return code != end_of_coroutines() && dladdr((void *)(uintptr_t)(code - 1), &one) &&
         dladdr((void *)(uintptr_t)makecontext, &other) && one.dli_fbase == other.dli_fbase;
}

// Returns whether a frame is at the end of the first thread's stack, where the system has started
// the process.
static int is_process_start(uint64_t stack) {
  enum { FEW = 64 };
  void *const *end = dlsym(RTLD_DEFAULT, "__libc_stack_end");
  return end && (uint64_t)(uintptr_t)*end - stack <= FEW;
}

int mpipp_guard_is_on_own_stack(void) {
  struct mpipp_outwards walk = {0};
  _Unwind_Backtrace(visit, &walk);
  if (walk.turns || walk.stack >= mpipp_recorder_self->stack_end) return 0;
  if (mpipp_recorder_self->tid == mpipp_registry.pid) return is_process_start(walk.stack);
  return is_thread_start(walk.code);
}

// Returns whether the stack may be read at an address. The system reads the signal mask there
// before it rejects the invalid operation. A system call that only reads memory is not usable here,
// because the interposer uses more stack in it.
static int is_readable(uint64_t address) {
  enum { WHAT = -1, MASK_BYTES = 8 };
  return syscall(SYS_rt_sigprocmask, WHAT, address, NULL, MASK_BYTES) == 0 || errno != EFAULT;
}

int mpipp_guard_can_walk(const void *context) {
  const stack_t *alternate = &((const ucontext_t *)context)->uc_stack;
  const struct mpipp_thread *self = mpipp_recorder_self;
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  uint64_t low = (uint64_t)(uintptr_t)alternate->ss_sp;
  if (!(alternate->ss_flags & SS_DISABLE) && here - low < alternate->ss_size)
    return here - low >= WALK_BYTES;
  if (is_in(self, here, here + 1)) return here - self->stack_start >= WALK_BYTES;
  return is_readable(here - WALK_BYTES); // the page below a stack is inaccessible
}
