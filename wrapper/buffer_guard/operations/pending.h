// SPDX-License-Identifier: MIT
// The table of operations that are guarded now. The caller holds the guard's lock, except in
// functions that a signal handler calls.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_PENDING_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_PENDING_H

#include "buffer_guard/compare/snapshots.h"
#include "buffer_guard/memory/alias_mapping.h"
#include "buffer_guard/operations/partitions.h"
#include "registry/guard_coverage.h"

enum { MPIPP_MOST_GUARDED = 4096 };

// MPI uses aliases: other addresses of the same pages, which stay accessible.
enum mpipp_guarded_state {
  MPIPP_GUARDED_FREE,
  MPIPP_GUARDED_POSTED, // being started or completed: the program may use the pages
  MPIPP_GUARDED_PENDING,
  MPIPP_GUARDED_KEPT,     // the program has freed its request: MPI has the aliases, and nothing is
                          // protected
  MPIPP_GUARDED_INACTIVE, // persistent and not started: MPI has the aliases, but does not use them
};

// One guarded buffer of an operation.
struct mpipp_part {
  struct mpipp_bytes bytes;
  uint32_t buffer;                 // index of the buffer in the call
  struct mpipp_alias *alias;       // NULL: each page also contains other bytes
  struct mpipp_snapshot *compared; // a snapshot of the bytes outside protected pages; NULL: none
  uint64_t shift;   // the distance from the program's address to the memory that MPI gets
  uint32_t writes;  // 1: MPI writes there, so the program must not even load
  uint32_t marked;  // 1 + memcheck's number for the bytes; 0: memcheck is not used
  uint32_t is_open; // 1: no page is protected
  uint32_t freed;   // 1: the program has freed memory of the buffer, so it is not checked
  struct mpipp_partitions *partitions; // only in partitioned operations
};

struct mpipp_guarded_operation {
  uint32_t state;      // enum mpipp_guarded_state
  uint32_t part_count; // number of entries in `parts`
  uint32_t persistent;
  uint32_t looks;            // 0: the budget leaves no time for the operation
  uint32_t filled;           // 1: MPI's data may not have reached the program's memory yet
  uint32_t next;             // private
  uint64_t number;           // ordinal among all operations that have begun
  uint64_t request, serial;  // the request's handle, and the serial of its record
  uint64_t place;            // the address where MPI has stored the handle
  const void *claimer;       // the thread whose current call may complete the operation
  uint64_t claim;            // ordinal of that call
  uint64_t win;              // handle of the window of a one-sided operation, else 0
  int64_t target;            // target rank of the one-sided operation
  struct mpipp_cover *cover; // the place in the program that started the operation
  uint32_t procedure;        // enum mpipp_proc: the procedure that started it
  struct mpipp_part parts[MPIPP_MAX_BUFFERS];
};

// May be called without the lock, because the flag may be set without it.
static inline int mpipp_is_part_freed(const struct mpipp_part *part) {
  return __atomic_load_n(&part->freed, __ATOMIC_SEQ_CST) != 0;
}

// Returns a free entry, for an operation that is about to be started or created; NULL if there is
// none.
struct mpipp_guarded_operation *mpipp_guard_new(void);
// Adds a buffer of the call to the operation, and takes over `bytes`. Adds nothing if the buffer
// cannot be guarded.
void mpipp_guard_add(struct mpipp_guarded_operation *guarded, struct mpipp_bytes *bytes,
                     uint32_t buffer, int writes);
// Adds a buffer of a partitioned operation. For a receive, only whole pages can be guarded, except
// under memcheck.
void mpipp_guard_add_partitions(struct mpipp_guarded_operation *guarded, struct mpipp_bytes *bytes,
                                const struct mpipp_call *call, uint32_t buffer, int writes);
// Notes that a partition is about to be marked ready, or has arrived.
void mpipp_guard_mark(struct mpipp_guarded_operation *guarded, int64_t number);
// Sets the operation's request.
void mpipp_guard_name(struct mpipp_guarded_operation *guarded, uint64_t request, uint64_t serial);
// mpipp_guard_begin: MPI has started the operation. mpipp_guard_end: it is complete; an operation
// that is not persistent is then removed. Returns whether a change was found; `change` is NULL if
// it is not wanted. mpipp_guard_drop: MPI has not started the operation.
void mpipp_guard_begin(struct mpipp_guarded_operation *guarded);
int mpipp_guard_end(struct mpipp_guarded_operation *guarded, struct mpipp_change *change);
void mpipp_guard_drop(struct mpipp_guarded_operation *guarded);
// Notes that the operation may be complete, but MPI may still use its aliases: changes are no
// longer found. Returns whether there was a change until now.
int mpipp_guard_doubt(struct mpipp_guarded_operation *guarded, struct mpipp_change *change);
// mpipp_guard_set_inactive: a persistent operation was created. mpipp_guard_fill prepares the
// memory for an operation that is about to start. Returns 0 if it is unmapped. looks: 0 if
// the budget leaves no time for the operation. Then MPI gets the program's bytes, and no changes
// are found.
void mpipp_guard_set_inactive(struct mpipp_guarded_operation *guarded);
int mpipp_guard_fill(struct mpipp_guarded_operation *guarded, int looks);
// mpipp_guard_has_other_memory returns whether MPI uses other memory for the operation than the
// program. mpipp_guard_keep: the program has freed the request, but MPI still uses that memory.
int mpipp_guard_has_other_memory(const struct mpipp_guarded_operation *guarded);
void mpipp_guard_keep(struct mpipp_guarded_operation *guarded);
// The number of kept operations. mpipp_guard_next_kept returns the first one, or the one after
// `after`; NULL at the end. A kept operation ends only when a test finds it complete.
extern uint32_t mpipp_guard_kept_count __attribute__((visibility("hidden")));
struct mpipp_guarded_operation *mpipp_guard_next_kept(struct mpipp_guarded_operation *after);
// Stops the protection of memory that other processes or the system may use from now on, or that
// the program protects itself.
void mpipp_guard_expose(void);
// The first pending operation on a window, or the next one after `after`; NULL at the end.
struct mpipp_guarded_operation *mpipp_guard_next_on_window(struct mpipp_guarded_operation *after,
                                                           uint64_t win);
// The numbers of operations in the table, of those with a request, and of operations that have
// begun so far.
extern uint32_t mpipp_guard_count __attribute__((visibility("hidden")));
extern uint32_t mpipp_guard_named_count __attribute__((visibility("hidden")));
extern uint64_t mpipp_guard_begun_count __attribute__((visibility("hidden")));
// The first pending operation in which the program has changed bytes, or the next one after
// `after`; NULL at the end.
struct mpipp_guarded_operation *mpipp_guard_next_changed(struct mpipp_guarded_operation *after,
                                                         struct mpipp_change *change);
// Any operation that is pending, or that a request may start again; NULL if there is none.
struct mpipp_guarded_operation *mpipp_guard_any_operation(void);
// The operation of a request, by its handle and the serial of its record (0: by the handle alone);
// NULL if there is none.
struct mpipp_guarded_operation *mpipp_guard_find_operation(uint64_t request, uint64_t serial);

// The newest operation with a request's handle, or the next older one before `after`; NULL at the
// end.
struct mpipp_guarded_operation *
mpipp_guard_next_with_handle(uint64_t request, const struct mpipp_guarded_operation *after);

// An operation with a buffer on the thread's stack, in a function that has returned; NULL if there
// is none. Each operation is returned once. frame: the frame that calls MPI. *address: the
// buffer's.
const struct mpipp_guarded_operation *mpipp_guard_next_dangling(uint64_t frame, uint64_t *address);

// All entries of the table, most of them free, and *count: their number. For functions that do not
// hold the lock.
struct mpipp_guarded_operation *mpipp_guard_operations(uint32_t *count);

// Returns whether a buffer of a pending operation may overlap [low, high). Takes no lock.
extern uint64_t mpipp_guard_low __attribute__((visibility("hidden")));
extern uint64_t mpipp_guard_high __attribute__((visibility("hidden")));
static inline int mpipp_guarded_may_overlap(uint64_t low, uint64_t high) {
  return high > __atomic_load_n(&mpipp_guard_low, __ATOMIC_ACQUIRE) &&
         low < __atomic_load_n(&mpipp_guard_high, __ATOMIC_ACQUIRE);
}

// The operation whose protected page contains an address, and *part: the index of its buffer; NULL
// if there is none. Signal handlers may call it.
const struct mpipp_guarded_operation *mpipp_guard_find_address(uint64_t address, uint32_t *part);

#endif
