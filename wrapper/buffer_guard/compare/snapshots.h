// SPDX-License-Identifier: MIT
// Snapshots of buffer bytes that page protection cannot guard. A comparison at completion finds the
// program's stores to that buffer. For a buffer that MPI reads, a copy of the bytes is kept. For a
// buffer that MPI writes, MPI writes to other memory, and the program's buffer has a fill pattern
// until completion. The caller holds the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_SNAPSHOTS_H
#define MPIPP_BUFFER_GUARD_COMPARE_SNAPSHOTS_H

#include "buffer_guard/memory/byte_set.h"
#include "watcher_client/queries.h"

struct mpipp_snapshot;

// A snapshot for a buffer of an operation that is about to start. `bytes` must exist as long as the
// snapshot. alias: 0, or the distance from the program's addresses to the alias's memory, which
// MPI gets; then `bytes` are the copied bytes of the alias. Returns NULL if the bytes cannot be
// guarded.
struct mpipp_snapshot *mpipp_guard_snapshot_new(const struct mpipp_bytes *bytes, uint64_t alias,
                                                int writes);
// Returns whether half of the snapshots are in use: then optional ones are left out. Each pending
// buffer needs a snapshot, even before its operation starts.
int mpipp_guard_snapshots_are_crowded(void);
// The distance from the program's addresses to the memory that MPI gets.
uint64_t mpipp_guard_snapshot_shift(const struct mpipp_snapshot *compared);
// mpipp_guard_snapshot_begin: the operation is about to start. Returns 0 if the buffer's memory is
// unmapped; then nothing has changed. looks: 0 if changes are not looked for this time.
// mpipp_guard_snapshot_end: the operation has completed. Returns whether a change was found;
// `change` is NULL if it is not wanted.
int mpipp_guard_snapshot_begin(struct mpipp_snapshot *compared, int looks);
int mpipp_guard_snapshot_end(struct mpipp_snapshot *compared, struct mpipp_change *change);
// Returns whether the program has changed the bytes so far. The operation stays pending.
int mpipp_guard_snapshot_check(struct mpipp_snapshot *compared, struct mpipp_change *change);
void mpipp_guard_snapshot_drop(struct mpipp_snapshot *compared);
// Returns whether changes are searched for. Takes no lock.
int mpipp_guard_snapshot_is_active(const struct mpipp_snapshot *compared);
// Notes that the program has freed the request of the active operation. The program gets its bytes
// back, and changes are no longer found.
void mpipp_guard_snapshot_abandon(struct mpipp_snapshot *compared);

// Notes that the operation may already be complete: later changes are not reported.
void mpipp_guard_snapshot_spoil(struct mpipp_snapshot *compared);
// Notes that an operation is about to write these bytes: other operations' snapshots of the same
// bytes are no longer compared. Returns whether there are any.
int mpipp_guard_snapshots_spoil(const struct mpipp_bytes *bytes);

// The address of the buffer if its function on the thread's stack has returned; else 0. Each buffer
// is returned once, and is not compared afterwards. frame: the frame that calls MPI.
// mpipp_guard_snapshots_may_dangle is a quick test whether there may be such a buffer.
uint64_t mpipp_guard_snapshot_find_dangling(struct mpipp_snapshot *compared, uint64_t frame);
int mpipp_guard_snapshots_may_dangle(uint64_t frame);

// Notes that the program has left a call by a jump. Operations that the call waited for may be
// complete, and mpipp will not see that. So all buffers get their bytes back. Data that arrives for
// operations whose completion is never seen does not reach the program.
void mpipp_guard_snapshots_abandon_call(void);

// Notes that the program has freed the memory: it is not compared, and MPI's data is not copied to
// it.
void mpipp_guard_snapshot_forget_memory(struct mpipp_snapshot *compared);

// In the child of a fork: gives all buffers their bytes back.
void mpipp_guard_snapshots_fork(void);

#endif
