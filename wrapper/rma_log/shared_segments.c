// SPDX-License-Identifier: MIT
#include "rma_log/shared_segments.h"

#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "registry/object_store.h"

int mpipp_rma_segment_count(const struct mpipp_win *win) {
  if (win->flavor != MPIPP_WIN_SHARED) return 0;
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, win->comm);
  return comm ? comm->size : 0;
}

int mpipp_rma_query_segment_count(const struct mpipp_call *call, struct mpipp_win *win,
                                  enum mpipp_segment_user user) {
  MPI_Group group;
  int size = 0;
  // Segments of shared-memory windows are known since the window was created. The address of this
  // process's own memory is known, too.
  if (win->flavor == MPIPP_WIN_SHARED || call->target_rank == win->rank) return 0;
  if (__atomic_fetch_or(&win->told, (uint32_t)user, __ATOMIC_RELAXED) & user) return 0;
  // Uses the window's group, because its communicator may have been freed.
  if (PMPI(Win_get_group)((MPI_Win)(uintptr_t)win->object.handle, &group) != MPI_SUCCESS) return 0;
  PMPI(Group_size)(group, &size);
  PMPI(Group_free)(&group);
  return size;
}

struct mpipp_segment mpipp_rma_segment_of(const struct mpipp_win *win, int rank) {
  MPI_Aint bytes = 0;
  int unit;
  void *base = NULL;
  if (rank == win->rank) return (struct mpipp_segment){win->base, (uint64_t)win->size};
  PMPI(Win_shared_query)((MPI_Win)(uintptr_t)win->object.handle, rank, &bytes, &unit, &base);
  return (struct mpipp_segment){(uintptr_t)base, base && bytes > 0 ? (uint64_t)bytes : 0};
}
