// SPDX-License-Identifier: MIT
// Bytes of buffers of pending operations whose pages cannot be protected. A comparison at
// completion finds the program's stores there. A copy is kept of buffers that MPI reads. MPI writes
// to other memory: the program's buffer has a fill pattern until completion. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_SNAPSHOTS_H
#define MPIPP_BUFFER_GUARD_COMPARE_SNAPSHOTS_H

#include "buffer_guard/memory/byte_set.h"
#include "watcher_client/queries.h"

struct mpipp_snapshot;

// For a buffer of an operation that is about to start; `bytes` must exist as long. window: 0, or
// the distance from an address of the program to the memory that MPI already gets. Then `bytes` are
// those that are a copy there. NULL: it cannot be guarded.
struct mpipp_snapshot *mpipp_guard_snapshot_new(const struct mpipp_bytes *bytes, uint64_t window,
                                                int writes);
// Returns whether there are so many that optional ones have to be left out. Each takes one of the
// places of pending buffers, started or not.
int mpipp_guard_snapshots_are_crowded(void);
// The distance from an address of the program to the memory that MPI gets.
uint64_t mpipp_guard_snapshot_shift(const struct mpipp_snapshot *compared);
// The operation is about to start. Returns 0 if the buffer's memory is unmapped; nothing has
// changed then. looks: 0 if this one is not compared. The second: the operation has ended. Returns
// whether a change was found, if that is wanted (not NULL).
int mpipp_guard_snapshot_begin(struct mpipp_snapshot *compared, int looks);
int mpipp_guard_snapshot_end(struct mpipp_snapshot *compared, struct mpipp_change *change);
// Returns whether there is a change now, while the operation stays pending.
int mpipp_guard_snapshot_check(struct mpipp_snapshot *compared, struct mpipp_change *change);
void mpipp_guard_snapshot_drop(struct mpipp_snapshot *compared);
// Returns whether changes there are found. Takes no lock.
int mpipp_guard_snapshot_is_active(const struct mpipp_snapshot *compared);
// The program has freed the active operation's request. From now on it has its bytes as they are,
// and no change is found.
void mpipp_guard_snapshot_abandon(struct mpipp_snapshot *compared);

// The operation may be complete: no change is found any more.
void mpipp_guard_snapshot_spoil(struct mpipp_snapshot *compared);
// An operation is about to write these bytes: those of other operations are no longer compared.
// Returns whether there are any.
int mpipp_guard_snapshots_spoil(const struct mpipp_bytes *bytes);

// Returns its address if it is on the thread's stack in a function that has returned; else 0.
// frame: the frame that calls MPI. Reported once, and it is not compared then. The second: whether
// there may be any.
uint64_t mpipp_guard_snapshot_find_dangling(struct mpipp_snapshot *compared, uint64_t frame);
int mpipp_guard_snapshots_may_dangle(uint64_t frame);

// A call was left, and the operations that it waited for may be complete without notice. All
// buffers have their bytes as they are. No data comes in for those that never complete visibly.
void mpipp_guard_snapshots_abandon_call(void);

// The program has freed the memory: it is not compared, and nothing is stored there.
void mpipp_guard_snapshot_forget_memory(struct mpipp_snapshot *compared);

// In the child of a fork: it has its bytes as they are.
void mpipp_guard_snapshots_fork(void);

#endif
