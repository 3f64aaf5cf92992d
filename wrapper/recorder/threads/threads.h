// SPDX-License-Identifier: MIT
// The records of threads, one for each that has called MPI.
#ifndef MPIPP_RECORDER_THREADS_THREADS_H
#define MPIPP_RECORDER_THREADS_THREADS_H

#include "abi/seam.h"
#include "generated/procedures.h"
#include "registry/object_store.h"

// The record of this thread. A thread without one has mpipp_recorder_no_thread, which always counts
// as inside MPI.
MPIPP_SEAM extern __thread struct mpipp_thread *mpipp_recorder_self
    __attribute__((tls_model("initial-exec")));
extern struct mpipp_thread mpipp_recorder_no_thread MPIPP_SEAM_DATA(mpipp_recorder_no_thread);

// Stands for a channel in unused entries of a thread's cache.
extern struct mpipp_channel mpipp_recorder_no_channel MPIPP_HIDDEN;

// Called before the first thread is registered.
void mpipp_recorder_open_threads(void);

// Sets the members of a record that must not begin as zero.
void mpipp_recorder_thread_init(struct mpipp_thread *thread);

// Makes a record for this thread, and sets mpipp_recorder_self. Returns NULL without memory.
struct mpipp_thread *mpipp_recorder_register_thread(void);

// The registered threads except this one: the first (previous: NULL), or the one after `previous`;
// NULL at the end.
MPIPP_SEAM struct mpipp_thread *mpipp_recorder_next_thread(const struct mpipp_thread *thread,
                                                           struct mpipp_thread *after);

// The registered thread with that serial; NULL if there is none any more.
struct mpipp_thread *mpipp_recorder_find_thread(uint64_t serial);

// A function that is called when a thread ends outside MPI. The function is set when the recording
// starts.
extern void (*mpipp_recorder_thread_ends)(struct mpipp_thread *thread) MPIPP_HIDDEN;

// Does what the handlers of pthread_atfork do, for processes that are created without them.
MPIPP_SEAM void mpipp_recorder_threads_before_fork(void);
MPIPP_SEAM void mpipp_recorder_threads_after_fork(int in_child);

// The thread's polling call has found nothing: counts consecutive calls, and notes whether they
// test the same object.
void mpipp_recorder_count_poll(struct mpipp_thread *thread);

// Returns whether memory that the thread frees is MPI's own: it is inside an MPI call other than
// MPI_Free_mem. *caller: the code that called free; the function replaces it by the program's call.
static inline int mpipp_frees_own(const struct mpipp_thread *thread, uint64_t *caller) {
  if (!thread->depth) return 0;
  if (thread->call.procedure != MPIPP_PROC_Free_mem || thread->depth != 1) return 1;
  *caller = thread->call.caller;
  return 0;
}

#endif
