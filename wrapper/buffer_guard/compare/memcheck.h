// SPDX-License-Identifier: MIT
// Under valgrind's memcheck: the program must not use bytes that MPI writes until the operation is
// complete. memcheck reports that byte by byte. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_MEMCHECK_H
#define MPIPP_BUFFER_GUARD_COMPARE_MEMCHECK_H

#include "buffer_guard/memory/byte_set.h"

// 1 if the process runs under valgrind, and memcheck is to report (MPIPP_GUARD=memcheck).
extern int mpipp_guard_memcheck __attribute__((visibility("hidden")));
// 0 if memcheck is requested, and unavailable.
int mpipp_guard_memcheck_open(void);

// The bytes belong to MPI, with the name of the procedure that uses them. Returns a number for
// mpipp_guard_memcheck_allow. Some of them may belong to the program before.
unsigned mpipp_guard_memcheck_forbid(const struct mpipp_bytes *bytes, const char *procedure);
void mpipp_guard_memcheck_note_arrival(const struct mpipp_bytes *bytes);
void mpipp_guard_memcheck_allow(const struct mpipp_bytes *bytes, unsigned number);

// MPI itself may use them: the thread calls it, and has called it.
void mpipp_guard_memcheck_enter(void);
void mpipp_guard_memcheck_leave(void);

#endif
