// SPDX-License-Identifier: MIT
// The pending operations for which MPI got other arguments than the program's.
#ifndef MPIPP_PERTURB_SUBSTITUTED_REQUESTS_H
#define MPIPP_PERTURB_SUBSTITUTED_REQUESTS_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "perturb/staging_buffers.h"
#include "perturb/statistics.h"

struct mpipp_substitute {
  struct mpipp_substitute *next, *next_late;
  struct mpipp_at at;
  MPI_Request request;
  int is_late;  // the request is a persistent one, which is started late, and once
  int is_start; // of a request of the program's, of which only the start is late
  int is_told;  // the program knows that it is complete, and still has the request
  // The request is a persistent one of the program's, for which MPI receives beside its buffer; and
  // it does now.
  int is_persistent, is_receiving;
  int *ready, ready_count; // MPI learns late that these partitions are ready; NULL: a start
  struct mpipp_stage *stages;
};

// An operation with that handle, made by malloc, with all members except the handle set.
void mpipp_perturb_hold(struct mpipp_substitute *held, MPI_Request request);
// The oldest with that handle, which is held no longer; NULL if there is none.
struct mpipp_substitute *mpipp_perturb_substitute_take(MPI_Request request);
// An operation is complete, by the handle that the program had for it. *now: the handle that MPI
// has set, and that the program has to get.
void mpipp_perturb_substitute_complete(MPI_Request before, MPI_Request *now);
// The program starts those persistent requests: their buffers get a fill pattern. If MPI could not
// start them, the pattern is removed.
void mpipp_perturb_substitute_receive(const struct mpipp_call *call);
void mpipp_perturb_substitute_drop_receive(const struct mpipp_call *call);
// The program knows that it is complete, and keeps the request.
void mpipp_perturb_substitute_note_completion(uint64_t handle);
// The state of a held operation: whether it is late, known to be complete, and persistent.
enum { MPIPP_SUBSTITUTE_LATE = 1, MPIPP_SUBSTITUTE_REPORTED = 2, MPIPP_SUBSTITUTE_PERSISTENT = 4 };
int mpipp_perturb_substitute_state(MPI_Request request);

// Adds one to those that are to be started, or starts it at once, if another thread may be waiting
// for it in MPI.
void mpipp_perturb_substitute_defer(struct mpipp_substitute *held);
// Starts them, in their order. by: the call that does it; NULL: they were to be started at once.
void mpipp_perturb_substitute_start(const struct mpipp_at *by);

// Returns whether the operation with that handle is one of them. Partitions that are marked late do
// not count.
int mpipp_perturb_substitute_waits(MPI_Request request);

// Requests that the program has freed, while MPI receives beside its buffers.
void mpipp_perturb_substitute_abandon(struct mpipp_substitute *held);
void mpipp_perturb_substitute_test_orphans(void);

extern int mpipp_perturb_substitute_count; // of all

#endif
