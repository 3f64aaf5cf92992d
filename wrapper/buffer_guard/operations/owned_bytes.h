// SPDX-License-Identifier: MIT
// Which bytes of a call's buffers are MPI's until the operation is complete.
#ifndef MPIPP_BUFFER_GUARD_OPERATIONS_OWNED_BYTES_H
#define MPIPP_BUFFER_GUARD_OPERATIONS_OWNED_BYTES_H

#include "buffer_guard/memory/byte_set.h"

// Whether MPI certainly uses a buffer of a call that is about to be made, and has bytes there.
int mpipp_guard_is_used(const struct mpipp_call *call, uint32_t index);
// Its bytes: all shares of a collective call's, and partitions; 0 if they are not of this form.
int mpipp_guard_comb_of_call(const struct mpipp_call *call, uint32_t index,
                             struct mpipp_comb *comb);
// The same of any form, to be given back; 0 if there are too many blocks.
int mpipp_guard_bytes_of_call(const struct mpipp_call *call, uint32_t index,
                              struct mpipp_bytes *bytes);

// The same of what one of its peers has, or of a partition.
int mpipp_guard_bytes_of_share(const struct mpipp_call *call, uint32_t index, uint64_t share,
                               struct mpipp_bytes *bytes);

#endif
