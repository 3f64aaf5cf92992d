// SPDX-License-Identifier: MIT
// Windows of memory that the program has itself (MPI_Win_create). The memory's pages are exchanged
// for those of the guard's file, and MPI gets another view of them. So the program's addresses can
// be protected. With the guard's lock.
#ifndef MPIPP_RMA_PAGE_TRACE_WIN_CREATE_MEMORY_H
#define MPIPP_RMA_PAGE_TRACE_WIN_CREATE_MEMORY_H

#include "intercept/hooks.h"

// The program is about to make a window of [base, base + size). Returns the address that MPI gets,
// `base` if the window is not traced. others: threads that are in calls of their own.
uint64_t mpipp_trace_win_create_begin(uint64_t base, uint64_t size, int others);
// It is made; without a window (0), it is not.
void mpipp_trace_win_create_end(uint64_t win);
// It is freed; MPI no longer uses its memory.
void mpipp_trace_win_create_free(uint64_t win, int others);
// The program frees [start, start + bytes), or has it moved.
void mpipp_trace_win_create_free_memory(uint64_t start, uint64_t bytes);

#endif
