// SPDX-License-Identifier: MIT
// Loads and stores in the log, many in one entry: those of one place at equal distances.
#ifndef MPIPP_RMA_LOG_ACCESSES_H
#define MPIPP_RMA_LOG_ACCESSES_H

#include <stdint.h>

// Whether this is a run that keeps such a log.
extern int mpipp_rma_logs_onesided __attribute__((visibility("hidden")));

// The program has loaded, or stored to, bytes at an address; next: the return address in the
// function that did. On a thread that is not inside of MPI.
void mpipp_rma_log_access(uint64_t address, uint64_t bytes, int stores, uint64_t next);
// The same of `count` of them at equal distances, upwards.
void mpipp_rma_log_comb(uint64_t first, uint64_t bytes, uint64_t stride, uint64_t count, int stores,
                        uint64_t next);
// The same without any register of floating point; 0 if it cannot be so.
int mpipp_rma_log_quickly(uint64_t first, uint64_t bytes, uint64_t stride, uint64_t count,
                          int stores, uint64_t next);

#endif
