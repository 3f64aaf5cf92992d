// SPDX-License-Identifier: MIT
#include "strict/shadows.h"

#include "mpi/resolve.h"
#include "records/store.h"

// With its own group: unlike a duplicate's, no callbacks of attributes are called.
static MPI_Comm created(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group group;
  if (PMPI(Comm_group)(comm, &group) != MPI_SUCCESS) return MPI_COMM_NULL;
  if (PMPI(Comm_create)(comm, group, &made) != MPI_SUCCESS) made = MPI_COMM_NULL;
  PMPI(Group_free)(&group);
  return made;
}

void mpipp_shadow_make(struct mpipp_comm *record, MPI_Comm comm) {
  MPI_Errhandler before;
  if (record->inter || record->size < 2) return;
  // Nobody else uses the communicator yet; the library may have no more of them.
  if (PMPI(Comm_get_errhandler)(comm, &before) != MPI_SUCCESS) return;
  PMPI(Comm_set_errhandler)(comm, MPI_ERRORS_RETURN);
  MPI_Comm made = created(comm);
  if (made != MPI_COMM_NULL) PMPI(Comm_set_errhandler)(made, MPI_ERRORS_RETURN);
  PMPI(Comm_set_errhandler)(comm, before);
  if (!mpipp_is_constant(MPIPP_ERRHANDLER, MPIPP_KEY(before))) PMPI(Errhandler_free)(&before);
  if (made != MPI_COMM_NULL) MPIPP_WRITE(record->shadow, (uint64_t)(uintptr_t)made);
}

void mpipp_shadow_free(uint64_t shadow) {
  MPI_Comm comm = (MPI_Comm)(uintptr_t)shadow;
  PMPI(Comm_free)(&comm);
}
