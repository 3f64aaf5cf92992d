// SPDX-License-Identifier: MIT
// Rings of requests to the system (io_uring). The system uses memory of the program during a
// request, and may have registered pages, which must not be replaced. The same holds for other ways
// to register memory: compute cards, and userfaultfd. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_PLATFORM_IO_URING_H
#define MPIPP_BUFFER_GUARD_PLATFORM_IO_URING_H

#include "abi/seam.h"

// 1 if the process has had a ring, as far as is known.
extern int mpipp_guard_uses_io_uring __attribute__((visibility("hidden")));
// Returns whether it has: its files are checked, once after each recheck.
int mpipp_guard_find_io_uring(void);
MPIPP_SEAM void mpipp_guard_recheck_io_uring(void);

#endif
