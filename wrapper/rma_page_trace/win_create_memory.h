// SPDX-License-Identifier: MIT
// Windows of memory that the program has itself (MPI_Win_create): its pages are exchanged for those
// of the guard's file, and MPI gets another view of them, so that the program's addresses can be
// forbidden. With the guard's lock.
#ifndef MPIPP_RMA_PAGE_TRACE_WIN_CREATE_MEMORY_H
#define MPIPP_RMA_PAGE_TRACE_WIN_CREATE_MEMORY_H

#include "intercept/hooks.h"

// About to make a window of [base, base + size): what MPI is to be given, `base` where this is not
// to be looked at. others: threads that are in calls of their own.
uint64_t mpipp_trace_created_begin(uint64_t base, uint64_t size, int others);
// It is made; without a window (0), it is not.
void mpipp_trace_created_end(uint64_t win);
// It is free; MPI does not use its memory any more.
void mpipp_trace_created_freed(uint64_t win, int others);
// The program gives back [start, start + bytes), or has it moved.
void mpipp_trace_created_memory_freed(uint64_t start, uint64_t bytes);

#endif
