// SPDX-License-Identifier: MIT
// Memory that other processes may use at any time, because it is a window's. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_MEMORY_WINDOW_MEMORY_H
#define MPIPP_BUFFER_GUARD_MEMORY_WINDOW_MEMORY_H

#include "intercept/hooks.h"

// A window was made, or is about to be freed.
void mpipp_guard_window_exposes(const struct mpipp_event *event);
// Whether any byte of [low, high) is of such memory.
int mpipp_guard_is_exposed(uint64_t low, uint64_t high);

#endif
