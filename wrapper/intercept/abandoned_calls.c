// SPDX-License-Identifier: MIT
// Detects calls that a thread has left without a return, because the program's error handler jumped
// out of MPI (longjmp, or a C++ exception). MPI calls functions only further down the stack. So if
// a function is called where the call's own frame was, the thread has left the call.
#include "intercept/abandoned_calls.h"

#include <errno.h>
#include <unwind.h>

#include "abi/mpi_symbols.h"
#include "intercept/hook_chain.h"
#include "recorder/matching/channels.h"
#include "recorder/requests/requests.h"
#include "registry/registry.h"

struct mpipp_walk {
  uintptr_t frame;       // the frame to search for
  uintptr_t code, stack; // of the function visited last: code address, stack pointer
  int found, passed;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  struct mpipp_walk *walk = data;
  uintptr_t stack = _Unwind_GetCFA(context); // the end of the previous function's frame
  if (walk->frame >= walk->stack && walk->frame < stack)
    walk->found = mpipp_abi_is_own((void *)walk->code);
  walk->passed = stack > walk->frame;
  walk->code = _Unwind_GetIP(context);
  walk->stack = stack;
  return walk->found ? _URC_NORMAL_STOP : _URC_NO_REASON;
}

static int is_on_own_stack(const struct mpipp_thread *thread, uint64_t frame) {
  return frame >= thread->stack_start && frame < thread->stack_end;
}

// Returns whether memory above the caller's frame shows that the call's frame is gone, because its
// return address has changed. If it has not changed, the frame may still be gone: no function may
// have written there yet.
static int is_overwritten(const struct mpipp_call *call) {
  return MPIPP_RETURN_SLOT &&
         *(const uint64_t *)(uintptr_t)(call->frame + MPIPP_RETURN_SLOT) != call->caller;
}

// Returns whether the thread has left its recorded call. Addresses on other stacks than the
// thread's own (signal handlers, coroutines) show nothing. Calls that MPI itself makes are not
// worth a stack walk.
static int was_left(const struct mpipp_thread *thread, uint64_t caller, uint64_t frame) {
  const struct mpipp_call *call = &thread->call;
  if (frame == call->frame) return 1;
  if (!is_on_own_stack(thread, frame) || !is_on_own_stack(thread, call->frame)) return 0;
  if (frame > call->frame || is_overwritten(call)) return 1;
  if (!mpipp_is_outside_mpi(caller) && mpipp_abi_in_mpi(caller)) return 0;
  struct mpipp_walk walk = {.frame = call->frame};
  _Unwind_Backtrace(visit, &walk);
  return !walk.found && walk.passed;
}

// Ends an abandoned call. The effect of the call is unknown, so it is treated as failed.
static void leave(struct mpipp_thread *thread) {
  struct mpipp_call *call = &thread->call;
  int recorded = MPIPP_READ(call->state) == MPIPP_CALL_ACTIVE;
  if (call->present & MPIPP_HAS_DROPPED)
    recorded = 0; // a hook has dropped the call, so MPI has
                  // not seen it
  __atomic_store_n(&call->state, MPIPP_CALL_NONE, __ATOMIC_RELEASE);
  if (recorded && call->present & (MPIPP_HAS_ORDINAL | MPIPP_HAS_RECV_ORDINAL))
    mpipp_recorder_note_unknown_outcome(call);
  if (recorded && call->present & (MPIPP_HAS_REQUESTS | MPIPP_HAS_MESSAGE))
    MPIPP_WRITE(mpipp_registry.unseen, 1); // the call may have created objects, or not ended them
  if (recorded && call->present & MPIPP_HAS_REQUESTS) mpipp_recorder_abandon_waits(call);
  MPIPP_WRITE(thread->suspected, 0);
  MPIPP_WRITE(thread->handle_count, 0);
  mpipp_intercept_drop_passage(thread);
  thread->depth = 0;
}

int mpipp_intercept_is_inside(struct mpipp_thread *thread, void *caller, void *frame) {
  int saved = errno;
  int left = was_left(thread, (uintptr_t)caller, (uintptr_t)frame);
  if (left) leave(thread);
  errno = saved;
  return !left;
}
