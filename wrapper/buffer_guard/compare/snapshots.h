// SPDX-License-Identifier: MIT
// Bytes of buffers that MPI has, of which no page can be protected: what the program has stored
// there is found by comparison when the operation is complete. Of what MPI reads a copy is kept.
// What MPI writes goes to other memory: the program's holds a pattern until then. With the guard's
// lock.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_SNAPSHOTS_H
#define MPIPP_BUFFER_GUARD_COMPARE_SNAPSHOTS_H

#include "buffer_guard/memory/byte_set.h"
#include "watcher_client/queries.h"

struct mpipp_compared;

// For a buffer that an operation is about to have; `bytes` must stay as long. window: 0, or what is
// added to an address of the program's for what MPI is given already: then `bytes` are those that
// are a copy there. NULL: it cannot be looked at.
struct mpipp_compared *mpipp_guard_compared_new(const struct mpipp_bytes *bytes, uint64_t window,
                                                int writes);
// Whether there are so many that what can do without shall: each takes one of the places of those
// that MPI has, whether it has begun or not.
int mpipp_guard_compared_are_many(void);
// What is added to an address of the program's for what MPI is given.
uint64_t mpipp_guard_compared_shift(const struct mpipp_compared *compared);
// MPI is about to have it; returns 0 if its memory is not there, and nothing has changed. looks: 0
// where nothing is to be found this time. MPI has it no more: returns whether a change was found,
// if that is asked for (not NULL).
int mpipp_guard_compared_begin(struct mpipp_compared *compared, int looks);
int mpipp_guard_compared_end(struct mpipp_compared *compared, struct mpipp_change *change);
// Whether there is one while MPI has it still, and goes on with it.
int mpipp_guard_compared_look(struct mpipp_compared *compared, struct mpipp_change *change);
void mpipp_guard_compared_drop(struct mpipp_compared *compared);
// Whether what is done there is found. Takes no lock.
int mpipp_guard_compared_is_active(const struct mpipp_compared *compared);
// The program has given up the operation: from now on it has its bytes as they are, and nothing is
// found.
void mpipp_guard_compared_give_up(struct mpipp_compared *compared);

// The operation may be complete: no change is found any more.
void mpipp_guard_compared_spoil_one(struct mpipp_compared *compared);
// An operation is about to write these: what others have there is not compared any more. Returns
// whether there are any.
int mpipp_guard_compared_spoil(const struct mpipp_bytes *bytes);

// Whether it lies on the thread's stack where no frame is any more, when MPI is called from that
// frame; its address, said once, and it is not compared then; else 0. The second: whether there may
// be any.
uint64_t mpipp_guard_compared_is_gone(struct mpipp_compared *compared, uint64_t frame);
int mpipp_guard_compared_may_be_gone(uint64_t frame);

// A call was left, and what it waited for may be complete without anybody being told: all have
// their bytes as they are. Of those that are never said to be complete no more comes in.
void mpipp_guard_compared_call_left(void);

// The program has given the memory back: it is not compared, and nothing is stored there.
void mpipp_guard_compared_is_other_memory(struct mpipp_compared *compared);

// In the child of a fork: it has its bytes as they are.
void mpipp_guard_compared_forked(void);

#endif
