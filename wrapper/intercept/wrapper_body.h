// SPDX-License-Identifier: MIT
// The parts of a generated wrapper (generator/generate.py emits calls of these, in this order):
// begin, decode into the call record, enter, the library, leave.
#ifndef MPIPP_INTERCEPT_WRAPPER_BODY_H
#define MPIPP_INTERCEPT_WRAPPER_BODY_H

#include <stddef.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "abi/seam.h"
#include "intercept/hook_chain.h"
#include "intercept/startup.h"
#include "recorder/recorder.h"
#include "registry/object_store.h"
#include "registry/registry.h"

#define MPIPP_SITE __builtin_return_address(0), __builtin_frame_address(0)

// The record for a call from there (finalize.h) by this thread, whose record says that it is inside
// MPI, or which has no record yet.
struct mpipp_thread *mpipp_intercept_outside_record(void *caller, void *frame);

// Returns whether PMPI_X goes straight to MPI: while MPI itself or another tool is at work, or if
// there is nothing to record. Otherwise it calls MPI_X, which then calls MPI's own PMPI_X, not
// another tool's MPI_X. In line, like mpipp_begin, at any level: it needs its caller's frame.
static inline __attribute__((always_inline)) int mpipp_passes(void) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  if (thread->depth) {
    if (!mpipp_intercept_outside_record(MPIPP_SITE)) return 1;
    thread = mpipp_recorder_self;
  }
  thread->profiling = 1;
  return 0;
}

// The slow path of mpipp_begin. By value: a variable whose address is taken is not kept in a
// register.
struct mpipp_begin_result {
  struct mpipp_thread *thread;
  void *real;
};
struct mpipp_begin_result mpipp_intercept_begin_slow(unsigned procedure, void *caller, void *frame);

// real: the function that MPI_X calls. NULL: pass the call through (inside another call, or nothing
// to record).
static inline __attribute__((always_inline)) struct mpipp_thread *mpipp_begin(unsigned procedure,
                                                                              void **real) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  *real = mpipp_abi_real[0][procedure]; // known to be there, since a thread has a record
  if (MPIPP_UNLIKELY(thread->depth | thread->aside)) {
    struct mpipp_begin_result begun = mpipp_intercept_begin_slow(procedure, MPIPP_SITE);
    *real = begun.real;
    thread = begun.thread;
    if (!thread) return NULL;
  }
  return thread;
}

// Inside another call: the serial of the object that a callback of the program is about to free,
// for example one that deletes an attribute. 0 if MPI frees it, or nothing is known of it.
uint64_t mpipp_intercept_callback_frees(enum mpipp_kind kind, uint64_t handle, void *caller);

// Inside another call: a callback of the program has made an object. It is not recorded, but its
// handle is no longer a freed object's. Objects that MPI makes for itself are ignored.
void mpipp_intercept_callback_makes(enum mpipp_kind kind, uint64_t handle, void *caller) MPIPP_COLD;

// Around a call that is not recorded: calls by MPI meanwhile are not the program's.
static inline void mpipp_enter_unrecorded_call(struct mpipp_thread *thread, unsigned procedure,
                                               void *caller, void *frame) {
  thread->depth = 1;
  thread->call.serial++;
  thread->call.procedure = (uint16_t)procedure;
  thread->call.caller = (uintptr_t)caller;
  thread->call.frame = (uintptr_t)frame;
}

static inline void mpipp_leave_unrecorded_call(struct mpipp_thread *thread) {
  MPIPP_WRITE(thread->handle_count, 0);
  __atomic_store_n(&thread->depth, 0, __ATOMIC_RELEASE);
}

static inline struct mpipp_call *mpipp_begin_record(struct mpipp_thread *thread, unsigned procedure,
                                                    void *caller, void *frame) {
  struct mpipp_call *call = &thread->call;
  thread->depth = 1;
  call->serial++;
  call->frame = (uintptr_t)frame;
  call->procedure = (uint16_t)procedure;
  call->buffer_count = 0;
  call->caller = (uintptr_t)caller;
  return call;
}

// The record of the buffer's datatype, whose access is there; out of line.
void mpipp_intercept_find_datatype(struct mpipp_call *call, uint32_t index);

static inline struct mpipp_buffer *mpipp_buffer(struct mpipp_call *call, uint32_t index,
                                                const void *address, int64_t count,
                                                uint64_t datatype, unsigned access, unsigned role) {
  struct mpipp_buffer *buffer = &call->buffers[index];
  call->buffer_count = (uint16_t)(index + 1);
  buffer->address = (uintptr_t)address;
  buffer->count = count;
  buffer->peers = 1;
  buffer->datatype = datatype;
  buffer->access = access;
  buffer->vector = 0; // one store with access
  buffer->role = mpipp_role(role);
  // Records never move, so the one found for the thread's last call may be tried first: usually
  // this call has it, too.
  uint64_t last = mpipp_thread_of(call)->known[index];
  buffer->record = last;
  if (MPIPP_UNLIKELY(MPIPP_READ(((const struct mpipp_object *)(uintptr_t)last)->live) != datatype))
    mpipp_intercept_find_datatype(call, index);
  return buffer;
}

// MPI_PACKED's handle; with Open MPI the constant itself is a look-up by name.
static inline uint64_t mpipp_packed_handle(void) {
  static uint64_t packed = 0;
  if (MPIPP_UNLIKELY(!MPIPP_READ(packed))) MPIPP_WRITE(packed, MPIPP_KEY(MPI_PACKED));
  return packed;
}

// The v and w forms: arrays as the caller passed them; element sizes in bytes.
struct mpipp_arrays {
  const void *counts, *displacements, *datatypes;
  unsigned count_size, displacement_size;
};
void mpipp_intercept_buffer_v(struct mpipp_call *call, const void *address,
                              struct mpipp_arrays arrays, uint64_t datatype, int64_t peers,
                              unsigned access, unsigned role);

// The numbers of peers of the call's communicator, 0 if it is unknown.
int64_t mpipp_intercept_peers(const struct mpipp_call *call); // size, or remote size
MPIPP_SEAM int64_t
mpipp_intercept_parts(const struct mpipp_call *call); // of the process's own group
int64_t
mpipp_intercept_sources(const struct mpipp_call *call); // neighbors that send to this process
int64_t mpipp_intercept_targets(const struct mpipp_call *call); // neighbors this process sends to
// Return whether the root's arguments count in this process, and whether the others' do.
int mpipp_at_root(const struct mpipp_call *call);
int mpipp_at_leaf(const struct mpipp_call *call);
// Element count of this process in a reduce-scatter, and of all.
int64_t mpipp_intercept_own_count(const struct mpipp_call *call, const void *counts, unsigned size);
int64_t mpipp_intercept_total_count(const struct mpipp_call *call, const void *counts,
                                    unsigned size);
// All counts, which must be equal in all processes.
void mpipp_intercept_counts(struct mpipp_call *call, const void *counts, unsigned size);

// A copy of more than few handles; NULL without memory.
MPI_Request *mpipp_intercept_copy_handles(int64_t count, const MPI_Request *requests);

static inline void mpipp_handles_init(struct mpipp_handles *handles, int64_t count,
                                      const MPI_Request *requests) {
  if (MPIPP_UNLIKELY(!mpipp_are_few(count))) {
    handles->all = mpipp_intercept_copy_handles(count, requests);
    return;
  }
  handles->all = handles->few;
  // Atomic, or the compiler makes it a call of memcpy, which takes longer for the usual few.
  for (int64_t i = 0; i < count; i++) MPIPP_WRITE(handles->few[i], requests[i]);
}

static inline void mpipp_handles_deinit(struct mpipp_handles *handles, int64_t count) {
  if (MPIPP_UNLIKELY(!mpipp_are_few(count))) mpipp_registry_free(handles->all);
}

// A watcher cannot see the program's own memory.
void mpipp_intercept_show_handles(struct mpipp_thread *thread, int64_t count,
                                  const MPI_Request *requests);
static inline void mpipp_waits_for(struct mpipp_thread *thread, int64_t count,
                                   const MPI_Request *requests) {
  if (MPIPP_LIKELY(!mpipp_registry_is_shared)) return;
  if (MPIPP_UNLIKELY((uint64_t)count > thread->shown_room || !mpipp_are_few(count))) {
    mpipp_intercept_show_handles(thread, count, requests);
    return;
  }
  MPI_Request *shown = (MPI_Request *)(uintptr_t)thread->shown;
  for (int64_t i = 0; i < count; i++) MPIPP_WRITE(shown[i], requests[i]);
  thread->shown_serial = thread->call.serial;
}

// The record is complete. Returns whether there are hooks that the call has to pass.
static inline int mpipp_activate(struct mpipp_thread *thread) {
  __atomic_store_n(&thread->call.state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  return MPIPP_UNLIKELY(mpipp_intercept_hooks != NULL) && mpipp_intercept_is_hooked(thread);
}
// Enters a call with a complete record when there are known to be hooks.
static inline int mpipp_activate_hooks(struct mpipp_thread *thread) {
  __atomic_store_n(&thread->call.state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  return mpipp_intercept_is_hooked(thread);
}

#define MPIPP_PASSED_ADDRESS(PASSAGE, ROLE, POINTER)                                               \
  ((__typeof__(POINTER))(uintptr_t)mpipp_intercept_passed_address(PASSAGE, ROLE,                   \
                                                                  (uintptr_t)(POINTER)))
// The address of a call's status: with hooks, there is always one.
static inline const MPI_Status *mpipp_status(const struct mpipp_thread *thread,
                                             const MPI_Status *status) {
  const struct mpipp_passage *passage = (const void *)(uintptr_t)thread->passage;
  return MPIPP_UNLIKELY(passage != NULL) ? passage->status : status;
}

// The statuses of a call that has returned; NULL: the program ignores them, and there are no
// others.
static inline const MPI_Status *mpipp_returned_statuses(const struct mpipp_thread *thread,
                                                        const MPI_Status *statuses) {
  const struct mpipp_passage *passage = (const void *)(uintptr_t)thread->passage;
  const MPI_Status *told = passage && passage->status ? passage->status : statuses;
  return told == MPI_STATUSES_IGNORE ? NULL : told;
}

// A call that tests for a completion or a message has found it, or not.
static inline void mpipp_note_poll(const struct mpipp_call *call, int found) {
  struct mpipp_thread *thread = mpipp_thread_of(call);
  if (found)
    MPIPP_WRITE(thread->polled, 0);
  else
    mpipp_recorder_count_poll(thread);
}

// MPI_SUCCESS. The compiler, if it knew, would keep MPI's code in a register meanwhile.
static inline int mpipp_success(void) {
  int success = MPI_SUCCESS;
  __asm__("" : "+r"(success));
  return success;
}

static inline int mpipp_leave(struct mpipp_thread *thread, int code) {
  if (MPIPP_UNLIKELY(thread->passage)) code = mpipp_intercept_note_return(thread, code);
  if (thread->call.buffer_count && code == MPI_SUCCESS &&
      !(thread->call.present & MPIPP_KEPT_OTHERWISE))
    mpipp_recorder_keep_past_call(thread);
  __atomic_store_n(&thread->call.state, MPIPP_CALL_NONE, __ATOMIC_RELEASE);
  __atomic_store_n(&thread->depth, 0, __ATOMIC_RELEASE);
  return code;
}

// Leaves a call that failed in MPI: the code is not MPI_SUCCESS.
int mpipp_intercept_fail(struct mpipp_thread *thread, int code) MPIPP_COLD;

// Leaves a call with any code.
static inline int mpipp_leave_any(struct mpipp_thread *thread, int code) {
  return MPIPP_LIKELY(code == MPI_SUCCESS) ? mpipp_leave(thread, mpipp_success())
                                           : mpipp_intercept_fail(thread, code);
}

#endif
