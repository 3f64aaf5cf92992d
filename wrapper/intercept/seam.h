// SPDX-License-Identifier: MIT
// The one seam every intercepted call passes: enter with its decoded record, then MPI, then leave.
//
// A module that wants to see or steer calls sets mpipp_hook, before MPI is initialised or while no
// call is under way. With no hook set the seam costs one predictable branch.
//
//   enter  is called with the call decoded (procedure, buffers with roles, communicator, peer,
//          tag, root, op, requests, window: see struct mpipp_call) and before MPI sees it. It may
//          - observe;
//          - change call->buffers[i].address: MPI is then given that address (the caller's
//            variables are untouched, and the change is for this call only);
//          - take the call over: store the return code and return 1. MPI is not called. Every
//            argument of a one-sided call is in the record, so it can be issued later through
//            mpipp_procedure(0, call->procedure). To report an error the hook calls the
//            communicator's, window's or file's error handler (PMPI_Comm_call_errhandler ...) and
//            returns what that returns.
//   leave  is called after MPI returned, or after enter took the call over, with the return code,
//          and returns the code the application gets. For a nonblocking call the request handle
//          is at call->requests by then.
//
// Hooks run on the application's thread, hold no lock, and may call PMPI procedures. What MPI
// calls while it is inside a call (callbacks of the application included) does not pass the seam.
#ifndef MPIPP_SEAM_H
#define MPIPP_SEAM_H

#include "records/records.h"

struct mpipp_hook {
  int (*enter)(struct mpipp_call *call, int *code);
  int (*leave)(struct mpipp_call *call, int code);
};

// NULL: nothing hooked in. Exported; what is not linked into this library finds it with dlsym.
extern const struct mpipp_hook *mpipp_hook;
// The same variable, reached without the global offset table.
extern const struct mpipp_hook *mpipp_hooked __attribute__((visibility("hidden")));

#endif
