// SPDX-License-Identifier: MIT
// Files that exist in memory only.
#ifndef MPIPP_REGISTRY_MEMORY_FILE_H
#define MPIPP_REGISTRY_MEMORY_FILE_H

#include <linux/memfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U
#endif

// Creates a memory file that programs started with exec do not inherit, and returns its descriptor;
// -1 on failure. `flags`: more MFD_ flags. It is a system call because the C library has the
// function only since glibc 2.27. Linux before 6.3 does not know MFD_NOEXEC_SEAL.
static inline int mpipp_memory_file(const char *name, unsigned flags) {
  long made = syscall(SYS_memfd_create, name, flags | MFD_CLOEXEC | MFD_NOEXEC_SEAL);
  if (made < 0) made = syscall(SYS_memfd_create, name, flags | MFD_CLOEXEC);
  return (int)made;
}

#endif
