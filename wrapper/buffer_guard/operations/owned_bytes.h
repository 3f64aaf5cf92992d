// SPDX-License-Identifier: MIT
// The bytes of a call's buffers that belong to MPI until the operation is complete.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_OWNED_BYTES_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_OWNED_BYTES_H

#include "abi/seam.h"
#include "buffer_guard/memory/byte_set.h"

// Returns whether MPI certainly uses a buffer of a call that is about to be made, and the buffer
// has bytes in this process.
MPIPP_SEAM int mpipp_guard_uses_buffer(const struct mpipp_call *call, uint32_t index);
// The bytes of a buffer as strided blocks, with all shares of a collective call and all partitions.
// Returns 0 if they do not have this form.
int mpipp_guard_strided_blocks_of_call(const struct mpipp_call *call, uint32_t index,
                                       struct mpipp_strided_blocks *strided);
// The bytes of a buffer in any form, which the caller must release. Returns 0 if there are too many
// blocks.
MPIPP_SEAM int mpipp_guard_bytes_of_call(const struct mpipp_call *call, uint32_t index,
                                         struct mpipp_bytes *bytes);

// The bytes of one peer's share, or of one partition.
int mpipp_guard_bytes_of_share(const struct mpipp_call *call, uint32_t index, uint64_t share,
                               struct mpipp_bytes *bytes);

#endif
