// SPDX-License-Identifier: MIT
// Shadow communicators: of the same processes as one of the program's, for the comparison of
// calls before they begin.
#ifndef MPIPP_SHADOWS_H
#define MPIPP_SHADOWS_H

#include "mpi/vendor.h"
#include "records/records.h"

// In the call that has made the communicator, in all its processes: MPI orders nothing between
// them and what they do next.
void mpipp_shadow_make(struct mpipp_comm *record, MPI_Comm comm);

static inline MPI_Comm mpipp_shadow(const struct mpipp_comm *record) {
  return (MPI_Comm)(uintptr_t)record->shadow;
}

void mpipp_shadow_free(uint64_t shadow);

#endif
