// SPDX-License-Identifier: MIT
// The threads' records: one for each that has called MPI.
#ifndef MPIPP_RECORDER_THREADS_THREADS_H
#define MPIPP_RECORDER_THREADS_THREADS_H

#include "generated/procedures.h"
#include "registry/object_store.h"

// The record of a thread; of one that has none yet, mpipp_recorder_no_thread, which is always
// inside MPI.
extern __thread struct mpipp_thread *mpipp_recorder_self __attribute__((tls_model("initial-exec")));
extern struct mpipp_thread mpipp_recorder_no_thread MPIPP_HIDDEN;

// Stands for a channel where a thread has used none.
extern struct mpipp_channel mpipp_recorder_no_channel MPIPP_HIDDEN;

// Before the first is registered.
void mpipp_recorder_open_threads(void);

// What a record needs beside zeros.
void mpipp_recorder_thread_init(struct mpipp_thread *thread);

// Makes mpipp_recorder_self of this thread a record of its own; NULL without memory.
struct mpipp_thread *mpipp_recorder_register_thread(void);

// The registered threads but this one, the first or the next.
struct mpipp_thread *mpipp_recorder_other_thread(const struct mpipp_thread *thread,
                                                 struct mpipp_thread *after);

// What pthread_atfork does here, for processes that are made without it.
void mpipp_recorder_threads_before_fork(void);
void mpipp_recorder_threads_after_fork(int in_child);

// Its call has found nothing: those in a row are known by their numbers, and whether they look for
// the same.
void mpipp_recorder_polled_in_vain(struct mpipp_thread *thread);

// Whether memory that is freed now is MPI's own: inside of a call of it, but for MPI_Free_mem.
// CALLER is what called free, and becomes the program's call.
static inline int mpipp_frees_own(const struct mpipp_thread *thread, uint64_t *caller) {
  if (!thread->depth) return 0;
  if (thread->call.procedure != MPIPP_PROC_Free_mem || thread->depth != 1) return 1;
  *caller = thread->call.caller;
  return 0;
}

#endif
