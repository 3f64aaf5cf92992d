// SPDX-License-Identifier: MIT
// The operations that are guarded now. With the guard's lock, but for what a signal handler calls.
#ifndef MPIPP_GUARD_PENDING_H
#define MPIPP_GUARD_PENDING_H

#include "guard/windows.h"

enum { MPIPP_MOST_GUARDED = 4096 };

enum mpipp_guarded_state {
  MPIPP_GUARDED_FREE,
  MPIPP_GUARDED_POSTED, // being started, or ended: its pages are the program's
  MPIPP_GUARDED_PENDING,
  MPIPP_GUARDED_KEPT, // the program has freed its request: MPI has the windows, nobody guards them
  MPIPP_GUARDED_INACTIVE, // persistent: MPI has the windows, and does nothing with them
};

// A buffer of an operation.
struct mpipp_part {
  struct mpipp_window *window;
  struct mpipp_comb comb;
  uint32_t writes; // 1: MPI writes there, so that the program may not even load
};

struct mpipp_guarded {
  uint32_t state;      // enum mpipp_guarded_state
  uint32_t part_count; // of `parts`
  uint32_t persistent;
  uint32_t given_back; // the program has freed memory of its buffers: nobody looks there any more
  uint32_t next;       // private
  uint64_t request, serial; // handle, and number of its record
  struct mpipp_part parts[MPIPP_MAX_BUFFERS];
};

// One for an operation that is about to be started, or made; NULL without.
struct mpipp_guarded *mpipp_guarded_new(void);
// One more buffer of it, which gets a window; NULL without.
struct mpipp_part *mpipp_guarded_add(struct mpipp_guarded *guarded, const struct mpipp_comb *comb,
                                     int writes);
// What is its request.
void mpipp_guarded_name(struct mpipp_guarded *guarded, uint64_t request, uint64_t serial);
// MPI has started the operation; it is complete; MPI has not started it. One that is complete is
// gone, if it is not persistent.
void mpipp_guarded_begin(struct mpipp_guarded *guarded);
void mpipp_guarded_end(struct mpipp_guarded *guarded);
void mpipp_guarded_drop(struct mpipp_guarded *guarded);
// A persistent one is there; it is about to be started.
void mpipp_guarded_rest(struct mpipp_guarded *guarded);
void mpipp_guarded_fill(struct mpipp_guarded *guarded);
// The program has given it up, but MPI has the windows still.
void mpipp_guarded_keep(struct mpipp_guarded *guarded);
// How many are kept, and the first of them, or that after another; NULL. Nobody but who
// asks after them ends them.
extern uint32_t mpipp_guarded_kept __attribute__((visibility("hidden")));
struct mpipp_guarded *mpipp_guarded_next_kept(struct mpipp_guarded *after);
// Any that MPI has, or may start; NULL.
struct mpipp_guarded *mpipp_guarded_any(void);
// That of a request, by its handle and the number of its record, or by its handle alone (0); NULL.
struct mpipp_guarded *mpipp_guarded_of(uint64_t request, uint64_t serial);

// The operation whose page an address is in, and the buffer's number; NULL. For signal handlers.
const struct mpipp_guarded *mpipp_guarded_at(uint64_t address, uint32_t *part);
// A pending one whose buffers may have bytes of [low, high), which are the program's from now on,
// since it gives them back; NULL. Takes no lock.
const struct mpipp_guarded *mpipp_guarded_give_back(uint64_t low, uint64_t high);

#endif
