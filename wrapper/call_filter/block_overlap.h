// SPDX-License-Identifier: MIT
// Compares buffers block by block: if the address ranges (boxes) of two buffers overlap, their data
// need not. This is done once for all equal calls, before a query is made.
#ifndef MPIPP_CALL_FILTER_BLOCK_OVERLAP_H
#define MPIPP_CALL_FILTER_BLOCK_OVERLAP_H

#include "registry/records.h"

// Returns whether a buffer certainly uses no byte twice. Returns 0 for a buffer with very many
// blocks, or with a constructor that cannot be expanded.
int mpipp_filter_is_self_disjoint(const struct mpipp_buffer *buffer);
// Returns whether two buffers certainly share no byte.
int mpipp_filter_are_separate(const struct mpipp_buffer *one, const struct mpipp_buffer *other);

#endif
