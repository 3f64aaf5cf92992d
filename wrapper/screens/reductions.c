// SPDX-License-Identifier: MIT
#include "screens/reductions.h"

#include "mpi/vendor.h"
#include "records/registry.h"

static int is_number(uint64_t datatype) {
  const MPI_Datatype numbers[] = {MPI_DOUBLE, MPI_INT,           MPI_FLOAT,
                                  MPI_LONG,   MPI_LONG_LONG,     MPI_UNSIGNED,
                                  MPI_SHORT,  MPI_UNSIGNED_LONG, MPI_LONG_DOUBLE};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (MPIPP_KEY(numbers[i]) == datatype) return 1;
  }
  return 0;
}

static int is_arithmetic(uint64_t op) {
  return op == MPIPP_KEY(MPI_SUM) || op == MPIPP_KEY(MPI_MAX) || op == MPIPP_KEY(MPI_MIN) ||
         op == MPIPP_KEY(MPI_PROD);
}

int mpipp_is_plain_reduction(const struct mpipp_call *call, const struct mpipp_object *op) {
  if (call->present & MPIPP_HAS_WIN) return 0; // accumulates
  if (!(op->flags & MPIPP_FLAG_PREDEFINED)) return 1;
  if (!is_arithmetic(call->op)) return 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (buffer->address != (uintptr_t)MPI_IN_PLACE && !is_number(buffer->datatype)) return 0;
  }
  return 1;
}
