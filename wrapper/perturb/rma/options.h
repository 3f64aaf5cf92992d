// SPDX-License-Identifier: MIT
// The options for perturbing one-sided operations: the user's choice, or else the seed's.
#ifndef MPIPP_PERTURB_RMA_OPTIONS_H
#define MPIPP_PERTURB_RMA_OPTIONS_H

enum mpipp_choice { MPIPP_BY_SEED = -1, MPIPP_NO, MPIPP_YES };
enum mpipp_sequence_of { // in what order operations are handed over
  MPIPP_IN_ANY_ORDER,
  MPIPP_REVERSED,
  MPIPP_PUTS_FIRST,
  MPIPP_GETS_FIRST,
  MPIPP_IN_PROGRAM_ORDER,
};

struct mpipp_rules {
  int defer;    // operations wait for what must complete them
  int local;    // at a local completion, the local data is copied, and the operation waits
  int split;    // into elements or bytes
  long parts;   // ... at most so many; 0: as many as split_operation.c says
  int order;    // enum mpipp_sequence_of, or MPIPP_BY_SEED
  int flush;    // after each, so that the order is kept
  int show;     // tell in what order, on the standard error
  long latency; // at most so many milliseconds before each, or MPIPP_BY_SEED
};
extern struct mpipp_rules mpipp_perturb_rules __attribute__((visibility("hidden")));

// "SEED,order=reverse,split=yes": what mpipp/cli/commands/run/perturb.py has found to be right.
void mpipp_perturb_rules_open(const char *text);
// A choice, made by the seed where the user has not: then yes in so many cases of 16.
int mpipp_perturb_choose(int choice, unsigned in_16);

#endif
