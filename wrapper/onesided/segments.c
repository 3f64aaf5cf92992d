// SPDX-License-Identifier: MIT
#include "onesided/segments.h"

#include <stddef.h>

#include "mpi/resolve.h"
#include "mpi/vendor.h"
#include "records/store.h"

int mpipp_segment_count(const struct mpipp_win *win) {
  if (win->flavor != MPIPP_WIN_SHARED) return 0;
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, win->comm);
  return comm ? comm->size : 0;
}

struct mpipp_segment mpipp_segment_of(const struct mpipp_win *win, int rank) {
  MPI_Aint bytes = 0;
  int unit;
  void *base = NULL;
  if (rank == win->rank) return (struct mpipp_segment){win->base, (uint64_t)win->size};
  PMPI(Win_shared_query)((MPI_Win)(uintptr_t)win->object.handle, rank, &bytes, &unit, &base);
  return (struct mpipp_segment){(uintptr_t)base, base && bytes > 0 ? (uint64_t)bytes : 0};
}
