// SPDX-License-Identifier: MIT
// The way of a call through the hooks, for this library's own use.
#ifndef MPIPP_INTERCEPT_HOOK_CHAIN_H
#define MPIPP_INTERCEPT_HOOK_CHAIN_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "registry/object_store.h"

// Returns whether there are hooks other than the call filter, which needs no passage. If not, the
// call has been filtered when this returns.
int mpipp_intercept_is_hooked(struct mpipp_thread *thread);
// The call has a passage, or the filter has to see its return.
int mpipp_intercept_note_return(struct mpipp_thread *thread, int code);
// The hooks enter. results: where the call stores its results, NULL: nowhere. Returns the passage,
// with `over` set if a hook has taken the call over.
struct mpipp_passage *mpipp_intercept_enter_hooks(struct mpipp_thread *thread,
                                                  const struct mpipp_passage *results);
int mpipp_intercept_leave_hooks(struct mpipp_thread *thread, int code) MPIPP_COLD;
// The call was left without a return: no hook leaves.
void mpipp_intercept_drop_passage(struct mpipp_thread *thread);

// The arguments that MPI gets with hooks: the address of the buffer in that role, and the address
// for statuses.
uint64_t mpipp_intercept_passed_address(const struct mpipp_passage *passage, unsigned role,
                                        uint64_t address);
MPI_Status *mpipp_intercept_passed_status(const struct mpipp_passage *passage, MPI_Status *status);

#endif
