// SPDX-License-Identifier: MIT
#ifndef MPIPP_REGISTRY_WINDOW_EXTENTS_H
#define MPIPP_REGISTRY_WINDOW_EXTENTS_H

#include <stdint.h>

#include "generated/layouts.h"

// The sizes of other processes' windows. The watcher writes the sizes when the process has asked
// for them.
enum mpipp_reach_state {
  MPIPP_REACH_UNKNOWN,
  MPIPP_REACH_KNOWN,
  MPIPP_REACH_ELSEWHERE, // the process is on another node, so the size stays unknown
};
// A group of accesses that are checked when the size is known. The group has the bytes that each
// access uses, relative to its displacement, and the least and largest displacement.
struct mpipp_reached {
  int64_t low, high, first, last;
};
enum { MPIPP_REACHED = 4 };
struct mpipp_reach {
  uint64_t state; // stored last, when the other members are complete
  int64_t size, disp_unit;
  // Private. asked: number of queries about this window. held: number of accesses since the
  // last query. used: number of `kinds` in use. The last kind may stand for several: then its
  // ranges include them all.
  uint64_t asked, held, used;
  struct mpipp_reached kinds[MPIPP_REACHED]; // the first `used` entries are valid
};
MPIPP_LAYOUT(mpipp_reach);
_Static_assert(sizeof(struct mpipp_reach) == 176, "mpipp/watcher/queries/window_sizes.py");
struct mpipp_reaches {
  char magic[8];
  uint64_t count; // number of processes of the window
  struct mpipp_reach all[];
};
MPIPP_LAYOUT(mpipp_reaches);

#endif
