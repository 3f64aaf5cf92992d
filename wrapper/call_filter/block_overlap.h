// SPDX-License-Identifier: MIT
// The bytes that a buffer really uses, block by block: where boxes share memory, the data that lies
// in them need not. Looked at once for all calls that are alike, before anything is asked.
#ifndef MPIPP_CALL_FILTER_BLOCK_OVERLAP_H
#define MPIPP_CALL_FILTER_BLOCK_OVERLAP_H

#include "registry/records.h"

// Whether it is certain that no byte of a buffer is used twice. Not, where it has very many blocks,
// or a constructor that is not walked here.
int mpipp_filter_is_self_disjoint(const struct mpipp_buffer *buffer);
// The same of two buffers: no byte of one is of the other.
int mpipp_filter_share_nothing(const struct mpipp_buffer *one, const struct mpipp_buffer *other);

#endif
