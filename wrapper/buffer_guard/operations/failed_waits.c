// SPDX-License-Identifier: MIT
#include "buffer_guard/operations/failed_waits.h"

#include <stddef.h>

#include "abi/vendor.h"
#include "generated/procedures.h"

int mpipp_guard_has_failed(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  int has_requests = call->present & MPIPP_HAS_REQUESTS && call->requests && !call->buffer_count;
  return has_requests && passage->code != MPI_SUCCESS;
}

// MPI-4.0, section 3.7.5: an operation that is not complete has MPI_ERR_PENDING in its status.
int mpipp_guard_may_be_complete(const struct mpipp_passage *passage, int64_t index) {
  uint32_t procedure = passage->call->procedure;
  const MPI_Status *statuses = passage->status;
  int all = procedure == MPIPP_PROC_Waitall || procedure == MPIPP_PROC_Testall;
  int in_status = all && statuses && passage->code == MPI_ERR_IN_STATUS;
  return !in_status || statuses[index].MPI_ERROR != MPI_ERR_PENDING;
}
