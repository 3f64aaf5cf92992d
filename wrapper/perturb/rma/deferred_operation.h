// SPDX-License-Identifier: MIT
// A one-sided operation that MPI has not got yet.
#ifndef MPIPP_PERTURB_RMA_DEFERRED_OPERATION_H
#define MPIPP_PERTURB_RMA_DEFERRED_OPERATION_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "perturb/rma/operation_ids.h"
#include "perturb/rma/split_operation.h"
#include "perturb/statistics.h"

// One argument: `count` entries of a datatype. The datatype is a duplicate, so that the program may
// free its own.
struct mpipp_argument {
  const void *address;
  int count;
  MPI_Datatype type;
  int is_kept;       // 1: the datatype is a duplicate, to be freed
  int64_t low, span; // the bytes that it uses: offset of the first from the address, and their
                     // extent
  void *copy;        // a copy of these bytes, made before the program may change them
};

struct mpipp_deferred_operation {
  struct mpipp_deferred_operation *next; // the next deferred operation, on any window, in the
                                         // program's order
  struct mpipp_at at;
  uint64_t win;    // handle of the window
  uint32_t number; // ordinal among the deferred operations, from 1
  struct mpipp_identity identity;
  uint64_t chance;          // a random number from the seed, which does not depend on the number of
                            // other operations
  int target;               // target rank
  unsigned operation;       // procedure without its variants: MPIPP_PROC_Put, MPIPP_PROC_Get ...
  int fetches, accumulates; // fetches: it returns data to the program; accumulates: MPI keeps its
                            // order
  int is_chosen;            // MPI gets the operation now
  int is_at_once;           // MPI gets the operation in its own call
  int overtakes;            // MPI gets it before an operation with a lower number
  uint64_t latency;         // largest delay in milliseconds
  uint64_t delay;           // delay so far in microseconds
  int is_in_journal;        // 1: the event log already has it
  MPI_Op op;
  MPI_Aint disp;
  struct mpipp_argument origin, compare, result, place;
  struct mpipp_cuts *cuts; // the parts into which it is split; NULL: it is passed as a whole
  int is_request;          // 1: a request-based form
  MPI_Request request;     // the generalized request that stands for it
};

// Returns whether a call starts an operation that can be deferred, and is valid.
int mpipp_perturb_can_be_deferred(const struct mpipp_call *call);
// Returns whether the procedure accumulates: MPI keeps the order of these operations (MPI-4.1,
// section 12.7.2).
int mpipp_perturb_accumulates(unsigned operation);
// Creates the deferred operation of a call. splits: 1 if it is to be split. Returns NULL without
// memory, or if no request is available.
struct mpipp_deferred_operation *mpipp_perturb_deferred_new(const struct mpipp_passage *passage,
                                                            int splits);
// Returns whether a call is a get that equals this deferred get. Executing both at once then has
// the same result.
int mpipp_perturb_is_repeated(const struct mpipp_deferred_operation *one,
                              const struct mpipp_passage *passage);
// Copies the data that is sent. Returns 0 if that is not possible.
int mpipp_perturb_deferred_copy(struct mpipp_deferred_operation *one);
// The program need not keep its buffer any longer: completes its request.
void mpipp_perturb_deferred_release(struct mpipp_deferred_operation *one);
// Passes the part with that number to MPI; -1: the whole operation. Returns MPI's code.
int mpipp_perturb_deferred_hand_over(const struct mpipp_deferred_operation *one, int cut);
void mpipp_perturb_deferred_free(struct mpipp_deferred_operation *one);

#endif
