// SPDX-License-Identifier: MIT
// Detects io_uring. During a request, the system uses memory of the program, and it may have
// registered pages, which must not be exchanged. Also detects other ways to register memory:
// compute cards, and userfaultfd. The caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_IO_URING_H
#define MPIPP_BUFFER_GUARD_PLATFORM_IO_URING_H

#include "abi/seam.h"

// 1 if the process has used a ring, as far as mpipp knows.
extern int mpipp_guard_uses_io_uring __attribute__((visibility("hidden")));
// Returns whether the process has a ring. The list of open files is read once, and again only after
// mpipp_guard_recheck_io_uring.
int mpipp_guard_find_io_uring(void);
MPIPP_SEAM void mpipp_guard_recheck_io_uring(void);

#endif
