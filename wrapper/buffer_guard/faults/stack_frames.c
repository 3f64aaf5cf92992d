// SPDX-License-Identifier: MIT
#include "buffer_guard/faults/stack_frames.h"

#include <unwind.h>

#include "buffer_guard/faults/faults.h"
#include "recorder/threads/threads.h"

struct mpipp_frames_walk {
  uint64_t address, code, stack; // of the previous frame: where its function continues, and its
                                 // stack pointer
  struct mpipp_frame found;
};

// A function's frame ends where its caller's frame begins.
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  struct mpipp_frames_walk *walk = data;
  uint64_t stack = _Unwind_GetCFA(context);
  if (walk->code && walk->stack <= walk->address && walk->address < stack) {
    walk->found = (struct mpipp_frame){walk->code, stack};
    return _URC_NORMAL_STOP;
  }
  walk->code = _Unwind_GetIP(context);
  walk->stack = stack;
  return _URC_NO_REASON;
}

struct mpipp_frame mpipp_guard_frame_of(uint64_t address) {
  struct mpipp_frames_walk walk = {.address = address};
  const struct mpipp_thread *self = mpipp_recorder_self;
  if (mpipp_guard_walks_stacks && address >= self->stack_start && address < self->stack_end)
    _Unwind_Backtrace(visit, &walk);
  return walk.found;
}

void mpipp_guard_query_frame(struct mpipp_asking *asking, struct mpipp_frame frame) {
  if (frame.code) mpipp_watcher_ask_frame(asking, frame.code, frame.end, NULL);
}
