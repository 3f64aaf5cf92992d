// SPDX-License-Identifier: MIT
// A one-sided operation that MPI did not get yet.
#ifndef MPIPP_PERTURB_RMA_DEFERRED_OPERATION_H
#define MPIPP_PERTURB_RMA_DEFERRED_OPERATION_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "perturb/rma/operation_ids.h"
#include "perturb/rma/split_operation.h"
#include "perturb/statistics.h"

// An argument: `count` entries of a type, which is kept even if the program frees it.
struct mpipp_argument {
  const void *address;
  int count;
  MPI_Datatype type;
  int is_kept;       // to be freed
  int64_t low, span; // of the bytes that it uses, from the address
  void *copy;        // of these, once the program may change them
};

struct mpipp_deferred_operation {
  struct mpipp_deferred_operation *next; // on all windows, in the program's order
  struct mpipp_at at;
  uint64_t win;    // handle
  uint32_t number; // among those that wait, from 1
  struct mpipp_identity identity;
  uint64_t chance;          // chosen by the seed: it does not depend on the number of other
                            // operations
  int target;               // rank
  unsigned operation;       // MPIPP_PROC_Put, MPIPP_PROC_Get ...
  int fetches, accumulates; // it returns data to the program; it is ordered
  int is_chosen;            // it is passed to MPI now
  int is_at_once;           // ... in its own call
  int overtakes;            // MPI gets it before one with a lower number
  uint64_t latency;         // milliseconds at most
  uint64_t delay;           // microseconds of delay so far
  int is_in_journal;        // 1: the event log has it
  MPI_Op op;
  MPI_Aint disp;
  struct mpipp_argument origin, compare, result, place;
  struct mpipp_cuts *cuts; // NULL: it is passed as a whole
  int is_request;          // of a request-based form
  MPI_Request request;     // stands for it
};

// Returns whether a call starts an operation that can be deferred: it is valid.
int mpipp_perturb_can_be_deferred(const struct mpipp_call *call);
// Returns whether it is an accumulate or similar: MPI keeps their order (MPI-4.1, section 12.7.2).
int mpipp_perturb_accumulates(unsigned operation);
// NULL: no memory, or no request available. splits: to be cut.
struct mpipp_deferred_operation *mpipp_perturb_deferred_new(const struct mpipp_passage *passage,
                                                            int splits);
// Returns whether a call is a get that equals this waiting one: executing both at once has the same
// result.
int mpipp_perturb_is_repeated(const struct mpipp_deferred_operation *one,
                              const struct mpipp_passage *passage);
// Copies the data to be sent; returns 0 if that is impossible.
int mpipp_perturb_deferred_copy(struct mpipp_deferred_operation *one);
// The program need not keep its buffer any longer; its request is complete.
void mpipp_perturb_deferred_release(struct mpipp_deferred_operation *one);
// Passes the cut with that number to MPI, -1: all of it. Returns MPI's code.
int mpipp_perturb_deferred_hand_over(const struct mpipp_deferred_operation *one, int cut);
void mpipp_perturb_deferred_free(struct mpipp_deferred_operation *one);

#endif
