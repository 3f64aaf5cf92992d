// SPDX-License-Identifier: MIT
// Uses valgrind's memcheck: the program must not use bytes that MPI writes until the operation is
// complete, and memcheck reports each such byte. The caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_MEMCHECK_H
#define MPIPP_BUFFER_GUARD_COMPARE_MEMCHECK_H

#include "buffer_guard/memory/byte_set.h"

// 1 if the process runs under valgrind and MPIPP_GUARD=memcheck asks for memcheck's reports.
extern int mpipp_guard_memcheck __attribute__((visibility("hidden")));
// Returns 0 if memcheck is requested but not available.
int mpipp_guard_memcheck_open(void);

// Forbids the bytes to the program, with the name of the procedure that uses them. Returns a number
// for mpipp_guard_memcheck_allow. The program may get some of them earlier, by
// mpipp_guard_memcheck_note_arrival.
unsigned mpipp_guard_memcheck_forbid(const struct mpipp_bytes *bytes, const char *procedure);
void mpipp_guard_memcheck_note_arrival(const struct mpipp_bytes *bytes);
void mpipp_guard_memcheck_allow(const struct mpipp_bytes *bytes, unsigned number);

// Allow all forbidden bytes while the thread is inside MPI: before its call, and after it.
void mpipp_guard_memcheck_enter(void);
void mpipp_guard_memcheck_leave(void);

#endif
