// SPDX-License-Identifier: MIT
// Window memory whose pages are protected. The first load and the first store of each page raise a
// signal, and are logged; then the page is opened. MPI never uses these addresses: it has a second
// mapping of the memory.
#ifndef MPIPP_RMA_PAGE_TRACE_WINDOW_PAGES_H
#define MPIPP_RMA_PAGE_TRACE_WINDOW_PAGES_H

#include <stdint.h>

// Prepare for the first window. Called before all other functions, without the guard's lock.
void mpipp_trace_areas_prepare(void);
void mpipp_trace_areas_begin(void);
// Adds the bytes [base, end) of a window. MPI has the same pages at addresses that are `shift`
// bytes higher.
void mpipp_trace_area_add(uint64_t win, uint64_t base, uint64_t end, uint64_t shift);
// An area in the program's memory whose pages belong to the guard's file
// (buffer_guard/memory/pages.h). The area's pages are [low, high); pages [first, last) contain only
// the window's bytes. The caller owns the second mapping.
struct mpipp_area_of {
  uint64_t base, end, low, high, first, last, shift;
};
void mpipp_trace_area_add_program(uint64_t win, const struct mpipp_area_of *area);
// Adds to the number of pages (or subtracts) of windows on the program's own memory, including
// windows that are not traced.
void mpipp_trace_areas_count(int64_t pages);
// mpipp_trace_areas_open_all opens all pages for now. mpipp_trace_areas_leave opens those of areas
// that overlap [low, high), and stops tracing them.
void mpipp_trace_areas_open_all(void);
void mpipp_trace_areas_leave(uint64_t low, uint64_t high);
// Opens the pages that other processes use at the program's addresses, such as attached memory of
// dynamic windows, and stops tracing them.
void mpipp_trace_areas_leave_attached_memory(void);
// Open the pages of a window, or of all windows, and stop tracing them.
void mpipp_trace_area_drop(uint64_t win);
void mpipp_trace_areas_drop_all(void);
// The distance from a buffer in [low, high) to MPI's address for it; 0 if it is not in an area. If
// pages contain only a part of the buffer, opens them, and stops tracing them.
uint64_t mpipp_trace_area_shift(uint64_t low, uint64_t high);
// Returns whether there are any areas, or untraced windows on the program's memory.
int mpipp_trace_has_areas(void);
// Protects open pages again, as far as the budget allows. Not for concurrent calls.
void mpipp_trace_areas_close(void);

#endif
