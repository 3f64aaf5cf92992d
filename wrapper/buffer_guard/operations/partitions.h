// SPDX-License-Identifier: MIT
// Buffers of partitioned operations. A send's partition belongs to the program until it is marked
// ready. A receive's partition belongs to it again when it has arrived. The caller holds the
// guard's lock.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_PARTITIONS_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_PARTITIONS_H

#include "buffer_guard/compare/snapshots.h"
#include "buffer_guard/memory/alias_mapping.h"

struct mpipp_partitions;

// Creates the state of `number` equal partitions of an alias with one block. alias: NULL if no
// page is protected. Returns NULL without memory, or if memcheck has no capacity for each
// partition.
struct mpipp_partitions *mpipp_guard_partitions_new(struct mpipp_alias *alias,
                                                    const struct mpipp_bytes *bytes, int64_t count,
                                                    int writes);
// The address range of all partitions, and the pages that contain no other bytes.
struct mpipp_block mpipp_guard_partitions_pages(const struct mpipp_partitions *of);
// Passes the bytes of one partition of a send. Bytes outside the partition's own pages are
// compared. For a receive under memcheck, pass the bytes that become defined when the partition
// arrives. The function takes over `bytes`.
void mpipp_guard_partitions_compare(struct mpipp_partitions *partitions, uint64_t number,
                                    struct mpipp_bytes *bytes);
void mpipp_guard_partitions_drop(struct mpipp_partitions *partitions);
// mpipp_guard_partitions_begin: the operation is about to start, and no partition is ready or has
// arrived. Returns 0 if the pages cannot be protected this time. looks: 0 if the budget
// leaves no time for this operation.
// mpipp_guard_partitions_end: the operation is complete. Copies the remaining data to the program,
// if the memory still exists. Returns whether a change was found; `change` is NULL if it is not
// wanted.
int mpipp_guard_partitions_begin(struct mpipp_partitions *partitions, int looks);
int mpipp_guard_partitions_end(struct mpipp_partitions *partitions, int is_there,
                               struct mpipp_change *change);
// Returns whether the program has changed bytes so far. The operation stays pending.
int mpipp_guard_partitions_check(const struct mpipp_partitions *partitions,
                                 struct mpipp_change *change);
// Works like mpipp_guard_snapshot_find_dangling, for the compared bytes of partitions.
uint64_t mpipp_guard_partitions_find_dangling(const struct mpipp_partitions *partitions,
                                              uint64_t frame);
// Notes that a partition is about to be marked ready, or has arrived. Returns the pages that
// contain any of its bytes.
struct mpipp_block mpipp_guard_partitions_mark(struct mpipp_partitions *partitions, int64_t number);
// Protects the pages of [low, high) in which all bytes belong to MPI.
int mpipp_guard_partitions_forbid(const struct mpipp_partitions *partitions, uint64_t low,
                                  uint64_t high);

#endif
