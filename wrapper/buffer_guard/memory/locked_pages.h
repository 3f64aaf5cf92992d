// SPDX-License-Identifier: MIT
// Memory whose physical pages must stay in place, because the program has locked them or keeps them
// from its children. For example, a network card or a graphics card uses registered pages. So the
// guard must not exchange them. Also memory that the program protects itself (mprotect): there the
// guard sets no protection. No function takes a lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_LOCKED_PAGES_H
#define MPIPP_BUFFER_GUARD_MEMORY_LOCKED_PAGES_H

#include <stdint.h>

#include "abi/seam.h"

// Returns whether any byte of [low, high) belongs to locked memory.
int mpipp_guard_is_locked_memory(uint64_t low, uint64_t high);
// mpipp_guard_is_protected returns whether the program protects any byte of the range itself.
// mpipp_guard_note_protection adds a range.
int mpipp_guard_is_protected(uint64_t low, uint64_t high);
void mpipp_guard_note_protection(uint64_t low, uint64_t high);
// Notes that the program has locked the memory. libc_interposer/mmap.c, a separate library, finds
// the function by name.
MPIPP_SEAM void mpipp_system_note_lock(uint64_t start, uint64_t bytes);

#endif
