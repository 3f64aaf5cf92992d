// SPDX-License-Identifier: MIT
// Memory of windows whose pages are protected. The first load and the first store of each page
// raises a signal, and is logged; then the page is opened. MPI never uses these addresses: it has
// the same memory at others.
#ifndef MPIPP_RMA_PAGE_TRACE_WINDOW_PAGES_H
#define MPIPP_RMA_PAGE_TRACE_WINDOW_PAGES_H

#include <stdint.h>

// Prepares for the first window. Without the guard's lock, before all other functions.
void mpipp_trace_areas_prepare(void);
void mpipp_trace_areas_begin(void);
// The bytes [base, end) of a window, in pages that MPI finds `shift` bytes further.
void mpipp_trace_area_add(uint64_t win, uint64_t base, uint64_t end, uint64_t shift);
// Memory of the program that has become that of buffer_guard/memory/pages.h: pages [low, high), of
// which [first, last) contain only the window's bytes. The caller owns the view.
struct mpipp_area_of {
  uint64_t base, end, low, high, first, last, shift;
};
void mpipp_trace_area_add_program(uint64_t win, const struct mpipp_area_of *area);
// Windows whose memory is the program's get so many more pages, or fewer: untraced ones are
// counted, too.
void mpipp_trace_areas_count(int64_t pages);
// Opens all pages for now; those of areas with bytes of [low, high) for good.
void mpipp_trace_areas_open_all(void);
void mpipp_trace_areas_leave(uint64_t low, uint64_t high);
// Opens, for good, those that other processes use at the program's addresses, like dynamic windows.
void mpipp_trace_areas_leave_attached_memory(void);
// Opens a window's pages, which are no longer traced; or those of all windows.
void mpipp_trace_area_drop(uint64_t win);
void mpipp_trace_areas_drop_all(void);
// The distance to MPI's address of a buffer in [low, high), or 0. Pages that contain only a part of
// it are opened for good.
uint64_t mpipp_trace_area_shift(uint64_t low, uint64_t high);
// Returns whether there are any, or windows without areas.
int mpipp_trace_has_areas(void);
// Protects open pages, as far as the budget allows. Not while other threads do.
void mpipp_trace_areas_close(void);

#endif
