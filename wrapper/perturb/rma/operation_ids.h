// SPDX-License-Identifier: MIT
// Names of one-sided operations, equal in each run of a program: the place that makes the call, and
// the ordinal of the call there.
#ifndef MPIPP_PERTURB_RMA_OPERATION_IDS_H
#define MPIPP_PERTURB_RMA_OPERATION_IDS_H

#include <stdint.h>

#include "intercept/hooks.h"

// The place and the ordinal of an operation; both begin at 1. place is 0 if there are too many
// places.
struct mpipp_identity {
  uint32_t place; // ordinal among the places with such operations, in the order of their first
                  // calls
  uint32_t time;  // ordinal of the call at that place
};

// Reads the selected operations from a text
// "...,only=RANK:PLACE.TIME+RANK:PLACE.TIME-TIME+...,...". Without `only`, all are selected.
void mpipp_perturb_identities_open(const char *text);
// The name of a call that starts an operation. Consecutive equal gets have one name, because their
// number depends on timing. The caller must prevent concurrent calls.
struct mpipp_identity mpipp_perturb_identify(const struct mpipp_passage *passage);
// The name of a call that completes operations. These calls have places and ordinals of their own.
struct mpipp_identity mpipp_perturb_identify_call(const struct mpipp_call *call);
// Gives the next operation a new identity, even if it equals the last operation.
void mpipp_perturb_identities_separate(void);
// Returns whether an operation is selected for perturbation.
int mpipp_perturb_is_selected(struct mpipp_identity identity);

#endif
