// SPDX-License-Identifier: MIT
// Passes a call through the hooks; only for this library's own use.
#ifndef MPIPP_INTERCEPT_HOOK_CHAIN_H
#define MPIPP_INTERCEPT_HOOK_CHAIN_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "registry/object_store.h"

// Returns whether the call has to pass hooks other than the call filter, which needs no passage. If
// not, the call has been filtered when this function returns.
int mpipp_intercept_is_hooked(struct mpipp_thread *thread);
// Called after MPI has returned, if the call has a passage, or the filter has to see its return.
int mpipp_intercept_note_return(struct mpipp_thread *thread, int code);
// Lets the hooks enter. results: the addresses where the call stores its results; NULL if it has
// none. Returns the passage; `over` is set if a hook has taken the call over.
struct mpipp_passage *mpipp_intercept_enter_hooks(struct mpipp_thread *thread,
                                                  const struct mpipp_passage *results);
int mpipp_intercept_leave_hooks(struct mpipp_thread *thread, int code) MPIPP_COLD;
// The thread has left the call without a return: no hook leaves.
void mpipp_intercept_drop_passage(struct mpipp_thread *thread);

// The addresses that MPI gets if there are hooks: of the buffer in that role, and for the statuses.
uint64_t mpipp_intercept_passed_address(const struct mpipp_passage *passage, unsigned role,
                                        uint64_t address);
MPI_Status *mpipp_intercept_passed_status(const struct mpipp_passage *passage, MPI_Status *status);

#endif
