// SPDX-License-Identifier: MIT
// Buffers of partitioned operations. A send's partition belongs to the program until it is marked
// ready, a receive's belongs to it again when it has arrived. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_PARTITIONS_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_PARTITIONS_H

#include "buffer_guard/compare/snapshots.h"
#include "buffer_guard/memory/alias_mapping.h"

struct mpipp_partitions;

// Partitions of a window with one block, in so many equal parts, or without a window (NULL). NULL
// without memory, or if memcheck could not be informed of each part.
struct mpipp_partitions *mpipp_guard_partitions_new(struct mpipp_window *window,
                                                    const struct mpipp_bytes *bytes, int64_t count,
                                                    int writes);
// Their addresses, with the pages that contain no other bytes.
struct mpipp_block mpipp_guard_partitions_pages(const struct mpipp_partitions *of);
// The bytes of a partition that is sent, which it takes over: those beside its own pages are
// compared. Likewise for a receive under memcheck, which learns when they have arrived.
void mpipp_guard_partitions_compare(struct mpipp_partitions *partitions, uint64_t number,
                                    struct mpipp_bytes *bytes);
void mpipp_guard_partitions_drop(struct mpipp_partitions *partitions);
// The operation is about to be started: no partition is ready or has arrived. 0: its pages cannot
// be protected this time. looks: 0 if no changes are wanted this time. The second: the operation is
// complete, and the program gets the remaining data, if its memory still exists. Returns whether a
// change was found, if that is wanted (not NULL).
int mpipp_guard_partitions_begin(struct mpipp_partitions *partitions, int looks);
int mpipp_guard_partitions_end(struct mpipp_partitions *partitions, int is_there,
                               struct mpipp_change *change);
// Returns whether a change is found while the operation is pending.
int mpipp_guard_partitions_check(const struct mpipp_partitions *partitions,
                                 struct mpipp_change *change);
// Like mpipp_guard_snapshot_find_dangling, for compared partitions.
uint64_t mpipp_guard_partitions_find_dangling(const struct mpipp_partitions *partitions,
                                              uint64_t frame);
// A partition is about to be marked ready, or has arrived. Returns the pages that contain any of
// its bytes.
struct mpipp_block mpipp_guard_partitions_mark(struct mpipp_partitions *partitions, int64_t number);
// Protects pages of [low, high) that belong to MPI alone.
int mpipp_guard_partitions_forbid(const struct mpipp_partitions *partitions, uint64_t low,
                                  uint64_t high);

#endif
