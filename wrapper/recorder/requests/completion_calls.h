// SPDX-License-Identifier: MIT
// The procedures that complete requests (MPI-4.1, sections 3.7.3 and 3.7.5).
#ifndef MPIPP_RECORDER_REQUESTS_COMPLETION_CALLS_H
#define MPIPP_RECORDER_REQUESTS_COMPLETION_CALLS_H

#include <stdint.h>

#include "generated/procedures.h"

static inline int mpipp_waits_for_requests(uint32_t procedure) {
  return procedure == MPIPP_PROC_Wait || procedure == MPIPP_PROC_Waitall ||
         procedure == MPIPP_PROC_Waitany || procedure == MPIPP_PROC_Waitsome;
}

static inline int mpipp_tests_requests(uint32_t procedure) {
  return procedure == MPIPP_PROC_Test || procedure == MPIPP_PROC_Testall ||
         procedure == MPIPP_PROC_Testany || procedure == MPIPP_PROC_Testsome;
}

static inline int mpipp_completes_requests(uint32_t procedure) {
  return mpipp_waits_for_requests(procedure) || mpipp_tests_requests(procedure);
}

#endif
