// SPDX-License-Identifier: MIT
// The order of a process's first calls, across all its channels. A step starts a message or a
// collective call, or completes one. The ledger keeps each channel separately. But whether a
// program relies on MPI to buffer messages shows only in this order (mpipp/analysis/buffering/).
//
// The channel MPIPP_STEPS of MPI_COMM_WORLD has the steps. The root of a step is the identity of
// the communicator. Its operation is the kind, with flags and the distance. Its tag is the peer and
// the tag, or the ordinal of a collective call.
#ifndef MPIPP_RECORDER_MATCHING_CALL_ORDER_H
#define MPIPP_RECORDER_MATCHING_CALL_ORDER_H

#include "registry/object_store.h"

// Notes the next step of the process, and returns its number, from 1. Returns 0 for the last step,
// a cut.
uint64_t mpipp_recorder_step(const struct mpipp_call *call, unsigned kind, uint64_t distance,
                             uint64_t identity, uint64_t key);

#endif
