// SPDX-License-Identifier: MIT
// Numbers among the arguments of a call, and where it is on the stack.
#ifndef MPIPP_RMA_LOG_CALL_ARGUMENTS_H
#define MPIPP_RMA_LOG_CALL_ARGUMENTS_H

#include "recorder/threads/threads.h"
#include "registry/records.h"
#include "registry/rma_log_entry.h"

// One of an input's values, of a call that is active; 0 if there is none.
static inline int64_t mpipp_log_number(const struct mpipp_call *call, uint32_t input,
                                       int64_t index) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  if (!(call->present & MPIPP_HAS_ARGUMENTS) || input >= call->input_count) return 0;
  const void *values = inputs[input].values;
  if (!values) return 0;
  return inputs[input].size == sizeof(int) ? ((const int *)values)[index]
                                           : ((const int64_t *)values)[index];
}

// The target's rank of a call on a window.
static inline uint64_t mpipp_log_target(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_TARGET_RANK ? (uint64_t)call->target_rank : MPIPP_LOG_NOT_KNOWN;
}

// The word of an operation's entry that is the displacement at the target.
static inline uint64_t mpipp_log_displacement(const struct mpipp_call *call) {
  return MPIPP_LOG_BUFFERS + MPIPP_LOG_EACH * ((uint64_t)call->buffer_count - 1);
}

// Where on the thread's own stack the call is; 0 if that is uncertain: a program may have others.
static inline uint64_t mpipp_log_frame(const struct mpipp_call *call) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  int known = call->frame >= thread->stack_start && call->frame < thread->stack_end;
  return thread->stack_start && known ? call->frame : 0;
}

#endif
