// SPDX-License-Identifier: MIT
// Memory of windows whose pages are forbidden, so that the first load and the first store of each
// brings a signal, and is logged; then the page is opened. MPI never uses these addresses: it has
// the same memory at others.
#ifndef MPIPP_AREAS_H
#define MPIPP_AREAS_H

#include <stdint.h>

// Makes ready for the first one.
void mpipp_areas_begin(void);
// The bytes [base, end) of a window, in pages that MPI finds `shift` bytes further.
void mpipp_area_add(uint64_t win, uint64_t base, uint64_t end, uint64_t shift);
// Opens a window's pages, of which nothing is looked at any more; or of all windows.
void mpipp_area_drop(uint64_t win);
void mpipp_areas_drop_all(void);
// Where MPI is to find a buffer in [low, high): 0 or the shift. Pages of which it has a part, and
// not all, are opened for good.
uint64_t mpipp_area_shift(uint64_t low, uint64_t high);
// Whether there are any.
extern int mpipp_areas_used __attribute__((visibility("hidden")));
// Forbids pages that are open, as far as the time goes. Not while others do.
void mpipp_areas_close(void);

#endif
