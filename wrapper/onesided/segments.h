// SPDX-License-Identifier: MIT
// Where this process has the parts of all processes in a window of memory that they share.
#ifndef MPIPP_SEGMENTS_H
#define MPIPP_SEGMENTS_H

#include "records/records.h"

struct mpipp_segment {
  uint64_t low, bytes;
}; // bytes 0: there is none

// How many ranks there are to ask for, when the window has just been made: 0 if its memory is not
// shared.
int mpipp_segment_count(const struct mpipp_win *win);
struct mpipp_segment mpipp_segment_of(const struct mpipp_win *win, int rank);

#endif
