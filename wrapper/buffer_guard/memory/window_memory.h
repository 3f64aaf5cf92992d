// SPDX-License-Identifier: MIT
// The memory of MPI windows, which other processes may use at any time. The caller holds the
// guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_WINDOW_MEMORY_H
#define MPIPP_BUFFER_GUARD_MEMORY_WINDOW_MEMORY_H

#include "intercept/hooks.h"

// Notes that a window was created, or is about to be freed.
void mpipp_guard_note_window(const struct mpipp_event *event);
// Returns whether any byte of [low, high) belongs to a window's memory.
int mpipp_guard_is_exposed(uint64_t low, uint64_t high);

#endif
