// SPDX-License-Identifier: MIT
// Pending operations for which MPI got other arguments than the program has passed.
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
  int is_late;  // a persistent request takes the place of the operation, and is started late, once
  int is_start; // only the start of a persistent request of the program is late
  int is_told;  // the program knows that the operation is complete, and still has the request
  // is_persistent: a persistent receive of the program, for which MPI uses other memory;
  // is_receiving: it is active.
  int is_persistent, is_receiving;
  int *ready, ready_count; // partitions for which MPI learns late that they are ready; NULL: the
                           // operation itself is started late
  struct mpipp_stage *stages;
};

// Adds an operation with that handle. The caller has allocated it by malloc, and set all members
// except the handle.
void mpipp_perturb_hold(struct mpipp_substitute *held, MPI_Request request);
// Removes the oldest operation with that handle from the table, and returns it; NULL if there is
// none.
struct mpipp_substitute *mpipp_perturb_substitute_take(MPI_Request request);
// Notes that an operation is complete. before: the handle that the program had for it. *now: the
// handle that MPI has set; replaced by the handle that the program must get.
void mpipp_perturb_substitute_complete(MPI_Request before, MPI_Request *now);
// mpipp_perturb_substitute_receive: the program starts these persistent requests, so their buffers
// get the fill pattern. mpipp_perturb_substitute_drop_receive removes it if MPI could not start
// them.
void mpipp_perturb_substitute_receive(const struct mpipp_call *call);
void mpipp_perturb_substitute_drop_receive(const struct mpipp_call *call);
// Notes that the program knows that the operation is complete, and keeps the request.
void mpipp_perturb_substitute_note_completion(uint64_t handle);
// The state of an operation: whether its start is late, the program knows its completion, and it is
// persistent.
enum { MPIPP_SUBSTITUTE_LATE = 1, MPIPP_SUBSTITUTE_REPORTED = 2, MPIPP_SUBSTITUTE_PERSISTENT = 4 };
int mpipp_perturb_substitute_state(MPI_Request request);

// Adds an operation to those that are started later. If another thread may be waiting for it in
// MPI, starts it immediately.
void mpipp_perturb_substitute_defer(struct mpipp_substitute *held);
// Starts all deferred operations, in their order. by: the place of the call that does this; NULL:
// they had to be started immediately.
void mpipp_perturb_substitute_start(const struct mpipp_at *by);

// Returns whether the start of the operation with that handle is deferred. Deferred marks of
// partitions do not count.
int mpipp_perturb_substitute_waits(MPI_Request request);

// mpipp_perturb_substitute_abandon keeps a request that the program has freed while MPI receives
// into other memory than its buffer. mpipp_perturb_substitute_test_orphans tests the kept requests.
void mpipp_perturb_substitute_abandon(struct mpipp_substitute *held);
void mpipp_perturb_substitute_test_orphans(void);

extern int mpipp_perturb_substitute_count; // number of operations in the table

#endif
