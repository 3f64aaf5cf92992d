// SPDX-License-Identifier: MIT
#include "buffer_guard/platform/io_uring.h"

#include <stddef.h>

#include "buffer_guard/platform/proc_dir.h"

int mpipp_guard_ring_is_there;
static int is_looked_at;

void mpipp_guard_rings_anew(void) {
  is_looked_at = 0;
}

// A card that computes is told of memory by requests that nobody sees; what MPI itself has
// registered with a network's is what the guard has given it.
static const char *const names[] = {"anon_inode:[io_uring]", "anon_inode:[userfaultfd]",
                                    "/dev/nvidia", "/dev/kfd", NULL};

int mpipp_guard_rings_look(void) {
  if (mpipp_guard_ring_is_there || is_looked_at) return mpipp_guard_ring_is_there;
  is_looked_at = 1;
  int any = mpipp_guard_has_open(names) > 0;
  if (any) __atomic_store_n(&mpipp_guard_ring_is_there, 1, __ATOMIC_RELAXED);
  return any;
}
