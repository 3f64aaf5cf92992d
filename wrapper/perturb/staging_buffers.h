// SPDX-License-Identifier: MIT
// Where MPI receives while the program's buffer holds junk: memory that is laid out alike.
#ifndef MPIPP_PERTURB_STAGING_BUFFERS_H
#define MPIPP_PERTURB_STAGING_BUFFERS_H

#include <stddef.h>

#include "abi/vendor.h"
#include "registry/records.h"

struct mpipp_stage {
  struct mpipp_stage *next; // of the same call
  void *target, *memory;    // what the call was to be given as the address, and what it is given
  MPI_Datatype type;        // of all of the data, MPI_DATATYPE_NULL: they are `bytes` bytes
  size_t bytes;
  void *room, *packed;
  int packed_size;
};

// Of that buffer of a call, which is to be given it at that address. NULL: its bytes are not known
// well enough, or there are none.
struct mpipp_stage *mpipp_perturb_stage_new(const struct mpipp_call *call, uint32_t buffer,
                                            uint64_t address);
// It gets what the program's buffer holds now. Of these and all next.
void mpipp_perturb_stages_take(const struct mpipp_stage *stage);
// The program's buffer gets junk: its data, and nothing between them.
void mpipp_perturb_stage_spoil(const struct mpipp_stage *stage);
// It gets what is there now: what was received, and the rest as it was. Of these and all next.
void mpipp_perturb_stages_give(const struct mpipp_stage *stage);
// The same, and that was all.
void mpipp_perturb_stages_end(struct mpipp_stage *stage);
// Nothing was received.
void mpipp_perturb_stages_drop(struct mpipp_stage *stage);

#endif
