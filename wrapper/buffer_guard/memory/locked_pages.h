// SPDX-License-Identifier: MIT
// Memory whose pages the program has locked, or keeps from its children, for example to register it
// with a network or graphics card. The card uses the present pages, so none of them may be
// exchanged. Also memory whose pages the program has protected itself: its protection holds, so the
// guard sets none. Takes no lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_LOCKED_PAGES_H
#define MPIPP_BUFFER_GUARD_MEMORY_LOCKED_PAGES_H

#include <stdint.h>

#include "abi/seam.h"

// Returns whether any byte of [low, high) belongs to locked memory.
int mpipp_guard_is_locked_memory(uint64_t low, uint64_t high);
// Returns whether any byte belongs to memory that the program protects; and adds such memory.
int mpipp_guard_is_protected(uint64_t low, uint64_t high);
void mpipp_guard_note_protection(uint64_t low, uint64_t high);
// The memory is locked from now on. libc_interposer/mmap.c, which is a separate library, finds it
// by name.
MPIPP_SEAM void mpipp_system_note_lock(uint64_t start, uint64_t bytes);

#endif
