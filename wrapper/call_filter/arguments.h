// SPDX-License-Identifier: MIT
// Arguments of calls beside buffers and ranks: a constructor's, and those that have names.
#ifndef MPIPP_CALL_FILTER_ARGUMENTS_H
#define MPIPP_CALL_FILTER_ARGUMENTS_H

#include "call_filter/buffer_bounds.h"
#include "call_filter/integer_arguments.h"

// Whether a constructor's numbers are ones that the standard allows.
int mpipp_filter_has_fine_numbers(const struct mpipp_call *call);

// Whether further arguments are certain to be fine: live objects, and numbers that are not checked.
int mpipp_filter_has_fine_arguments(const struct mpipp_call *call);

// Adds what is given; of a handle what is known of its object.
void mpipp_filter_doubt_inputs(const struct mpipp_call *call, struct mpipp_doubt *doubt);

// The kind of object that an argument of that name is; MPIPP_KINDS if it is none.
enum mpipp_kind mpipp_filter_kind_named(uint64_t name);

// The number of an argument's values: also of arrays of whose length only others tell.
int64_t mpipp_filter_input_count(const struct mpipp_call *call, uint32_t index);

// Whether a request is of an operation that goes on there, and not on one that had its handle.
typedef int mpipp_is_on(const struct mpipp_request *request, uint64_t handle);
mpipp_is_on mpipp_filter_is_pending_on; // a communicator
mpipp_is_on mpipp_filter_is_on_file;
int mpipp_filter_has_any(mpipp_is_on *is_on, uint64_t handle);
// Whether all that is nonblocking on its file must be complete before the call.
int mpipp_filter_ends_on_file(const struct mpipp_call *call);

// The handle of the file that a call is collective over, which MPI_File_close gives as an argument.
uint64_t mpipp_filter_file_of(const struct mpipp_call *call);

#endif
