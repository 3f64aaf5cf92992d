// SPDX-License-Identifier: MIT
#include "buffer_guard/platform/io_uring.h"

#include <stddef.h>

#include "buffer_guard/platform/proc_dir.h"

int mpipp_guard_uses_io_uring;
static int is_looked_at;

void mpipp_guard_recheck_io_uring(void) {
  is_looked_at = 0;
}

// Names of open files that show such a registration. Compute cards register memory by requests that
// mpipp cannot see. Memory that MPI itself registers with a network card was passed to it by the
// guard, and is safe.
static const char *const names[] = {"anon_inode:[io_uring]", "anon_inode:[userfaultfd]",
                                    "/dev/nvidia", "/dev/kfd", NULL};

int mpipp_guard_find_io_uring(void) {
  if (mpipp_guard_uses_io_uring || is_looked_at) return mpipp_guard_uses_io_uring;
  is_looked_at = 1;
  int any = mpipp_guard_has_open(names) > 0;
  if (any) __atomic_store_n(&mpipp_guard_uses_io_uring, 1, __ATOMIC_RELAXED);
  return any;
}
