// SPDX-License-Identifier: MIT
// The memory that MPI receives into while the program's buffer has a fill pattern. It has the same
// layout.
#ifndef MPIPP_PERTURB_STAGING_BUFFERS_H
#define MPIPP_PERTURB_STAGING_BUFFERS_H

#include <stddef.h>

#include "abi/vendor.h"
#include "registry/records.h"

struct mpipp_stage {
  struct mpipp_stage *next; // of the same call
  void *target, *memory;    // the address that the call would get, and the one that it gets
  MPI_Datatype type;        // of all of the data, MPI_DATATYPE_NULL: they are `bytes` bytes
  size_t bytes;
  void *room, *packed;
  int packed_size;
};

// Memory for that buffer of a call, which would get that address. NULL: too little is known of its
// bytes, or there are none.
struct mpipp_stage *mpipp_perturb_stage_new(const struct mpipp_call *call, uint32_t buffer,
                                            uint64_t address);
// Copies the present content of the program's buffer into it; also for all further stages.
void mpipp_perturb_stages_take(const struct mpipp_stage *stage);
// Fills the program's buffer with a pattern: its data, and nothing between them.
void mpipp_perturb_stage_spoil(const struct mpipp_stage *stage);
// Copies its present content to the program's buffer: received data, and the unchanged rest. Also
// for all further stages.
void mpipp_perturb_stages_give(const struct mpipp_stage *stage);
// Copies the content, and ends the stages.
void mpipp_perturb_stages_end(struct mpipp_stage *stage);
// Nothing was received.
void mpipp_perturb_stages_drop(struct mpipp_stage *stage);

#endif
