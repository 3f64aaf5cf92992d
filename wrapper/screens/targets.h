// SPDX-License-Identifier: MIT
// Operations on windows like one that was found to be right: loops make the same again and again,
// but for where they reach to.
#ifndef MPIPP_TARGETS_H
#define MPIPP_TARGETS_H

#include "records/records.h"

// Whether it is one of predefined datatypes that lies in its window, by one of this place, to the
// same target, whose memory of its own is the same: then so does what is between two such.
int mpipp_is_target_known(const struct mpipp_call *call, const struct mpipp_object *win);
// An operation is found to be right.
void mpipp_know_target(const struct mpipp_call *call, const struct mpipp_object *win);

#endif
