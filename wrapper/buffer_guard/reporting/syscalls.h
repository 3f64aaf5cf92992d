// SPDX-License-Identifier: MIT
// Memory that the program passes to the system during a pending operation.
// libc_interposer/syscalls.c, which is a separate library, finds these functions by name.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_SYSCALLS_H
#define MPIPP_BUFFER_GUARD_REPORTING_SYSCALLS_H

#include <stdint.h>

#include "abi/seam.h"

// Returns whether the thread is outside MPI.
MPIPP_SEAM int mpipp_system_is_outside_mpi(void);
// A system call is about to load, or to store, some of these bytes: the pages are opened for it.
// Returns whether the program must not do that.
MPIPP_SEAM int mpipp_system_begin_use(uint64_t start, uint64_t bytes, int stores);
// It has done so with these; caller: the return address of the function that made the call.
MPIPP_SEAM void mpipp_system_note_use(uint64_t start, uint64_t bytes, int stores, uint64_t caller);
// The content of these pages is about to be dropped, or may be from now on. The system must only
// drop private pages of the program.
MPIPP_SEAM void mpipp_system_note_advice(uint64_t start, uint64_t bytes);
// They are about to be mapped again, by the program or by the guard.
MPIPP_SEAM void mpipp_system_note_mapping(uint64_t start, uint64_t bytes, uint64_t caller);
// They may have been returned to the system.
MPIPP_SEAM void mpipp_system_note_release(uint64_t start, uint64_t bytes);
// The program is about to set the protection of these pages itself.
MPIPP_SEAM void mpipp_system_note_protection(uint64_t start, uint64_t bytes);
// The program has made a ring of requests to the system (io_uring.h).
MPIPP_SEAM void mpipp_system_note_ring(void);
// Corresponding functions for memory that is protected for other reasons.
MPIPP_SEAM extern int (*mpipp_guard_system_opens)(uint64_t start, uint64_t bytes);
MPIPP_SEAM extern void (*mpipp_guard_system_logs)(uint64_t start, uint64_t bytes, int stores,
                                                  uint64_t caller);

#endif
