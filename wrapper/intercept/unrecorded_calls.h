// SPDX-License-Identifier: MIT
// Wrappers of procedures that are not recorded. The thread counts as inside MPI, so that calls by
// the library are not taken for the program's.
#ifndef MPIPP_INTERCEPT_UNRECORDED_CALLS_H
#define MPIPP_INTERCEPT_UNRECORDED_CALLS_H

#include "intercept/wrapper_body.h"
#include "recorder/keyvals.h"
#include "recorder/objects/window_aliases.h"
#include "recorder/returned_codes.h"

// Records the handles that are passed to the call, so that a debugger can check them while the
// process is stopped in it.
static inline void mpipp_set_passed_handles(struct mpipp_thread *thread, uint64_t count,
                                            uint64_t first, uint64_t second) {
  MPIPP_WRITE(thread->handle, first);
  if (count > 1) MPIPP_WRITE(thread->other_handle, second);
  __atomic_store_n(&thread->handle_count, count, __ATOMIC_RELEASE);
}
static inline void mpipp_clear_passed_handles(struct mpipp_thread *thread) {
  (void)thread; // nothing to clear: handle_count is already 0
}

// Defines the wrapper of a procedure. MPI: the prefix; or MPI1 for names that mpi.h may declare
// differently, or poison. GIVEN: a call of one of the functions above. AFTER: a statement that runs
// when MPI has returned.
#define MARKED(MPI, NAME, PARAMETERS, ARGUMENTS, GIVEN, AFTER)                                     \
  typedef int raw_##NAME PARAMETERS;                                                               \
  EXPORT int MPI##_##NAME PARAMETERS __asm__("MPI_" #NAME);                                        \
  EXPORT int P##MPI##_##NAME PARAMETERS __asm__("PMPI_" #NAME);                                    \
  extern raw_##NAME own_##NAME OWN(MPI_##NAME);                                                    \
  int MPI##_##NAME PARAMETERS {                                                                    \
    void *real;                                                                                    \
    struct mpipp_thread *thread = mpipp_begin(MPIPP_PROC_##NAME, &real);                           \
    if (!thread) return ((raw_##NAME *)real)ARGUMENTS;                                             \
    mpipp_enter_unrecorded_call(thread, MPIPP_PROC_##NAME, MPIPP_SITE);                            \
    GIVEN;                                                                                         \
    int code = MPI_SUCCESS;                                                                        \
    if (MPIPP_UNLIKELY(mpipp_intercept_before_unrecorded))                                         \
      code = mpipp_intercept_before_unrecorded(MPIPP_PROC_##NAME);                                 \
    if (MPIPP_LIKELY(code == MPI_SUCCESS)) {                                                       \
      code = ((raw_##NAME *)real)ARGUMENTS;                                                        \
      if (MPIPP_LIKELY(code == MPI_SUCCESS)) {                                                     \
        AFTER;                                                                                     \
      } else {                                                                                     \
        mpipp_recorder_note_code(thread, 1, code);                                                 \
      }                                                                                            \
    }                                                                                              \
    mpipp_leave_unrecorded_call(thread);                                                           \
    return code;                                                                                   \
  }                                                                                                \
  int P##MPI##_##NAME PARAMETERS {                                                                 \
    void *real = mpipp_procedure(1, MPIPP_PROC_##NAME);                                            \
    if (mpipp_passes()) return ((raw_##NAME *)real)ARGUMENTS;                                      \
    return own_##NAME ARGUMENTS;                                                                   \
  }

#endif
