// SPDX-License-Identifier: MIT
// The single interface that every recorded call passes: the hooks enter, MPI is called, the hooks
// leave.
//
// Code that observes or changes calls adds a hook; docs/reference/hooks.md has an example of most
// actions of a hook. Without a hook the interface costs one predictable branch.
#ifndef MPIPP_INTERCEPT_HOOKS_H
#define MPIPP_INTERCEPT_HOOKS_H

#include "abi/seam.h"
#include "registry/object_events.h"
#include "registry/records.h"

struct mpipp_hook;

// A call on its way. Hooks change only the members here.
struct mpipp_passage {
  // The call, decoded; a request that it makes keeps a copy.
  const struct mpipp_call *call;
  // The addresses that MPI gets for call->buffers[i]; the call itself keeps the program's. To be
  // changed in enter, for this call only.
  uint64_t addresses[MPIPP_MAX_BUFFERS];
  // The memory that MPI gets for a window (MPI_Win_create), likewise.
  void *base;
  // Where the call stores its results, NULL if it has no such argument. Request handles are at
  // call->requests.
  void *handle;     // an object's that it makes or ends; as the argument's type says
  uint32_t kind;    // enum mpipp_kind: of that object
  int32_t statuses; // number of MPI_Status; in an array there is one for each request
  void *status;     // the first of them; there even if the program ignores it, if MPI can use it
  int *flag;        // of MPI_Test and similar calls
  int *index;       // of MPI_Waitany and similar calls; an array for MPI_Waitsome
  int *outcount;    // of MPI_Waitsome and similar calls
  // The code that the program gets: MPI's, or that of the hook that took the call over.
  int code;
  // MPI's error class if the call filter has found an error, and the call must not be made. By
  // collective_precheck/ it is set in all processes of a blocking collective call.
  int refused;
  // The interface's own.
  uint32_t over, own_statuses;
  uint64_t room[6];
  struct mpipp_hook *last;
};

// The result of enter.
enum mpipp_verdict {
  MPIPP_GO_ON, // the next hook, then MPI
  // MPI is not called. The hook has done what the call does, or will do it. The call takes part in
  // the matching of messages and collective calls in its turn.
  MPIPP_DONE,
  MPIPP_DROPPED, // MPI is not called, and the call takes no part in the matching
};

struct mpipp_event {
  enum mpipp_event_kind kind;
  // The record, which begins a struct mpipp_datatype, mpipp_request ... by object->kind. Its kind
  // and serial distinguish it from others. For a request it is a copy, complete until event
  // returns.
  const struct mpipp_object *object;
  const struct mpipp_call *call; // in which it happens
  const void *status;            // MPI_Status of a completed operation, NULL if there is none
};

// A hook: any of its functions may be NULL. They run on the program's thread, hold no lock, and may
// call MPI, under either name. Calls by MPI and hooks do not pass the interface, and are not
// recorded.
struct mpipp_hook {
  int (*enter)(struct mpipp_passage *passage); // enum mpipp_verdict
  void (*leave)(struct mpipp_passage *passage);
  void (*event)(const struct mpipp_event *event);
  // Returns whether it wants a call that is about to be made. A call that no hook wants passes
  // none. All hooks are asked once for each call. NULL: it wants all calls.
  int (*wants)(const struct mpipp_call *call);
  int deaf; // 1: it gets no events of requests
  // Low ones enter first and leave last, so that high ones are next to MPI; among equals, the one
  // that was added first. Only hooks that have entered leave.
  int order;
  // The interface's own.
  struct mpipp_hook *next, *previous;
};

// Add and remove hooks. Nothing is promised for calls that other threads are inside of at the time;
// a hook may remove itself. Its memory must stay.
MPIPP_SEAM void mpipp_hook_in(struct mpipp_hook *hook);
MPIPP_SEAM void mpipp_hook_out(struct mpipp_hook *hook);

// For parts of the wrapper: called before a procedure that is not recorded. It returns an error
// code if MPI must not see the call, else MPI_SUCCESS; NULL: there is none.
extern int (*mpipp_intercept_before_unrecorded)(unsigned procedure)
    MPIPP_SEAM_DATA(mpipp_intercept_before_unrecorded);
// Sets whether a hook gets events of requests from now on: without such hooks requests cost less.
MPIPP_SEAM void mpipp_intercept_hook_listen(struct mpipp_hook *hook, int hears);
// The first hook.
extern struct mpipp_hook *mpipp_intercept_hooks __attribute__((visibility("hidden")));
// The call filter's order (filter_hook.c), before all others, and whether it is the only hook.
#define MPIPP_FILTER_ORDER (-1000000000)
extern int mpipp_intercept_only_filter __attribute__((visibility("hidden")));

#endif
