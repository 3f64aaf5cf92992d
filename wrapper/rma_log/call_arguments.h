// SPDX-License-Identifier: MIT
// Reads numbers from the arguments of a call, and finds its position on the stack.
#ifndef MPIPP_RMA_LOG_CALL_ARGUMENTS_H
#define MPIPP_RMA_LOG_CALL_ARGUMENTS_H

#include "recorder/threads/threads.h"
#include "registry/records.h"
#include "registry/rma_log_entry.h"

// The value at an index of an input, while the call is active; 0 if there is none.
static inline int64_t mpipp_log_number(const struct mpipp_call *call, uint32_t input,
                                       int64_t index) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  if (!(call->present & MPIPP_HAS_ARGUMENTS) || input >= call->input_count) return 0;
  const void *values = inputs[input].values;
  if (!values) return 0;
  return inputs[input].size == sizeof(int) ? ((const int *)values)[index]
                                           : ((const int64_t *)values)[index];
}

// The target rank of a call on a window.
static inline uint64_t mpipp_log_target(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_TARGET_RANK ? (uint64_t)call->target_rank : MPIPP_LOG_NOT_KNOWN;
}

// The index of the word in an operation's entry that has the displacement at the target.
static inline uint64_t mpipp_log_displacement(const struct mpipp_call *call) {
  return MPIPP_LOG_BUFFERS + MPIPP_LOG_EACH * ((uint64_t)call->buffer_count - 1);
}

// The position of the call on the thread's own stack; 0 if it is uncertain, because the program may
// switch stacks.
static inline uint64_t mpipp_log_frame(const struct mpipp_call *call) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  int known = call->frame >= thread->stack_start && call->frame < thread->stack_end;
  return thread->stack_start && known ? call->frame : 0;
}

#endif
