// SPDX-License-Identifier: MIT
// The order of a process's first calls, across all its channels. A step starts a message or a
// collective call, or completes one. The ledger keeps each channel for itself; whether a program
// needs MPI to buffer its messages shows only here (mpipp/analysis/buffering/).
//
// The channel MPIPP_STEPS of MPI_COMM_WORLD has the steps. The root of a step is the identity of
// the communicator. Its operation is the kind with the flags and the distance. Its tag is the peer
// and the tag, or the ordinal of a collective call.
#ifndef MPIPP_RECORDER_MATCHING_CALL_ORDER_H
#define MPIPP_RECORDER_MATCHING_CALL_ORDER_H

#include "registry/object_store.h"

// The next step of a process; returns its number, from 1. The last one is a cut: 0.
uint64_t mpipp_recorder_step(const struct mpipp_call *call, unsigned kind, uint64_t distance,
                             uint64_t identity, uint64_t key);

#endif
