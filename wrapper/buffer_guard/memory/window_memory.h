// SPDX-License-Identifier: MIT
// Memory of an MPI window, which other processes may use at any time. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_WINDOW_MEMORY_H
#define MPIPP_BUFFER_GUARD_MEMORY_WINDOW_MEMORY_H

#include "intercept/hooks.h"

// A window was made, or is about to be freed.
void mpipp_guard_note_window(const struct mpipp_event *event);
// Returns whether any byte of [low, high) belongs to such memory.
int mpipp_guard_is_exposed(uint64_t low, uint64_t high);

#endif
