// SPDX-License-Identifier: MIT
// Calls that failed: whether they took part in the matching all the same.
#include "mpi/resolve.h"
#include "recorders/channels.h"

int mpipp_failed(const struct mpipp_call *call, int code) {
  mpipp_uncertain(call);
  return code;
}

static int is_truncated(int code) {
  int class = MPI_SUCCESS;
  return PMPI(Error_class)(code, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE;
}

int mpipp_failed_receive(const struct mpipp_call *call, int code, uint64_t *any,
                         const MPI_Status *status) {
  if (!is_truncated(code)) return mpipp_failed(call, code);
  if (!any) return code;
  *any = 0;
  mpipp_received_any(call, status);
  return code;
}

int mpipp_failed_message(struct mpipp_call *call, int code, uint64_t serial) {
  if (!is_truncated(code)) return code;
  MPIPP_WRITE(call->present, call->present & ~(uint32_t)MPIPP_HAS_MESSAGE);
  mpipp_freed(MPIPP_MESSAGE, call->message, serial);
  return code;
}
