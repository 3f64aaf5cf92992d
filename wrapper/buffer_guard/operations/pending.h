// SPDX-License-Identifier: MIT
// The operations that are guarded now. With the guard's lock, except for functions that a signal
// handler calls.
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
  MPIPP_GUARDED_KEPT,     // the program has freed its request: MPI has the windows, and nothing is
                          // guarded
  MPIPP_GUARDED_INACTIVE, // persistent: MPI has the windows, and does nothing with them
};

// A buffer of an operation.
struct mpipp_part {
  struct mpipp_bytes bytes;
  uint32_t buffer;                     // of the call
  struct mpipp_window *window;         // NULL: no page contains only its bytes
  struct mpipp_snapshot *compared;     // the bytes outside protected pages; NULL: none
  uint64_t shift;                      // added to an address, for the memory that MPI gets
  uint32_t writes;                     // 1: MPI writes there, so that the program must not even
                                       // load
  uint32_t marked;                     // 1 + memcheck's number of it; 0: none
  uint32_t is_open;                    // 1: no page is protected
  uint32_t freed;                      // 1: the program has freed memory of it: it is not checked
  struct mpipp_partitions *partitions; // of a partitioned operation
};

struct mpipp_guarded_operation {
  uint32_t state;      // enum mpipp_guarded_state
  uint32_t part_count; // of `parts`
  uint32_t persistent;
  uint32_t looks;            // 0: it is not its turn this time
  uint32_t filled;           // 1: data may not have reached the program's memory yet
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

// An entry for an operation that is about to be started, or made; NULL without.
struct mpipp_guarded_operation *mpipp_guard_new(void);
// Adds a buffer of the call, whose bytes it takes over; does nothing if it cannot be guarded.
void mpipp_guard_add(struct mpipp_guarded_operation *guarded, struct mpipp_bytes *bytes,
                     uint32_t buffer, int writes);
// Adds a buffer of a partitioned operation. For a receive only pages can be guarded, except under
// memcheck.
void mpipp_guard_add_partitions(struct mpipp_guarded_operation *guarded, struct mpipp_bytes *bytes,
                                const struct mpipp_call *call, uint32_t buffer, int writes);
// A partition of it is about to be marked ready, or has arrived.
void mpipp_guard_mark(struct mpipp_guarded_operation *guarded, int64_t number);
// Sets its request.
void mpipp_guard_name(struct mpipp_guarded_operation *guarded, uint64_t request, uint64_t serial);
// MPI has started the operation; it is complete; MPI has not started it. A completed one is
// removed, unless it is persistent. The second returns whether a change was found, if that is
// wanted.
void mpipp_guard_begin(struct mpipp_guarded_operation *guarded);
int mpipp_guard_end(struct mpipp_guarded_operation *guarded, struct mpipp_change *change);
void mpipp_guard_drop(struct mpipp_guarded_operation *guarded);
// It may be complete: MPI still has its windows, and no more changes are found there. Returns
// whether there was a change until now.
int mpipp_guard_doubt(struct mpipp_guarded_operation *guarded, struct mpipp_change *change);
// A persistent one was made; any is about to be started: 0 if its memory is unmapped. looks: 0 if
// it is not its turn, so that MPI has its bytes and no changes are found.
void mpipp_guard_set_inactive(struct mpipp_guarded_operation *guarded);
int mpipp_guard_fill(struct mpipp_guarded_operation *guarded, int looks);
// Returns whether MPI has other memory for it than the program. The second: the program has freed
// its request, but MPI still has that memory.
int mpipp_guard_has_other_memory(const struct mpipp_guarded_operation *guarded);
void mpipp_guard_keep(struct mpipp_guarded_operation *guarded);
// The number of kept operations, and the first of them, or the one after another; NULL. They end
// only when a test finds them complete.
extern uint32_t mpipp_guard_kept_count __attribute__((visibility("hidden")));
struct mpipp_guarded_operation *mpipp_guard_next_kept(struct mpipp_guarded_operation *after);
// Stops the protection of memory that other processes, or the system, may use from now on, or that
// the program protects itself.
void mpipp_guard_expose(void);
// The first pending operation of a window, or that after another; NULL.
struct mpipp_guarded_operation *mpipp_guard_next_on_window(struct mpipp_guarded_operation *after,
                                                           uint64_t win);
// The number of operations, of those with a named request, and of those that have begun.
extern uint32_t mpipp_guard_count __attribute__((visibility("hidden")));
extern uint32_t mpipp_guard_named_count __attribute__((visibility("hidden")));
extern uint64_t mpipp_guard_begun_count __attribute__((visibility("hidden")));
// The first pending operation with a change now, or the one after another; NULL.
struct mpipp_guarded_operation *mpipp_guard_next_changed(struct mpipp_guarded_operation *after,
                                                         struct mpipp_change *change);
// Any pending operation, or one that may be started; NULL.
struct mpipp_guarded_operation *mpipp_guard_any_operation(void);
// The operation of a request, by its handle and the number of its record, or by its handle alone
// (0); NULL.
struct mpipp_guarded_operation *mpipp_guard_find_operation(uint64_t request, uint64_t serial);

// The newest operation with a request's handle, or the one before another; NULL.
struct mpipp_guarded_operation *
mpipp_guard_next_with_handle(uint64_t request, const struct mpipp_guarded_operation *after);

// An operation with a buffer on the thread's stack in a function that has returned. Each is
// returned once; NULL. frame: the frame that calls MPI; address: that of the buffer.
const struct mpipp_guarded_operation *mpipp_guard_next_dangling(uint64_t frame, uint64_t *address);

// All entries, most of them free; count: their number. For functions without the lock.
struct mpipp_guarded_operation *mpipp_guard_operations(uint32_t *count);

// Returns whether a buffer of a pending operation may have any of [low, high). Takes no lock.
extern uint64_t mpipp_guard_low __attribute__((visibility("hidden")));
extern uint64_t mpipp_guard_high __attribute__((visibility("hidden")));
static inline int mpipp_guarded_may_overlap(uint64_t low, uint64_t high) {
  return high > __atomic_load_n(&mpipp_guard_low, __ATOMIC_ACQUIRE) &&
         low < __atomic_load_n(&mpipp_guard_high, __ATOMIC_ACQUIRE);
}

// The operation whose page contains an address, and the buffer's number; NULL. For signal handlers.
const struct mpipp_guarded_operation *mpipp_guard_find_address(uint64_t address, uint32_t *part);

#endif
