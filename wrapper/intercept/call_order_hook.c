// SPDX-License-Identifier: MIT
// A hook that keeps the order of a process's first calls (recorder/matching/call_order.h). It
// removes itself after some thousand calls, so that later ones cost nothing, or when the order is
// not certain.
#include "intercept/call_order_hook.h"

#include <stddef.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "generated/facts.h"
#include "intercept/hooks.h"
#include "recorder/matching/call_order.h"
#include "recorder/matching/channels.h"
#include "recorder/threads/threads.h"

enum {
  ORDER = 950, // sees the program's own calls, before other hooks change them
  MOST_STEPS = 1 << 13,
  MOST_CALLS = 1 << 15, // including calls that are not steps
  STARTS = 1 << 10,     // capacity for pending operations; the ends of any others are not kept
};

static struct mpipp_hook hook;
static uint64_t calls, steps;
static const struct mpipp_thread *thread; // the only thread that calls MPI
static struct {
  uint64_t request, step; // serial of the request, number of the step
} starts[STARTS];

static void stop(void) {
  static int stopped = 0;
  if (!__atomic_exchange_n(&stopped, 1, __ATOMIC_RELAXED)) mpipp_hook_out(&hook);
  steps = MOST_STEPS;
}

static void cut(const struct mpipp_call *call) {
  if (steps < MOST_STEPS) mpipp_recorder_step(call, MPIPP_STEP_CUT, 0, 0, 0);
  stop();
}

// Notes a step. Returns its number; 0 if no more steps are kept.
static uint64_t step(const struct mpipp_call *call, unsigned kind, uint64_t distance,
                     uint64_t identity, uint64_t key) {
  if (steps + 1 >= MOST_STEPS) {
    cut(call);
    return 0;
  }
  uint64_t number = mpipp_recorder_step(call, kind, distance, identity, key);
  if (!number) stop();
  steps = number ? number : MOST_STEPS;
  return number;
}

static int needs_no_receive(uint32_t procedure) {
  switch (procedure) {
  case MPIPP_PROC_Bsend:
  case MPIPP_PROC_Bsend_c:
  case MPIPP_PROC_Ibsend:
  case MPIPP_PROC_Ibsend_c:
  case MPIPP_PROC_Bsend_init:
  case MPIPP_PROC_Bsend_init_c:
  case MPIPP_PROC_Rsend:
  case MPIPP_PROC_Rsend_c:
  case MPIPP_PROC_Irsend:
  case MPIPP_PROC_Irsend_c:
  case MPIPP_PROC_Rsend_init:
  case MPIPP_PROC_Rsend_init_c:
    return 1;
  default:
    return 0;
  }
}

static int is_synchronous(uint32_t procedure) {
  switch (procedure) {
  case MPIPP_PROC_Ssend:
  case MPIPP_PROC_Ssend_c:
  case MPIPP_PROC_Issend:
  case MPIPP_PROC_Issend_c:
  case MPIPP_PROC_Ssend_init:
  case MPIPP_PROC_Ssend_init_c:
    return 1;
  default:
    return 0;
  }
}

static unsigned mode(uint32_t procedure) {
  if (needs_no_receive(procedure)) return MPIPP_STEP_AT_ONCE;
  return is_synchronous(procedure) ? MPIPP_STEP_SYNCHRONOUS : 0;
}

// Notes the start of a message. status: of a call that waited for it. Returns the step's number; 0
// if there is none.
static uint64_t start_message(const struct mpipp_call *call, const struct mpipp_call *of,
                              uint64_t identity, unsigned waits, const MPI_Status *status) {
  int sends = (of->present & MPIPP_HAS_DEST) != 0 && of->dest != MPI_PROC_NULL;
  int receives = (of->present & MPIPP_HAS_SOURCE) != 0 && of->source != MPI_PROC_NULL;
  uint64_t number = 0;
  if (sends)
    number = step(call, MPIPP_STEP_SEND | mode(of->procedure) | (receives ? 0 : waits), 0, identity,
                  mpipp_channel_key((int)of->dest, (int)of->tag));
  if (!receives) return number;
  int source = (int)of->source;
  int tag = (int)(of->present & MPIPP_HAS_RECVTAG ? of->recvtag : of->tag);
  unsigned any = (source == MPI_ANY_SOURCE ? MPIPP_STEP_ANY_SOURCE : 0) |
                 (tag == MPI_ANY_TAG ? MPIPP_STEP_ANY_TAG : 0);
  if (any && status) {
    source = status->MPI_SOURCE;
    tag = status->MPI_TAG;
  }
  unsigned pair = number ? MPIPP_STEP_PAIR : 0;
  return step(call, MPIPP_STEP_RECEIVE | any | pair | waits, 0, identity,
              mpipp_channel_key(source, tag));
}

static unsigned waits_for_all(const struct mpipp_call *of) {
  // MPI_Comm_free is collective, but does not wait for other processes in any library.
  int local = mpipp_facts[of->procedure].flow == MPIPP_FLOW_EDGES ||
              of->procedure == MPIPP_PROC_Comm_free || of->procedure == MPIPP_PROC_Comm_disconnect;
  return local ? 0 : MPIPP_STEP_WAITS;
}

// Notes the start of an operation. Returns the step's number; 0 if there is none.
static uint64_t start_operation(const struct mpipp_call *call, const struct mpipp_call *of,
                                unsigned waits, const MPI_Status *status) {
  const struct mpipp_comm *comm =
      of->present & MPIPP_HAS_COMM ? mpipp_find_live(MPIPP_COMM, of->comm) : NULL;
  if (!comm || !comm->identity) return 0;
  if (of->present & (MPIPP_HAS_DEST | MPIPP_HAS_SOURCE))
    return start_message(call, of, comm->identity, waits, status);
  int is_collective = mpipp_facts[of->procedure].over == MPIPP_OVER_COMM && !comm->inter;
  if (!is_collective || !of->ordinal || of->ordinal & MPIPP_UNCERTAIN) return 0;
  unsigned kind = MPIPP_STEP_COLLECTIVE | (waits ? waits_for_all(of) : 0);
  return step(call, kind, 0, comm->identity, of->ordinal);
}

// takes: 1 for a matching probe, after which the message counts as received.
static void note_probe(const struct mpipp_passage *passage, unsigned waits, int takes) {
  const struct mpipp_call *call = passage->call;
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (!comm || !comm->identity || call->source == MPI_PROC_NULL) return;
  const MPI_Status *status = passage->status;
  unsigned any = (call->source == MPI_ANY_SOURCE ? MPIPP_STEP_ANY_SOURCE : 0) |
                 (call->tag == MPI_ANY_TAG ? MPIPP_STEP_ANY_TAG : 0);
  if (any && !status) return cut(call);
  int source = any ? status->MPI_SOURCE : (int)call->source;
  int tag = any ? status->MPI_TAG : (int)call->tag;
  uint64_t key = mpipp_channel_key(source, tag);
  step(call, MPIPP_STEP_PROBE | any | waits, 0, comm->identity, key);
  if (takes) step(call, MPIPP_STEP_RECEIVE | any, 0, comm->identity, key);
}

// Returns 0 if the order of calls is not certain: with several threads, or if the result of the
// procedure depends on other processes' timing.
static int has_order(const struct mpipp_call *call) {
  if (mpipp_recorder_self != thread || MPIPP_READ(mpipp_registry_several_threads)) return 0;
  switch (call->procedure) {
  case MPIPP_PROC_Cancel:
  case MPIPP_PROC_Fetch_and_op:
  case MPIPP_PROC_Compare_and_swap:
  case MPIPP_PROC_Get_accumulate:
  case MPIPP_PROC_Get_accumulate_c:
  case MPIPP_PROC_Rget_accumulate:
  case MPIPP_PROC_Rget_accumulate_c:
    return 0;
  default:
    return ++calls < MOST_CALLS;
  }
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (!thread) thread = mpipp_recorder_self;
  if (!has_order(call))
    cut(call);
  else if (call->procedure == MPIPP_PROC_Finalize)
    step(call, MPIPP_STEP_END, 0, 0, 0);
  return MPIPP_GO_ON;
}

static void leave(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (steps >= MOST_STEPS || call->procedure == MPIPP_PROC_Finalize) return;
  if (passage->code != MPI_SUCCESS) return cut(call);
  if (passage->flag && !*passage->flag) calls--; // count only the last of several polling calls
  switch (call->procedure) {
  case MPIPP_PROC_Probe:
    return note_probe(passage, MPIPP_STEP_WAITS, 0);
  case MPIPP_PROC_Iprobe:
    if (*passage->flag) note_probe(passage, 0, 0);
    return;
  case MPIPP_PROC_Mprobe:
    return note_probe(passage, MPIPP_STEP_WAITS, 1);
  case MPIPP_PROC_Improbe:
    if (*passage->flag) note_probe(passage, 0, 1);
    return;
  default:
    if (mpipp_facts[call->procedure].form == MPIPP_FORM_BLOCKING && call->present & MPIPP_HAS_COMM)
      start_operation(call, call, MPIPP_STEP_WAITS, passage->status);
  }
}

static void note_completion(const struct mpipp_event *event, uint64_t serial) {
  const struct mpipp_call *call = event->call;
  const struct mpipp_call *of = &((const struct mpipp_request *)(const void *)event->object)->call;
  uint64_t start = starts[serial % STARTS].step, key = 0;
  if (!start || starts[serial % STARTS].request != serial) return;
  starts[serial % STARTS].step = 0;
  const MPI_Status *status = event->status;
  if (status && of->present & MPIPP_HAS_SOURCE)
    key = mpipp_channel_key(status->MPI_SOURCE, status->MPI_TAG);
  int waits = call->procedure == MPIPP_PROC_Wait || call->procedure == MPIPP_PROC_Waitall;
  step(call, MPIPP_STEP_COMPLETED | (waits ? MPIPP_STEP_WAITS : 0), steps + 1 - start, 0, key);
}

static void event(const struct mpipp_event *event) {
  if (event->object->kind != MPIPP_REQUEST || steps >= MOST_STEPS) return;
  const struct mpipp_request *request = (const void *)event->object;
  const uint64_t serial = request->object.serial;
  const enum mpipp_form form = (enum mpipp_form)mpipp_facts[request->call.procedure].form;
  int is_collective = mpipp_facts[request->call.procedure].over != MPIPP_OVER_NONE;
  if (event->kind == MPIPP_EVENT_COMPLETED) return note_completion(event, serial);
  int begins =
      (event->kind == MPIPP_EVENT_MADE && form == MPIPP_FORM_NONBLOCKING) ||
      (event->kind == MPIPP_EVENT_STARTED && form == MPIPP_FORM_PERSISTENT && !is_collective);
  if (!begins) return;
  starts[serial % STARTS].request = serial;
  starts[serial % STARTS].step = start_operation(event->call, &request->call, 0, NULL);
}

static struct mpipp_hook hook = {.enter = enter, .leave = leave, .event = event, .order = ORDER};

void mpipp_intercept_call_order_open(void) {
  if (getenv("MPIPP_CALL_ORDER")) mpipp_hook_in(&hook);
}
