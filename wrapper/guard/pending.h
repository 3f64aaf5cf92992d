// SPDX-License-Identifier: MIT
// The operations that are guarded now. With the guard's lock, but for what a signal handler calls.
#ifndef MPIPP_GUARD_PENDING_H
#define MPIPP_GUARD_PENDING_H

#include "guard/windows.h"

enum { MPIPP_MOST_GUARDED = 256 };

enum mpipp_guarded_state {
  MPIPP_GUARDED_FREE,
  MPIPP_GUARDED_POSTED, // being started, or ended: its pages are the program's
  MPIPP_GUARDED_PENDING,
  MPIPP_GUARDED_KEPT, // the program has freed its request: MPI has the window, nobody guards it
};

struct mpipp_guarded {
  uint32_t state; // enum mpipp_guarded_state
  uint32_t receives;
  struct mpipp_window *window;
  struct mpipp_comb comb;
  uint64_t request, serial; // handle, and number of its record
};

// One for a buffer that is about to be MPI's; NULL without.
struct mpipp_guarded *mpipp_guarded_new(const struct mpipp_comb *comb, int receives);
// MPI has started the operation; it is complete; MPI has not started it.
void mpipp_guarded_begin(struct mpipp_guarded *guarded);
void mpipp_guarded_end(struct mpipp_guarded *guarded);
void mpipp_guarded_drop(struct mpipp_guarded *guarded);
// The program has given it up, but MPI has the window still.
void mpipp_guarded_keep(struct mpipp_guarded *guarded);
// A pending one with that handle; NULL.
struct mpipp_guarded *mpipp_guarded_with(uint64_t request);
// How many are kept, and the first of them, or that after another; NULL. Nobody but who
// asks after them ends them.
extern uint32_t mpipp_guarded_kept __attribute__((visibility("hidden")));
struct mpipp_guarded *mpipp_guarded_next_kept(struct mpipp_guarded *after);
// Any that is pending; NULL.
struct mpipp_guarded *mpipp_guarded_any(void);
// That of a request's record; NULL.
struct mpipp_guarded *mpipp_guarded_of(uint64_t serial);

// The operation whose page an address is in; NULL. For signal handlers.
const struct mpipp_guarded *mpipp_guarded_at(uint64_t address);

#endif
