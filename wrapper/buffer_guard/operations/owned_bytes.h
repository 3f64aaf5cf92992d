// SPDX-License-Identifier: MIT
// The bytes of a call's buffers that belong to MPI until the operation is complete.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_OWNED_BYTES_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_OWNED_BYTES_H

#include "abi/seam.h"
#include "buffer_guard/memory/byte_set.h"

// Returns whether MPI certainly uses a buffer of a call that is about to be made, and has bytes
// there.
MPIPP_SEAM int mpipp_guard_uses_buffer(const struct mpipp_call *call, uint32_t index);
// Its bytes: all shares of a collective call's, and partitions; 0 if they do not have this form.
int mpipp_guard_strided_blocks_of_call(const struct mpipp_call *call, uint32_t index,
                                       struct mpipp_strided_blocks *strided);
// Its bytes in any form, to be released; 0 if there are too many blocks.
MPIPP_SEAM int mpipp_guard_bytes_of_call(const struct mpipp_call *call, uint32_t index,
                                         struct mpipp_bytes *bytes);

// The bytes of one of its peers, or of a partition.
int mpipp_guard_bytes_of_share(const struct mpipp_call *call, uint32_t index, uint64_t share,
                               struct mpipp_bytes *bytes);

#endif
