// SPDX-License-Identifier: MIT
// Where a call's buffers lie, and whether they are certain to be as the standard demands.
#ifndef MPIPP_BOXES_H
#define MPIPP_BOXES_H

#include "generated/facts.h"
#include "mpi/vendor.h"
#include "recorders/alike.h"
#include "screens/pending.h"

// Below it the system gives out no memory.
enum { MPIPP_FIRST_ADDRESS = 65536 };

// What the answer to a question depends on: two sums of all that was added, in order.
struct mpipp_doubt {
  uint64_t low, high;
};

static inline void mpipp_doubt(struct mpipp_doubt *doubt, uint64_t word) {
  doubt->low = (doubt->low ^ word) * 0xBF58476D1CE4E5B9u;
  doubt->low ^= doubt->low >> 29;
  doubt->high = (doubt->high + word) * 0x94D049BB133111EBu;
  doubt->high ^= doubt->high >> 31;
}

// What tells a datatype from others that are built otherwise.
uint64_t mpipp_shape_of(uint64_t record, uint64_t handle);

// The box of a buffer in this process, [0, 0) if it has no data there. Returns whether nothing can
// be wrong with it by itself; else `doubt` has what that depends on. Large ones, whose bounds do
// not fit, are doubted, too.
int mpipp_box_of(const struct mpipp_call *call, uint32_t index, struct mpipp_box *box,
                 struct mpipp_doubt *doubt);
// Whether two buffers of a call share no memory, as far as the boxes tell, or are only read.
int mpipp_are_apart(const struct mpipp_call *call, const struct mpipp_box *boxes, uint32_t first,
                    uint32_t second, struct mpipp_doubt *doubt);
// Whether what a buffer of the target's is lies in that window.
int mpipp_is_within(const struct mpipp_buffer *buffer, const struct mpipp_win *win);
// All that the buffer's bytes depend on but its address.
void mpipp_doubt_buffer(const struct mpipp_call *call, uint32_t index, struct mpipp_doubt *doubt);

#endif
