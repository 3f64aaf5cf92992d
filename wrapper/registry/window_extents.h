// SPDX-License-Identifier: MIT
#ifndef MPIPP_REGISTRY_WINDOW_EXTENTS_H
#define MPIPP_REGISTRY_WINDOW_EXTENTS_H

#include <stdint.h>

#include "generated/layouts.h"

// How far other processes' windows reach: the watcher fills it in, as it is asked for.
enum mpipp_reach_state {
  MPIPP_REACH_UNKNOWN,
  MPIPP_REACH_KNOWN,
  MPIPP_REACH_ELSEWHERE, // on another node: never known
};
// Bytes behind displacements, the same for each, and the least and largest of these.
struct mpipp_reached {
  int64_t low, high, first, last;
};
enum { MPIPP_REACHED = 4 };
struct mpipp_reach {
  uint64_t state; // written last
  int64_t size, disp_unit;
  // Private. How often it was asked for; and of calls that were not asked about since: their
  // number, and what they access. The last kind may stand for several, each bound for itself.
  uint64_t asked, held, used;
  struct mpipp_reached kinds[MPIPP_REACHED]; // so many are used
};
MPIPP_LAYOUT(mpipp_reach);
_Static_assert(sizeof(struct mpipp_reach) == 176, "mpipp/watcher/queries/window_sizes.py");
struct mpipp_reaches {
  char magic[8];
  uint64_t count; // processes of the window
  struct mpipp_reach all[];
};
MPIPP_LAYOUT(mpipp_reaches);

#endif
