// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "guard/rings.h"

#include <string.h>
#include <unistd.h>

#include "guard/listing.h"

int mpipp_ring_is_there;
static int is_looked_at;

void mpipp_rings_anew(void) {
  is_looked_at = 0;
}

// A card that computes is told of memory by requests that nobody sees; what MPI itself has
// registered with a network's is what the guard has given it.
static int is_one(int directory, const char *file, void *unused) {
  static const char *const names[] = {"anon_inode:[io_uring]", "anon_inode:[userfaultfd]",
                                      "/dev/nvidia", "/dev/kfd"};
  char target[32] = "";
  (void)unused;
  if (readlinkat(directory, file, target, sizeof target - 1) < 0) return 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(target, names[i], strlen(names[i]))) return 1;
  return 0;
}

int mpipp_rings_look(void) {
  if (mpipp_ring_is_there || is_looked_at) return mpipp_ring_is_there;
  is_looked_at = 1;
  int any = mpipp_list("/proc/self/fd", is_one, NULL) > 0;
  if (any) __atomic_store_n(&mpipp_ring_is_there, 1, __ATOMIC_RELAXED);
  return any;
}
