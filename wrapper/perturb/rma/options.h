// SPDX-License-Identifier: MIT
// The options for perturbing one-sided operations. The seed chooses each option that the user does
// not set.
#ifndef MPIPP_PERTURB_RMA_OPTIONS_H
#define MPIPP_PERTURB_RMA_OPTIONS_H

enum mpipp_choice { MPIPP_BY_SEED = -1, MPIPP_NO, MPIPP_YES };
enum mpipp_sequence_of { // the order in which deferred operations are passed to MPI
  MPIPP_IN_ANY_ORDER,
  MPIPP_REVERSED,
  MPIPP_PUTS_FIRST,
  MPIPP_GETS_FIRST,
  MPIPP_IN_PROGRAM_ORDER,
};

struct mpipp_rules {
  int defer;    // operations wait for the call that must complete them
  int local;    // a call that completes an operation locally copies its data, and the operation
                // waits on
  int split;    // operations are split into elements or bytes
  long parts;   // largest number of parts; 0: as split_operation.c decides
  int order;    // enum mpipp_sequence_of, or MPIPP_BY_SEED
  int flush;    // a flush follows each operation, so that MPI keeps the order
  int show;     // the order is printed on the standard error
  long latency; // largest delay before each operation in milliseconds, or MPIPP_BY_SEED
};
extern struct mpipp_rules mpipp_perturb_rules __attribute__((visibility("hidden")));

// Reads the options, for example "SEED,order=reverse,split=yes". mpipp/cli/commands/run/perturb.py
// has checked the text.
void mpipp_perturb_rules_open(const char *text);
// Returns the user's choice, or else a random one: yes in `in_16` cases of 16.
int mpipp_perturb_choose(int choice, unsigned in_16);

#endif
