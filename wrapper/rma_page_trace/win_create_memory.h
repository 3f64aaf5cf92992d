// SPDX-License-Identifier: MIT
// Windows on memory that the program has allocated itself (MPI_Win_create). The memory's pages are
// exchanged for pages of the guard's file, and MPI gets a second mapping of them. So the pages at
// the program's addresses can be protected. The caller holds the guard's lock.
#ifndef MPIPP_RMA_PAGE_TRACE_WIN_CREATE_MEMORY_H
#define MPIPP_RMA_PAGE_TRACE_WIN_CREATE_MEMORY_H

#include "intercept/hooks.h"

// Prepares for a window that the program is about to create on [base, base + size). Returns the
// address that MPI gets; `base` if the window is not traced. others: number of other threads inside
// calls.
uint64_t mpipp_trace_win_create_begin(uint64_t base, uint64_t size, int others);
// Notes that the window was created; win: 0 if that failed.
void mpipp_trace_win_create_end(uint64_t win);
// Notes that the window was freed, so MPI no longer uses its memory.
void mpipp_trace_win_create_free(uint64_t win, int others);
// Notes that the program frees [start, start + bytes), or lets realloc move it.
void mpipp_trace_win_create_free_memory(uint64_t start, uint64_t bytes);

#endif
