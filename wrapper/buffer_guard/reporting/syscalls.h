// SPDX-License-Identifier: MIT
// Memory that the program passes to the system while an operation on it is pending.
// libc_interposer/syscalls.c, a separate library, finds these functions by name.
#ifndef MPIPP_BUFFER_GUARD_REPORTING_SYSCALLS_H
#define MPIPP_BUFFER_GUARD_REPORTING_SYSCALLS_H

#include <stdint.h>

#include "abi/seam.h"

// Returns whether the calling thread is outside MPI.
MPIPP_SEAM int mpipp_system_is_outside_mpi(void);
// Prepares for a system call that loads, or stores, some of these bytes: opens their pages for it.
// Returns whether the program must not use the bytes now.
MPIPP_SEAM int mpipp_system_begin_use(uint64_t start, uint64_t bytes, int stores);
// Notes that the system call has used these bytes. caller: the return address of the function that
// made the call.
MPIPP_SEAM void mpipp_system_note_use(uint64_t start, uint64_t bytes, int stores, uint64_t caller);
// Makes these pages private before the program allows the system to drop their content (madvise):
// in pages of the file, only one view would change.
MPIPP_SEAM void mpipp_system_note_advice(uint64_t start, uint64_t bytes);
// Notes that the program, or the guard itself, is about to map other memory at these addresses.
MPIPP_SEAM void mpipp_system_note_mapping(uint64_t start, uint64_t bytes, uint64_t caller);
// Notes that malloc may have returned this memory to the system.
MPIPP_SEAM void mpipp_system_note_release(uint64_t start, uint64_t bytes);
// Notes that the program is about to set the protection of these pages itself (mprotect).
MPIPP_SEAM void mpipp_system_note_protection(uint64_t start, uint64_t bytes);
// Notes that the program has created an io_uring.
MPIPP_SEAM void mpipp_system_note_ring(void);
// Functions that another part may set, for memory that this part protects for other reasons. These
// functions are called at the start and at the end of a system call.
MPIPP_SEAM extern int (*mpipp_guard_system_opens)(uint64_t start, uint64_t bytes);
MPIPP_SEAM extern void (*mpipp_guard_system_logs)(uint64_t start, uint64_t bytes, int stores,
                                                  uint64_t caller);

#endif
