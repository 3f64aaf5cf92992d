// SPDX-License-Identifier: MIT
// The bytes that a buffer really uses, block by block: if the address ranges (boxes) of two buffers
// overlap, their data need not. Compared once for all equal calls, before a query is made.
#ifndef MPIPP_CALL_FILTER_BLOCK_OVERLAP_H
#define MPIPP_CALL_FILTER_BLOCK_OVERLAP_H

#include "registry/records.h"

// Returns whether certainly no byte of a buffer is used twice. 0 for a buffer with very many
// blocks, or with a constructor that is not expanded here.
int mpipp_filter_is_self_disjoint(const struct mpipp_buffer *buffer);
// Returns whether certainly no byte of one buffer belongs to the other.
int mpipp_filter_are_separate(const struct mpipp_buffer *one, const struct mpipp_buffer *other);

#endif
