// SPDX-License-Identifier: MIT
// Arguments of calls beside buffers and ranks: a constructor's, and those that have names.
#ifndef MPIPP_CALL_FILTER_ARGUMENTS_H
#define MPIPP_CALL_FILTER_ARGUMENTS_H

#include "call_filter/buffer_bounds.h"
#include "call_filter/integer_arguments.h"

// Returns whether the standard allows the numbers in a constructor's arguments.
int mpipp_filter_has_fine_numbers(const struct mpipp_call *call);

// Returns whether further arguments are certain to be valid: live objects, and numbers without
// rules.
int mpipp_filter_has_fine_arguments(const struct mpipp_call *call);

// Adds the arguments; for a handle the facts on its object.
void mpipp_filter_doubt_inputs(const struct mpipp_call *call, struct mpipp_doubt *doubt);

// The kind of object that an argument of that name is; MPIPP_KINDS if it is none.
enum mpipp_kind mpipp_filter_kind_of_name(uint64_t name);

// The number of an argument's values: also for arrays whose length follows from other arguments.
int64_t mpipp_filter_input_count(const struct mpipp_call *call, uint32_t index);

// Returns whether a request has an active operation on the object, and not on one that had its
// handle before.
typedef int mpipp_is_on(const struct mpipp_request *request, uint64_t handle);
mpipp_is_on mpipp_filter_is_pending_on; // a communicator
mpipp_is_on mpipp_filter_is_on_file;
int mpipp_filter_has_any(mpipp_is_on *is_on, uint64_t handle);
// Returns whether all nonblocking operations on its file must be complete before the call.
int mpipp_filter_ends_on_file(const struct mpipp_call *call);

// The handle of the file that a call is collective over, which MPI_File_close passes as an
// argument.
uint64_t mpipp_filter_file_of(const struct mpipp_call *call);

#endif
