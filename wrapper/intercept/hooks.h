// SPDX-License-Identifier: MIT
// The one seam every recorded call passes: the hooks enter, MPI is called, the hooks leave.
//
// What wants to see or steer calls hooks itself in; docs/extending.md has an example of most
// that a hook may do. With no hook the seam costs one predictable branch.
#ifndef MPIPP_INTERCEPT_HOOKS_H
#define MPIPP_INTERCEPT_HOOKS_H

#include "registry/object_events.h"
#include "registry/records.h"

struct mpipp_hook;

// A call on its way. Hooks change what is said here, and nothing else.
struct mpipp_passage {
  // The call, decoded; a request that it makes keeps a copy.
  const struct mpipp_call *call;
  // What MPI is given as the address of call->buffers[i]; the call itself keeps the program's.
  // To be changed in enter, for this call only.
  uint64_t addresses[MPIPP_MAX_BUFFERS];
  // What MPI is given as memory for a window (MPI_Win_create), likewise.
  void *base;
  // Where the call stores what it gives out, NULL where it has no such argument. Request handles
  // are at call->requests.
  void *handle;     // an object's that it makes or ends; as the argument's type says
  uint32_t kind;    // enum mpipp_kind: of that object
  int32_t statuses; // how many MPI_Status there are, room for one each request in an array
  void *status;     // the first of them; there even if the program ignores it, if MPI can use it
  int *flag;        // MPI_Test and its like
  int *index;       // MPI_Waitany and its like; of MPI_Waitsome and its like an array
  int *outcount;    // of those
  // What the program gets: MPI's return code, or that of the hook that took the call over.
  int code;
  // MPI's error class if the screens have found the call wrong, and it is not to be made: by
  // collective_precheck/, in all processes of a blocking collective call.
  int refused;
  // The seam's own.
  uint32_t over, own_statuses;
  uint64_t room[6];
  struct mpipp_hook *last;
};

// What enter says.
enum mpipp_verdict {
  MPIPP_GO_ON, // the next hook, then MPI
  // MPI is not called. The hook has done what the call does, or will do it: it takes part in the
  // matching of messages and collective calls in its turn.
  MPIPP_DONE,
  MPIPP_DROPPED, // MPI is not called, and the call takes no part in the matching
};

struct mpipp_event {
  enum mpipp_event_kind kind;
  // The record, which begins a struct mpipp_datatype, mpipp_request ... by object->kind, and is
  // told from others by its kind and serial. Of a request a copy, whole until event returns.
  const struct mpipp_object *object;
  const struct mpipp_call *call; // in which it happens
  const void *status;            // MPI_Status of a completed operation, NULL if there is none
};

// A hook: any of its functions may be NULL. They run on the program's thread, hold no lock, and may
// call MPI, under either name; what MPI and hooks call does not pass the seam, and is not recorded.
struct mpipp_hook {
  int (*enter)(struct mpipp_passage *passage); // enum mpipp_verdict
  void (*leave)(struct mpipp_passage *passage);
  void (*event)(const struct mpipp_event *event);
  // Whether it wants a call that is about to be made: one that no hook wants passes none. Of each
  // call all are asked, once. NULL: it wants them all.
  int (*wants)(const struct mpipp_call *call);
  int deaf; // 1: it is not told of requests
  // Low ones enter first and leave last, so that high ones are next to MPI; among equals, the one
  // that was hooked in first. Only hooks that have entered leave.
  int order;
  // The seam's own.
  struct mpipp_hook *next, *previous;
};

// Hooks in, and out again. For calls that other threads are inside of at the time, nothing is
// promised; a hook may take itself out. Its memory must stay. Exported.
void mpipp_hook_in(struct mpipp_hook *hook);
void mpipp_hook_out(struct mpipp_hook *hook);

// Within this library: called before a procedure that is not recorded, whose code it returns if MPI
// is not to see the call, else MPI_SUCCESS; NULL: nobody wants it.
extern int (*mpipp_intercept_before_marked)(unsigned procedure)
    __attribute__((visibility("hidden")));
// Whether a hook is told of requests from now on: what nobody is told of is done faster.
void mpipp_intercept_hook_hears(struct mpipp_hook *hook, int hears)
    __attribute__((visibility("hidden")));
// The first hook.
extern struct mpipp_hook *mpipp_intercept_hooks __attribute__((visibility("hidden")));
// The screens' order (filter_hook.c), before all others, and whether they are the only hook.
#define MPIPP_SCREENS_ORDER (-1000000000)
extern int mpipp_intercept_only_screens __attribute__((visibility("hidden")));

#endif
