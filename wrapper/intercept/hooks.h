// SPDX-License-Identifier: MIT
// The hook interface, which every recorded call passes: the hooks enter, MPI is called, the hooks
// leave.
//
// Code that observes or changes calls adds a hook; docs/reference/hooks.md has an example for most
// actions of a hook. Without a hook, the interface costs one predictable branch.
#ifndef MPIPP_INTERCEPT_HOOKS_H
#define MPIPP_INTERCEPT_HOOKS_H

#include "abi/seam.h"
#include "registry/object_events.h"
#include "registry/records.h"

struct mpipp_hook;

// A call on its way through the hooks. Hooks may change only the members of this struct.
struct mpipp_passage {
  // The call, decoded. A request that it creates keeps a copy.
  const struct mpipp_call *call;
  // The addresses that MPI gets for call->buffers[i]; the call itself keeps the program's. A hook
  // may change them in `enter`, for this call only.
  uint64_t addresses[MPIPP_MAX_BUFFERS];
  // The memory that MPI_Win_create passes to MPI; a hook may change it in `enter`.
  void *base;
  // The addresses where the call stores its results; NULL if it has no such argument. Request
  // handles are at call->requests.
  void *handle;     // the object that the call creates or frees, with the type of the argument
  uint32_t kind;    // enum mpipp_kind: the kind of that object
  int32_t statuses; // number of MPI_Status; in an array there is one for each request
  void *status;     // the first status. It exists even if the program ignores statuses, provided
                    // that MPI can store one
  int *flag;        // the flag argument of MPI_Test and similar calls
  int *index;    // the index argument of MPI_Waitany and similar calls; an array for MPI_Waitsome
  int *outcount; // the outcount argument of MPI_Waitsome and similar calls
  // The code that the program gets: from MPI, or from the hook that took the call over.
  int code;
  // If it is not 0, the call must not be made: the call filter has found an error, and this is
  // MPI's error class. For a blocking collective call, collective_precheck/ sets it in all
  // processes.
  int refused;
  // Private members of the interface.
  uint32_t over, own_statuses;
  uint64_t room[6];
  struct mpipp_hook *last;
};

// The result of `enter`.
enum mpipp_verdict {
  MPIPP_GO_ON, // continue with the next hook, then MPI
  // MPI is not called: the hook has done the call's work, or will do it. The call still takes part
  // in the matching of messages and collective calls, in its order.
  MPIPP_DONE,
  MPIPP_DROPPED, // MPI is not called, and the call takes no part in the matching
};

struct mpipp_event {
  enum mpipp_event_kind kind;
  // The record of the object. Depending on object->kind, it is the first member of a struct
  // mpipp_datatype, mpipp_request and so on. Kind and serial identify it. A request is passed as a
  // copy, which is complete until `event` returns.
  const struct mpipp_object *object;
  const struct mpipp_call *call; // the call in which the event happens
  const void *status;            // the MPI_Status of a completed operation; NULL if there is none
};

// A hook. Any of its functions may be NULL. A hook's functions run on the program's thread, hold no
// lock, and may call MPI by MPI_ and PMPI_ names. Calls that MPI and hooks make do not pass the
// interface, and are not recorded.
struct mpipp_hook {
  int (*enter)(struct mpipp_passage *passage); // called before MPI; returns an enum mpipp_verdict
  void (*leave)(struct mpipp_passage *passage);
  void (*event)(const struct mpipp_event *event);
  // Returns whether the hook wants to see a call that is about to be made. If no hook wants it, the
  // call passes none. All hooks are asked once for each call. NULL: the hook wants all calls.
  int (*wants)(const struct mpipp_call *call);
  int deaf; // 1: the hook gets no events of requests
  // Hooks with a low order enter first and leave last, so those with a high order are next to MPI.
  // Among equal orders, the hook that was added first enters first. Only hooks that have entered
  // leave.
  int order;
  // Private members of the interface.
  struct mpipp_hook *next, *previous;
};

// Add and remove a hook, whose memory must stay allocated. It is undefined whether calls that other
// threads are inside of at the time pass it. A hook may remove itself.
MPIPP_SEAM void mpipp_hook_in(struct mpipp_hook *hook);
MPIPP_SEAM void mpipp_hook_out(struct mpipp_hook *hook);

// A function that parts of the wrapper may set. The function is called before a procedure that is
// not recorded. It returns an error code if MPI must not see the call, else MPI_SUCCESS.
extern int (*mpipp_intercept_before_unrecorded)(unsigned procedure)
    MPIPP_SEAM_DATA(mpipp_intercept_before_unrecorded);
// Sets whether a hook gets events of requests from now on. Without hooks that do, requests cost
// less.
MPIPP_SEAM void mpipp_intercept_hook_listen(struct mpipp_hook *hook, int hears);
// The first hook in the list.
extern struct mpipp_hook *mpipp_intercept_hooks __attribute__((visibility("hidden")));
// The order of the call filter (filter_hook.c), which enters before all others; and whether it is
// the only hook.
#define MPIPP_FILTER_ORDER (-1000000000)
extern int mpipp_intercept_only_filter __attribute__((visibility("hidden")));

#endif
