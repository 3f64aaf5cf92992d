// SPDX-License-Identifier: MIT
// Operations on windows like one that was found to be right: loops make the same again and again,
// but for where they reach to.
#ifndef MPIPP_CALL_FILTER_RMA_TARGET_CACHE_H
#define MPIPP_CALL_FILTER_RMA_TARGET_CACHE_H

#include "registry/records.h"

enum { MPIPP_TARGETS = 8 }; // that a thread knows

// Which of them that operation is like which this thread is in, from 0 on; -1: none. `number` is
// another for each that comes in its place.
int mpipp_filter_target_of(const struct mpipp_call *call, uint64_t *number);

// Whether it is like one of its place that was found to be right, of predefined datatypes: with the
// same target and the same memory of its own, and at a displacement between two of such.
int mpipp_filter_is_target_known(const struct mpipp_call *call, const struct mpipp_object *win);
// An operation is found to be right.
void mpipp_filter_know_target(const struct mpipp_call *call, const struct mpipp_object *win);

#endif
