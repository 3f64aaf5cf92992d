// SPDX-License-Identifier: MIT
// Memory of windows whose pages are forbidden, so that the first load and the first store of each
// brings a signal, and is logged; then the page is opened. MPI never uses these addresses: it has
// the same memory at others.
#ifndef MPIPP_RMA_PAGE_TRACE_WINDOW_PAGES_H
#define MPIPP_RMA_PAGE_TRACE_WINDOW_PAGES_H

#include <stdint.h>

// Without the guard's lock, before anything else. Makes ready for the first one.
void mpipp_trace_areas_prepare(void);
void mpipp_trace_areas_begin(void);
// The bytes [base, end) of a window, in pages that MPI finds `shift` bytes further.
void mpipp_trace_area_add(uint64_t win, uint64_t base, uint64_t end, uint64_t shift);
// The same of memory that is the program's and has become that of buffer_guard/memory/pages.h:
// pages [low, high), of which [first, last) have nothing but the window's bytes. The view is the
// caller's.
struct mpipp_area_of {
  uint64_t base, end, low, high, first, last, shift;
};
void mpipp_trace_area_of_program(uint64_t win, const struct mpipp_area_of *area);
// Windows whose memory is the program's have so many pages more, or less: what of them is not
// looked at is counted all the same.
void mpipp_trace_areas_count(int64_t pages);
// Opens all pages for now; those of areas with bytes of [low, high)
// for good.
void mpipp_trace_areas_open_all(void);
void mpipp_trace_areas_leave(uint64_t low, uint64_t high);
// The same of those that other processes use at the program's addresses, as dynamic windows.
void mpipp_trace_areas_leave_attached(void);
// Opens a window's pages, of which nothing is looked at any more; or of all windows.
void mpipp_trace_area_drop(uint64_t win);
void mpipp_trace_areas_drop_all(void);
// Where MPI is to find a buffer in [low, high): 0 or the shift. Pages of which it has a part, and
// not all, are opened for good.
uint64_t mpipp_trace_area_shift(uint64_t low, uint64_t high);
// Whether there are any, or windows that are none.
int mpipp_trace_areas_any(void);
// Forbids pages that are open, as far as the time goes. Not while others do.
void mpipp_trace_areas_close(void);

#endif
