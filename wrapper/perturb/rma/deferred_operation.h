// SPDX-License-Identifier: MIT
// A one-sided operation that MPI has not been given yet.
#ifndef MPIPP_PERTURB_RMA_DEFERRED_OPERATION_H
#define MPIPP_PERTURB_RMA_DEFERRED_OPERATION_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "perturb/rma/operation_ids.h"
#include "perturb/rma/split_operation.h"
#include "perturb/statistics.h"

// An argument: `count` entries of a type, which is kept, whatever the program does to it.
struct mpipp_argument {
  const void *address;
  int count;
  MPI_Datatype type;
  int is_kept;       // to be freed
  int64_t low, span; // of the bytes that it uses, from the address
  void *copy;        // of these, once the program may change them
};

struct mpipp_deferred {
  struct mpipp_deferred *next; // on all windows, in the program's order
  struct mpipp_at at;
  uint64_t win;    // handle
  uint32_t number; // among those that wait, from 1
  struct mpipp_identity identity;
  uint64_t chance;          // chosen by the seed: with it others, in whatever number, are not
  int target;               // rank
  unsigned operation;       // MPIPP_PROC_Put, MPIPP_PROC_Get ...
  int fetches, accumulates; // it gives something to the program, is ordered
  int is_chosen;            // to be handed over now
  int is_at_once;           // ... in its own call
  int overtakes;            // it is handed over before one with a lower number
  uint64_t latency;         // milliseconds at most
  uint64_t delay;           // microseconds that it was
  int is_in_journal;        // that it is
  MPI_Op op;
  MPI_Aint disp;
  struct mpipp_argument origin, compare, result, place;
  struct mpipp_cuts *cuts; // NULL: it is handed over as it is
  int is_request;          // of a request-based form
  MPI_Request request;     // what stands for it
};

// Whether a call starts an operation that can be put off: nothing is wrong with it.
int mpipp_perturb_can_be_deferred(const struct mpipp_call *call);
// Whether it is an accumulate, or its like: MPI keeps their order (MPI-4.1, section 12.7.2).
int mpipp_perturb_accumulates(unsigned operation);
// NULL: no memory, or no request to be had. splits: to be cut.
struct mpipp_deferred *mpipp_perturb_deferred_new(const struct mpipp_passage *passage, int splits);
// Whether a call is a get like this one, which waits: that both are done at once is as good.
int mpipp_perturb_is_repeated(const struct mpipp_deferred *one,
                              const struct mpipp_passage *passage);
// Keeps what is to be sent; returns 0 if that cannot be.
int mpipp_perturb_deferred_copy(struct mpipp_deferred *one);
// The program need not keep its buffer any longer; its request is complete.
void mpipp_perturb_deferred_let_go(struct mpipp_deferred *one);
// Gives MPI the cut with that number, -1: all of it. Returns MPI's code.
int mpipp_perturb_deferred_hand_over(const struct mpipp_deferred *one, int cut);
void mpipp_perturb_deferred_free(struct mpipp_deferred *one);

#endif
