// SPDX-License-Identifier: MIT
// Records windows and their epochs.
#ifndef MPIPP_RECORDER_OBJECTS_WINDOWS_H
#define MPIPP_RECORDER_OBJECTS_WINDOWS_H

#include "abi/seam.h"
#include "abi/vendor.h"
#include "registry/records.h"
#include "registry/window_extents.h"

// The info that this thread's call passes for a window, as a key of the registry.
MPIPP_SEAM extern __thread uint64_t mpipp_recorder_win_hints
    __attribute__((tls_model("initial-exec")));
void mpipp_recorder_set_win_hints(uint64_t info);
// The assertion in this thread's call. For MPI_Win_fence, it is recorded as an argument of the call
// instead.
MPIPP_SEAM extern __thread int mpipp_recorder_win_assertion
    __attribute__((tls_model("initial-exec")));
// The memory that this thread's last call has attached, or detached; then the number of bytes is 0.
MPIPP_SEAM extern __thread uint64_t mpipp_recorder_win_memory
    __attribute__((tls_model("initial-exec")));
MPIPP_SEAM extern __thread uint64_t mpipp_recorder_win_bytes
    __attribute__((tls_model("initial-exec")));
static inline void mpipp_set_win_assertion(int assertion) {
  mpipp_recorder_win_assertion = assertion;
}
// memory: the window's start at the program's address; NULL for a dynamic window.
void mpipp_recorder_add_win(const struct mpipp_call *call, MPI_Win win, MPI_Comm comm,
                            const void *memory);
// Checks all postponed accesses, because the watcher has stored the window's size.
void mpipp_recorder_reach_settle(struct mpipp_reach *reach);
// Waits until the size of a window is known that is about to be freed, to check the postponed
// accesses, but not forever.
void mpipp_recorder_before_win_free(uint64_t win);
// Record memory that is attached to dynamic windows, or detached. mpipp_recorder_is_attached
// returns whether any byte of [low, high) is attached.
void mpipp_recorder_attach_memory(uint64_t base, int64_t size);
void mpipp_recorder_detach_memory(uint64_t base);
MPIPP_SEAM int mpipp_recorder_is_attached(uint64_t low, uint64_t high);
void mpipp_recorder_open_epoch(uint64_t win, unsigned epoch, uint64_t group);
enum mpipp_synchronization { MPIPP_FENCING, MPIPP_STARTING, MPIPP_COMPLETING, MPIPP_LOCKING };
void mpipp_recorder_begin_synchronization(uint64_t win, enum mpipp_synchronization what,
                                          uint64_t detail);
void mpipp_recorder_fail_synchronization(uint64_t win);
void mpipp_recorder_close_epoch(uint64_t win, unsigned epoch);
void mpipp_recorder_fence(uint64_t win, int assertion);
void mpipp_recorder_lock_window(uint64_t win, int rank, int exclusive);
void mpipp_recorder_unlock_window(uint64_t win, int rank);

#endif
