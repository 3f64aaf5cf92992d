// SPDX-License-Identifier: MIT
// The operations that are guarded now. With the guard's lock, but for what a signal handler calls.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_PENDING_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_PENDING_H

#include "buffer_guard/compare/snapshots.h"
#include "buffer_guard/memory/alias_mapping.h"
#include "buffer_guard/operations/partitions.h"
#include "registry/guard_coverage.h"

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
  struct mpipp_bytes bytes;
  uint32_t buffer;                     // of the call
  struct mpipp_window *window;         // NULL: it has no page for itself
  struct mpipp_compared *compared;     // what no page is protected of; NULL: nothing
  uint64_t shift;                      // what is added to an address for what MPI is given
  uint32_t writes;                     // 1: MPI writes there, so that the program may not even load
  uint32_t marked;                     // 1 + what memcheck knows it by; 0: it does not
  uint32_t is_open;                    // 1: no page is protected
  uint32_t freed;                      // 1: the program has freed memory of it: nobody looks there
  struct mpipp_partitions *partitions; // of a partitioned operation
};

struct mpipp_guarded {
  uint32_t state;      // enum mpipp_guarded_state
  uint32_t part_count; // of `parts`
  uint32_t persistent;
  uint32_t looks;            // 0: it is not its turn this time
  uint32_t filled;           // 1: what MPI has may not have come to the program's memory yet
  uint32_t next;             // private
  uint64_t number;           // among those that have begun
  uint64_t request, serial;  // handle, and number of its record
  uint64_t place;            // where MPI has stored the handle
  const void *claimer;       // the thread whose call may complete it
  uint64_t claim;            // number of that call
  uint64_t win;              // handle of the window of a one-sided operation, else 0
  int64_t target;            // of that
  struct mpipp_cover *cover; // the place that has started it
  uint32_t procedure;        // enum mpipp_proc: of the call
  struct mpipp_part parts[MPIPP_MAX_BUFFERS];
};

// Without the lock, too: it becomes so then.
static inline int mpipp_is_part_freed(const struct mpipp_part *part) {
  return __atomic_load_n(&part->freed, __ATOMIC_SEQ_CST) != 0;
}

// One for an operation that is about to be started, or made; NULL without.
struct mpipp_guarded *mpipp_guard_new(void);
// One more buffer of the call, whose bytes it takes over; none if it cannot be looked at.
void mpipp_guard_add(struct mpipp_guarded *guarded, struct mpipp_bytes *bytes, uint32_t buffer,
                     int writes);
// The same of a partitioned operation: of one that receives pages alone can be looked at, but
// under memcheck.
void mpipp_guard_add_partitions(struct mpipp_guarded *guarded, struct mpipp_bytes *bytes,
                                const struct mpipp_call *call, uint32_t buffer, int writes);
// A partition of it is about to be marked ready, or has arrived.
void mpipp_guard_mark(struct mpipp_guarded *guarded, int64_t number);
// What is its request.
void mpipp_guard_name(struct mpipp_guarded *guarded, uint64_t request, uint64_t serial);
// MPI has started the operation; it is complete; MPI has not started it. One that is complete is
// gone, if it is not persistent. The second returns whether a change was found, if that is asked
// for.
void mpipp_guard_begin(struct mpipp_guarded *guarded);
int mpipp_guard_end(struct mpipp_guarded *guarded, struct mpipp_change *change);
void mpipp_guard_drop(struct mpipp_guarded *guarded);
// It may be complete: MPI has its windows still, and nothing more is found there. Returns whether a
// change was, until now.
int mpipp_guard_doubt(struct mpipp_guarded *guarded, struct mpipp_change *change);
// A persistent one is there; any is about to be started: 0 if its memory is not there. looks: 0
// where it is not its turn, so that MPI has its bytes and nothing is found.
void mpipp_guard_rest(struct mpipp_guarded *guarded);
int mpipp_guard_fill(struct mpipp_guarded *guarded, int looks);
// Whether MPI has other memory of it than the program; the program has given it up, but MPI has
// that memory still.
int mpipp_guard_has_other_memory(const struct mpipp_guarded *guarded);
void mpipp_guard_keep(struct mpipp_guarded *guarded);
// How many are kept, and the first of them, or that after another; NULL. Nobody but who
// asks after them ends them.
extern uint32_t mpipp_guard_kept __attribute__((visibility("hidden")));
struct mpipp_guarded *mpipp_guard_next_kept(struct mpipp_guarded *after);
// Memory that other processes may use from now on, or the system at any time, or that the program
// protects itself: no page of it is protected any more.
void mpipp_guard_expose(void);
// The first pending operation of a window, or that after another; NULL.
struct mpipp_guarded *mpipp_guard_next_of(struct mpipp_guarded *after, uint64_t win);
// How many there are; how many have a request's name; how many operations have begun.
extern uint32_t mpipp_guard_count __attribute__((visibility("hidden")));
extern uint32_t mpipp_guard_named __attribute__((visibility("hidden")));
extern uint64_t mpipp_guard_begun __attribute__((visibility("hidden")));
// The first pending one in which a change is found now, or that after another; NULL.
struct mpipp_guarded *mpipp_guard_next_changed(struct mpipp_guarded *after,
                                               struct mpipp_change *change);
// Any that MPI has, or may start; NULL.
struct mpipp_guarded *mpipp_guard_any(void);
// That of a request, by its handle and the number of its record, or by its handle alone (0); NULL.
struct mpipp_guarded *mpipp_guard_of(uint64_t request, uint64_t serial);

// The newest that has a request's handle, or that before another; NULL.
struct mpipp_guarded *mpipp_guard_next_named(uint64_t request, const struct mpipp_guarded *after);

// One of which a buffer lies on the thread's stack where no frame is any more, when MPI is called
// from that frame: said once of each; NULL. address: that of the buffer.
const struct mpipp_guarded *mpipp_guard_next_dangling(uint64_t frame, uint64_t *address);

// All that there are or have been, most of them free; count: how many. For those without the lock.
struct mpipp_guarded *mpipp_guard_all(uint32_t *count);

// Whether a buffer of a pending one may have any of [low, high). Takes no lock.
extern uint64_t mpipp_guard_low __attribute__((visibility("hidden")));
extern uint64_t mpipp_guard_high __attribute__((visibility("hidden")));
static inline int mpipp_guarded_may_meet(uint64_t low, uint64_t high) {
  return high > __atomic_load_n(&mpipp_guard_low, __ATOMIC_ACQUIRE) &&
         low < __atomic_load_n(&mpipp_guard_high, __ATOMIC_ACQUIRE);
}

// The operation whose page an address is in, and the buffer's number; NULL. For signal handlers.
const struct mpipp_guarded *mpipp_guard_at(uint64_t address, uint32_t *part);

#endif
