// SPDX-License-Identifier: MIT
// Under valgrind's memcheck: what MPI writes may not be used until then, which memcheck tells of
// byte by byte. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_MEMCHECK_H
#define MPIPP_BUFFER_GUARD_COMPARE_MEMCHECK_H

#include "buffer_guard/memory/byte_set.h"

// Whether the process runs there, and memcheck is to tell (MPIPP_GUARD=memcheck).
extern int mpipp_guard_memcheck __attribute__((visibility("hidden")));
// 0 if it is asked for, and cannot be.
int mpipp_guard_memcheck_open(void);

// The bytes are MPI's, with the name of the procedure that has them; a number, to be given back.
// Some of them may be the program's before.
unsigned mpipp_guard_memcheck_forbid(const struct mpipp_bytes *bytes, const char *procedure);
void mpipp_guard_memcheck_arrived(const struct mpipp_bytes *bytes);
void mpipp_guard_memcheck_allow(const struct mpipp_bytes *bytes, unsigned number);

// MPI itself may use them: the thread calls it, and has called it.
void mpipp_guard_memcheck_enter(void);
void mpipp_guard_memcheck_leave(void);

#endif
