// SPDX-License-Identifier: MIT
// Checks arguments other than buffers and ranks: those of datatype constructors, and named ones.
#ifndef MPIPP_CALL_FILTER_ARGUMENTS_H
#define MPIPP_CALL_FILTER_ARGUMENTS_H

#include "call_filter/buffer_bounds.h"
#include "call_filter/integer_arguments.h"

// Returns whether the standard allows the numbers in a datatype constructor's arguments.
int mpipp_filter_has_fine_numbers(const struct mpipp_call *call);

// Returns whether the named arguments are certain to be valid: live objects, and numbers without
// rules.
int mpipp_filter_has_fine_arguments(const struct mpipp_call *call);

// Adds the arguments to a doubt; for a handle, the facts on its object.
void mpipp_filter_doubt_inputs(const struct mpipp_call *call, struct mpipp_doubt *doubt);

// The kind of object that an argument with this name is; MPIPP_KINDS if it is none.
enum mpipp_kind mpipp_filter_kind_of_name(uint64_t name);

// The number of values of an argument, also for an array whose length follows from other arguments.
int64_t mpipp_filter_input_count(const struct mpipp_call *call, uint32_t index);

// A test whether a request has an active operation on an object: not on an older object with the
// same handle.
typedef int mpipp_is_on(const struct mpipp_request *request, uint64_t handle);
mpipp_is_on mpipp_filter_is_pending_on; // the object is a communicator
mpipp_is_on mpipp_filter_is_on_file;
int mpipp_filter_has_any(mpipp_is_on *is_on, uint64_t handle);
// Returns whether all nonblocking operations on a file must be complete before the call on it.
int mpipp_filter_ends_on_file(const struct mpipp_call *call);

// The handle of the file that a call is collective over. MPI_File_close has the handle as a named
// argument.
uint64_t mpipp_filter_file_of(const struct mpipp_call *call);

#endif
