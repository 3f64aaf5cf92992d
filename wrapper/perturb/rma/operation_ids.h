// SPDX-License-Identifier: MIT
// The names of one-sided operations in a schedule, equal in each run of a program: the place that
// calls, and how often it has.
#ifndef MPIPP_PERTURB_RMA_OPERATION_IDS_H
#define MPIPP_PERTURB_RMA_OPERATION_IDS_H

#include <stdint.h>

#include "intercept/hooks.h"

// Both from 1; a place of 0: there are too many.
struct mpipp_identity {
  uint32_t place; // among those that call such operations, in the order of their first calls
  uint32_t time;  // there
};

// text: "...,only=RANK:PLACE.TIME+RANK:PLACE.TIME-TIME+...,...": only these are perturbed.
void mpipp_perturb_identities_open(const char *text);
// The name of a call that starts an operation; consecutive equal gets share one. Calls must not be
// concurrent.
struct mpipp_identity mpipp_perturb_identify(const struct mpipp_passage *passage);
// The name of a call that completes operations, among such calls.
struct mpipp_identity mpipp_perturb_identify_call(const struct mpipp_call *call);
// The next operation gets a new name, even if it is equal.
void mpipp_perturb_identities_separate(void);
// Returns whether it is perturbed.
int mpipp_perturb_is_selected(struct mpipp_identity identity);

#endif
