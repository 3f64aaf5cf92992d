// SPDX-License-Identifier: MIT
// Loads and stores in the log. One entry describes many accesses from one place with equal spacing.
#ifndef MPIPP_RMA_LOG_ACCESSES_H
#define MPIPP_RMA_LOG_ACCESSES_H

#include <stdint.h>

#include "abi/seam.h"

// 1 if this run keeps a log.
extern int mpipp_rma_logs_onesided __attribute__((visibility("hidden")));

// Added to `stores`: the memory is never freed, so an operation by another thread counts even if it
// is complete.
enum { MPIPP_ACCESS_LASTING = 2 };

// Logs a load or store of the program. next: a return address in the function that has made it. The
// thread must be outside MPI.
MPIPP_SEAM void mpipp_rma_log_access(uint64_t address, uint64_t bytes, int stores, uint64_t next);
// Logs `count` accesses of the program with equal spacing, in ascending order.
MPIPP_SEAM void mpipp_rma_log_strided_accesses(uint64_t first, uint64_t bytes, uint64_t stride,
                                               uint64_t count, int stores, uint64_t next);
// Logs strided accesses without using floating-point registers. Returns 0 if they cannot be logged
// this way.
MPIPP_SEAM int mpipp_rma_log_strided_fast(uint64_t first, uint64_t bytes, uint64_t stride,
                                          uint64_t count, int stores, uint64_t next);

#endif
