// SPDX-License-Identifier: MIT
// Loads and stores in the log. One entry has many accesses: those of one place with equal spacing.
#ifndef MPIPP_RMA_LOG_ACCESSES_H
#define MPIPP_RMA_LOG_ACCESSES_H

#include <stdint.h>

#include "abi/seam.h"

// 1 if this run keeps such a log.
extern int mpipp_rma_logs_onesided __attribute__((visibility("hidden")));

// The program has loaded, or stored to, bytes at an address; next: the return address in the
// function that did. On a thread that is outside MPI.
MPIPP_SEAM void mpipp_rma_log_access(uint64_t address, uint64_t bytes, int stores, uint64_t next);
// The program has made `count` accesses with equal spacing, upwards.
MPIPP_SEAM void mpipp_rma_log_strided_accesses(uint64_t first, uint64_t bytes, uint64_t stride,
                                               uint64_t count, int stores, uint64_t next);
// The same without any floating-point register; 0 if it cannot be recorded so.
MPIPP_SEAM int mpipp_rma_log_strided_fast(uint64_t first, uint64_t bytes, uint64_t stride,
                                          uint64_t count, int stores, uint64_t next);

#endif
