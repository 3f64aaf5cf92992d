// SPDX-License-Identifier: MIT
// A call's way past the hooks, for this library's own use.
#ifndef MPIPP_INTERCEPT_HOOK_CHAIN_H
#define MPIPP_INTERCEPT_HOOK_CHAIN_H

#include "abi/vendor.h"
#include "intercept/hooks.h"
#include "registry/object_store.h"

// Whether there are hooks beside the screens, which are not worth a passage: else the call has been
// screened when this returns.
int mpipp_intercept_is_hooked(struct mpipp_thread *thread);
// The call has a passage, or the screens want to see it return.
int mpipp_intercept_returned(struct mpipp_thread *thread, int code);
// The hooks enter. results: where the call stores what it gives out, NULL: nothing. Returns the
// passage, with `over` set if a hook has taken the call over.
struct mpipp_passage *mpipp_intercept_enter_hooked(struct mpipp_thread *thread,
                                                   const struct mpipp_passage *results);
int mpipp_intercept_leave_hooked(struct mpipp_thread *thread, int code) MPIPP_COLD;
// Of a call that was left without a return: no hook leaves.
void mpipp_intercept_drop_passage(struct mpipp_thread *thread);

// What MPI is given with hooks: the address of the buffer in that role, and where to store
// statuses.
uint64_t mpipp_intercept_passed_address(const struct mpipp_passage *passage, unsigned role,
                                        uint64_t address);
MPI_Status *mpipp_intercept_passed_status(const struct mpipp_passage *passage, MPI_Status *status);

#endif
