// SPDX-License-Identifier: MIT
// The memory of the program that a system call uses, and the actions before and after the call.
// Without them the system would fail on pages that the guard has protected.
#ifndef MPIPP_LIBC_INTERPOSER_SYSCALL_RANGES_H
#define MPIPP_LIBC_INTERPOSER_SYSCALL_RANGES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MPIPP_SYSTEM_WORDS = 6,       // arguments
  MPIPP_SYSTEM_PARTS = 64,      // of memory, in one call
  MPIPP_SYSTEM_FREAD = INT_MAX, // functions that are no system calls
  MPIPP_SYSTEM_FWRITE = INT_MAX - 1,
  MPIPP_SYSTEM_XSTAT = INT_MAX - 2,
};

struct mpipp_use {
  const struct mpipp_system *system; // NULL: the call is not checked
  long words[MPIPP_SYSTEM_WORDS];
  uint64_t room; // the value before the call of a length that the call changes
};

// Before a call, with its number and arguments; and after it, if it overlaps a pending buffer. A
// failed call has used nothing. Private to this library.
int mpipp_use_begins(struct mpipp_use *use, long number) __attribute__((visibility("hidden")));
void mpipp_use_ends(struct mpipp_use *use, long result, void *caller)
    __attribute__((visibility("hidden")));

// Before a call of madvise. Private to this library.
void mpipp_note_advice(uint64_t start, uint64_t bytes, int advice)
    __attribute__((visibility("hidden")));

// Reads memory of the program that may be unmapped: 0 if it is.
int mpipp_fetch(void *to, uint64_t from, size_t bytes) __attribute__((visibility("hidden")));

#endif
