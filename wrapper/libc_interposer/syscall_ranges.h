// SPDX-License-Identifier: MIT
// The program's memory that a system call uses, and what is done before and after the call.
// Otherwise the system call would fail on pages that the guard has protected.
#ifndef MPIPP_LIBC_INTERPOSER_SYSCALL_RANGES_H
#define MPIPP_LIBC_INTERPOSER_SYSCALL_RANGES_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

enum {
  MPIPP_SYSTEM_WORDS = 6,       // largest number of arguments
  MPIPP_SYSTEM_PARTS = 64,      // largest number of memory parts in one call
  MPIPP_SYSTEM_FREAD = INT_MAX, // numbers for functions that are not system calls
  MPIPP_SYSTEM_FWRITE = INT_MAX - 1,
  MPIPP_SYSTEM_XSTAT = INT_MAX - 2,
};

struct mpipp_use {
  const struct mpipp_system *system; // NULL: the call is not checked
  long words[MPIPP_SYSTEM_WORDS];
  uint64_t room; // value of a length before the call, if the call changes it
};

// mpipp_use_begins is called before a system call, with its number and arguments. If it returns 1,
// because the call uses a pending buffer, mpipp_use_ends is called afterwards. A failed call has
// used nothing. Private to this library.
int mpipp_use_begins(struct mpipp_use *use, long number) __attribute__((visibility("hidden")));
void mpipp_use_ends(struct mpipp_use *use, long result, void *caller)
    __attribute__((visibility("hidden")));

// Called before madvise. Private to this library.
void mpipp_note_advice(uint64_t start, uint64_t bytes, int advice)
    __attribute__((visibility("hidden")));

// Reads memory of the program that may be unmapped. Returns 0 if it is.
int mpipp_fetch(void *to, uint64_t from, size_t bytes) __attribute__((visibility("hidden")));

#endif
