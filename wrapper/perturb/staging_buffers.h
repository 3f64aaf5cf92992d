// SPDX-License-Identifier: MIT
// The memory into which MPI receives while the program's buffer has a fill pattern. It has the same
// layout as the buffer.
#ifndef MPIPP_PERTURB_STAGING_BUFFERS_H
#define MPIPP_PERTURB_STAGING_BUFFERS_H

#include <stddef.h>

#include "abi/vendor.h"
#include "registry/records.h"

struct mpipp_stage {
  struct mpipp_stage *next; // next buffer of the same call
  void *target, *memory;    // the address that MPI would get, and the address that it gets
  MPI_Datatype type;        // datatype of all data; MPI_DATATYPE_NULL: the data is `bytes` bytes
  size_t bytes;
  void *room, *packed;
  int packed_size;
};

// Creates a stage for that buffer of a call. address: the one that MPI would get. Returns NULL if
// too little is known about the bytes, or there are none.
struct mpipp_stage *mpipp_perturb_stage_new(const struct mpipp_call *call, uint32_t buffer,
                                            uint64_t address);
// Copies the present content of the program's buffer to the stage. Handles all following stages of
// the call, too.
void mpipp_perturb_stages_take(const struct mpipp_stage *stage);
// Fills the data bytes of the program's buffer with the pattern, but not the gaps.
void mpipp_perturb_stage_spoil(const struct mpipp_stage *stage);
// Copies the stage to the program's buffer: the received data, and the unchanged rest. Handles all
// following stages of the call, too.
void mpipp_perturb_stages_give(const struct mpipp_stage *stage);
// Copies the stages to the buffers, and frees them.
void mpipp_perturb_stages_end(struct mpipp_stage *stage);
// Frees the stages without a copy, because nothing was received.
void mpipp_perturb_stages_drop(struct mpipp_stage *stage);

#endif
