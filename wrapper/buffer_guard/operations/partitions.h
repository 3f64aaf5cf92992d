// SPDX-License-Identifier: MIT
// Buffers of partitioned operations: a partition that is sent is the program's until it is marked
// ready, one that is received is so again when it has arrived. With the guard's lock.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_PARTITIONS_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_PARTITIONS_H

#include "buffer_guard/compare/snapshots.h"
#include "buffer_guard/memory/alias_mapping.h"

struct mpipp_partitions;

// Of a window of one block, in so many equal parts, or without a window (NULL); NULL without
// memory, or where memcheck could not be told of each part.
struct mpipp_partitions *mpipp_guard_partitions_new(struct mpipp_window *window,
                                                    const struct mpipp_bytes *bytes, int64_t count,
                                                    int writes);
// Where they lie, with the pages that they have for themselves.
struct mpipp_block mpipp_guard_partitions_pages(const struct mpipp_partitions *of);
// One that is sent has these bytes, which it takes over: those beside its own pages are compared.
// The same of one that is received, under memcheck, which is told once they have arrived.
void mpipp_guard_partitions_compare(struct mpipp_partitions *partitions, uint64_t number,
                                    struct mpipp_bytes *bytes);
void mpipp_guard_partitions_drop(struct mpipp_partitions *partitions);
// The operation is about to be started: none is ready, none has arrived. 0: its pages cannot be
// protected this time. looks: 0 where nothing is to be found this time. It is complete: the program
// gets what it does not have yet, if its memory is there still; returns whether a change was found,
// if that is asked for (not NULL).
int mpipp_guard_partitions_begin(struct mpipp_partitions *partitions, int looks);
int mpipp_guard_partitions_end(struct mpipp_partitions *partitions, int is_there,
                               struct mpipp_change *change);
// Whether a change is found while MPI has them still.
int mpipp_guard_partitions_look(const struct mpipp_partitions *partitions,
                                struct mpipp_change *change);
// As mpipp_guard_compared_is_gone, of those that are compared.
uint64_t mpipp_guard_partitions_are_gone(const struct mpipp_partitions *partitions, uint64_t frame);
// One is about to be marked ready, or has arrived. Gives the pages that it has any byte in.
struct mpipp_block mpipp_guard_partitions_mark(struct mpipp_partitions *partitions, int64_t number);
// Protects pages of [low, high) that are MPI's alone.
int mpipp_guard_partitions_forbid(const struct mpipp_partitions *partitions, uint64_t low,
                                  uint64_t high);

#endif
