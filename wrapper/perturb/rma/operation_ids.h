// SPDX-License-Identifier: MIT
// One-sided operations as a schedule names them, from run to run of a program: the place that
// calls, and how often it has.
#ifndef MPIPP_PERTURB_RMA_OPERATION_IDS_H
#define MPIPP_PERTURB_RMA_OPERATION_IDS_H

#include <stdint.h>

#include "intercept/hooks.h"

// Both from 1; a place of 0: there are too many.
struct mpipp_identity {
  uint32_t place; // among those that call such operations, as the process comes to them
  uint32_t time;  // there
};

// text: "...,only=RANK:PLACE.TIME+RANK:PLACE.TIME-TIME+...,...": the only ones that are provoked.
void mpipp_perturb_identities_open(const char *text);
// Of a call that starts an operation; gets that are alike, with nothing between, have one. Calls
// are not to be made at the same time.
struct mpipp_identity mpipp_perturb_identify(const struct mpipp_passage *passage);
// Of a call that completes some, among those.
struct mpipp_identity mpipp_perturb_identify_call(const struct mpipp_call *call);
// What comes next is not to be taken for the same, though it is alike.
void mpipp_perturb_identities_part(void);
// Whether it is provoked.
int mpipp_perturb_is_meant(struct mpipp_identity identity);

#endif
