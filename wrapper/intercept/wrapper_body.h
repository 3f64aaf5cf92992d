// SPDX-License-Identifier: MIT
// The steps of a generated wrapper, in the order that generator/generate.py emits: begin, decode
// the arguments into the call's record, enter, call MPI, leave.
#ifndef MPIPP_INTERCEPT_WRAPPER_BODY_H
#define MPIPP_INTERCEPT_WRAPPER_BODY_H

#include <stddef.h>
#include <stdlib.h>

#include "abi/compilers.h"
#include "abi/mpi_symbols.h"
#include "abi/seam.h"
#include "intercept/hook_chain.h"
#include "intercept/startup.h"
#include "recorder/recorder.h"
#include "registry/object_store.h"
#include "registry/registry.h"

#define MPIPP_SITE __builtin_return_address(0), __builtin_frame_address(0)

// The record for a call if this thread has none yet, or its record shows that it is inside MPI
// (finalize.h).
struct mpipp_thread *mpipp_intercept_outside_record(void *caller, void *frame);

// Returns whether PMPI_X calls MPI directly: while MPI itself or another tool makes the call, or if
// nothing is recorded. Otherwise PMPI_X calls the wrapper of MPI_X, which then calls MPI's PMPI_X,
// and not another tool's MPI_X. Always in line, like mpipp_begin, because it needs its caller's
// frame.
MPIPP_INLINE int mpipp_passes(void) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  if (thread->depth) {
    if (!mpipp_intercept_outside_record(MPIPP_SITE)) return 1;
    thread = mpipp_recorder_self;
  }
  thread->profiling = 1;
  return 0;
}

// The result of the slow path of mpipp_begin. The struct is returned by value, because a variable
// whose address is taken is not kept in a register.
struct mpipp_begin_result {
  struct mpipp_thread *thread;
  void *real;
};
struct mpipp_begin_result mpipp_intercept_begin_slow(unsigned procedure, void *caller, void *frame);

// Begins a call. *real: the function to call for MPI_X. Returns NULL if the call is passed through,
// because it is inside another call, or nothing is recorded.
MPIPP_INLINE struct mpipp_thread *mpipp_begin(unsigned procedure, void **real) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  *real = mpipp_abi_real[0][procedure]; // not NULL, since a thread has a record
  if (MPIPP_UNLIKELY(thread->depth | thread->aside)) {
    struct mpipp_begin_result begun = mpipp_intercept_begin_slow(procedure, MPIPP_SITE);
    *real = begun.real;
    thread = begun.thread;
    if (!thread) return NULL;
  }
  return thread;
}

// For a call inside another call, when a callback of the program is about to free an object, for
// example an attribute's. Returns the object's serial; 0 if MPI itself frees it, or it is not
// recorded.
uint64_t mpipp_intercept_callback_frees(enum mpipp_kind kind, uint64_t handle, void *caller);

// For a call inside another call: a callback of the program has created an object. The object is
// not recorded, but its handle no longer belongs to a freed object. Objects that MPI creates for
// itself are ignored.
void mpipp_intercept_callback_makes(enum mpipp_kind kind, uint64_t handle, void *caller) MPIPP_COLD;

// Call these around a call that is not recorded, so that calls by MPI meanwhile are not taken for
// the program's.
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

// Finds the record of the buffer's datatype, whose handle is already set. Out of line.
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
  buffer->vector = 0; // the compiler merges this store with that of `access`
  buffer->role = mpipp_role(role);
  // Records never move. So the record of the thread's last call is tried first: usually this call
  // has the same datatype.
  uint64_t last = mpipp_thread_of(call)->known[index];
  buffer->record = last;
  if (MPIPP_UNLIKELY(MPIPP_READ(((const struct mpipp_object *)(uintptr_t)last)->live) != datatype))
    mpipp_intercept_find_datatype(call, index);
  return buffer;
}

// The handle of MPI_PACKED. With Open MPI, the constant itself would be a look-up by name.
static inline uint64_t mpipp_packed_handle(void) {
  static uint64_t packed = 0;
  if (MPIPP_UNLIKELY(!MPIPP_READ(packed))) MPIPP_WRITE(packed, MPIPP_KEY(MPI_PACKED));
  return packed;
}

// The arrays of a v or w form as the caller passed them; sizes of their elements in bytes.
struct mpipp_arrays {
  const void *counts, *displacements, *datatypes;
  unsigned count_size, displacement_size;
};
void mpipp_intercept_buffer_v(struct mpipp_call *call, const void *address,
                              struct mpipp_arrays arrays, uint64_t datatype, int64_t peers,
                              unsigned access, unsigned role);

// Numbers of processes that exchange data in the call; 0 if the communicator is not recorded.
int64_t mpipp_intercept_peers(const struct mpipp_call *call); // the communicator's size, or its
                                                              // remote size
MPIPP_SEAM int64_t
mpipp_intercept_parts(const struct mpipp_call *call);           // size of the process's own group
int64_t mpipp_intercept_sources(const struct mpipp_call *call); // number of neighbors that send to
                                                                // this process
int64_t mpipp_intercept_targets(const struct mpipp_call *call); // number of neighbors to which this
                                                                // process sends
// Return whether the root's arguments are significant in this process, and whether those of the
// other processes are.
int mpipp_at_root(const struct mpipp_call *call);
int mpipp_at_leaf(const struct mpipp_call *call);
// The number of elements for this process in a reduce-scatter, and the total number.
int64_t mpipp_intercept_own_count(const struct mpipp_call *call, const void *counts, unsigned size);
int64_t mpipp_intercept_total_count(const struct mpipp_call *call, const void *counts,
                                    unsigned size);
// Records all counts, which must be equal in all processes.
void mpipp_intercept_counts(struct mpipp_call *call, const void *counts, unsigned size);

// Copies more than MPIPP_FEW handles. Returns NULL without memory.
MPI_Request *mpipp_intercept_copy_handles(int64_t count, const MPI_Request *requests);

static inline void mpipp_handles_init(struct mpipp_handles *handles, int64_t count,
                                      const MPI_Request *requests) {
  if (MPIPP_UNLIKELY(!mpipp_are_few(count))) {
    handles->all = mpipp_intercept_copy_handles(count, requests);
    return;
  }
  handles->all = handles->few;
  // Atomic stores, because the compiler would turn the loop into a call of memcpy, which takes
  // longer for the usual few handles.
  for (int64_t i = 0; i < count; i++) MPIPP_WRITE(handles->few[i], requests[i]);
}

static inline void mpipp_handles_deinit(struct mpipp_handles *handles, int64_t count) {
  if (MPIPP_UNLIKELY(!mpipp_are_few(count))) mpipp_registry_free(handles->all);
}

// Copies the handles to the registry, because a watcher cannot see the program's own memory.
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

// Activates the record, which is complete. Returns whether the call has to pass hooks.
static inline int mpipp_activate(struct mpipp_thread *thread) {
  __atomic_store_n(&thread->call.state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  return MPIPP_UNLIKELY(mpipp_intercept_hooks != NULL) && mpipp_intercept_is_hooked(thread);
}
// Enters the hooks with a complete record. Call it only if there are hooks.
static inline int mpipp_activate_hooks(struct mpipp_thread *thread) {
  __atomic_store_n(&thread->call.state, MPIPP_CALL_ACTIVE, __ATOMIC_RELEASE);
  return mpipp_intercept_is_hooked(thread);
}

#define MPIPP_PASSED_ADDRESS(PASSAGE, ROLE, POINTER)                                               \
  ((__typeof__(POINTER))(uintptr_t)mpipp_intercept_passed_address(PASSAGE, ROLE,                   \
                                                                  (uintptr_t)(POINTER)))
// The address of a call's status. With hooks the address is never NULL.
static inline const MPI_Status *mpipp_status(const struct mpipp_thread *thread,
                                             const MPI_Status *status) {
  const struct mpipp_passage *passage = (const void *)(uintptr_t)thread->passage;
  return MPIPP_UNLIKELY(passage != NULL) ? passage->status : status;
}

// The statuses of a call that has returned; NULL if the program ignores them, and no hook wanted
// them.
static inline const MPI_Status *mpipp_returned_statuses(const struct mpipp_thread *thread,
                                                        const MPI_Status *statuses) {
  const struct mpipp_passage *passage = (const void *)(uintptr_t)thread->passage;
  const MPI_Status *told = passage && passage->status ? passage->status : statuses;
  return told == MPI_STATUSES_IGNORE ? NULL : told;
}

// Records whether a call that tests for a completion or a message has found it.
static inline void mpipp_note_poll(const struct mpipp_call *call, int found) {
  struct mpipp_thread *thread = mpipp_thread_of(call);
  if (found)
    MPIPP_WRITE(thread->polled, 0);
  else
    mpipp_recorder_count_poll(thread);
}

// MPI_SUCCESS as a value that the compiler does not know. Otherwise the compiler would keep MPI's
// return code in a register until the end.
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

// Leaves a call that failed: the code is not MPI_SUCCESS.
int mpipp_intercept_fail(struct mpipp_thread *thread, int code) MPIPP_COLD;

// Leaves a call with any code.
static inline int mpipp_leave_any(struct mpipp_thread *thread, int code) {
  return MPIPP_LIKELY(code == MPI_SUCCESS) ? mpipp_leave(thread, mpipp_success())
                                           : mpipp_intercept_fail(thread, code);
}

#endif
