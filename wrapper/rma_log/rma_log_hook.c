// SPDX-License-Identifier: MIT
// A hook that logs operations on windows, and events that order them, in runs with `--check=rma`.
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "generated/facts.h"
#include "registry/object_store.h"
#include "rma_log/accesses.h"
#include "rma_log/atomic_values.h"
#include "rma_log/entry_builder.h"
#include "rma_log/freed_memory.h"
#include "rma_log/log.h"
#include "rma_log/other_worlds.h"
#include "rma_log/shared_segments.h"
#include "rma_log/window_references.h"

enum { ORDER = 900 }; // sees the program's own buffers, and gets events after other hooks

static int is_off = 0;
// The serial of the message that the thread's call receives.
static __thread uint64_t message __attribute__((tls_model("initial-exec")));
// The number of entries in the log when the thread's call began.
static __thread uint64_t began __attribute__((tls_model("initial-exec")));

static int is_operation(const struct mpipp_call *call) {
  const uint32_t has = MPIPP_HAS_WIN | MPIPP_HAS_TARGET_RANK;
  return (call->present & has) == has && call->buffer_count > 0;
}

static int marks_ready(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Pready || call->procedure == MPIPP_PROC_Pready_range ||
         call->procedure == MPIPP_PROC_Pready_list;
}

// A message that a matching probe took. NULL for MPI_MESSAGE_NO_PROC, which no process has sent.
static const struct mpipp_message *sent_message(uint64_t handle) {
  const struct mpipp_message *found = mpipp_find_live(MPIPP_MESSAGE, handle);
  return found && !(found->object.flags & MPIPP_FLAG_PREDEFINED) ? found : NULL;
}

// Logs that the request of an active operation on a window is about to be freed. This is an error,
// in which MPI may end the process. If several operations share the handle, nothing is logged.
static void log_early_free(const struct mpipp_call *call) {
  const MPI_Request *handle = (const MPI_Request *)(uintptr_t)call->requests;
  const struct mpipp_request *request =
      handle ? mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(*handle)) : NULL;
  if (request && !request->newer && is_operation(&request->call))
    mpipp_rma_log_request_free(call, request);
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  message = 0;
  if (MPIPP_READ(is_off)) return MPIPP_GO_ON;
  began = mpipp_rma_log_count();
  // Logged before MPI may find the error and end the process.
  if (call->present & MPIPP_HAS_WIN) {
    if (!is_operation(call))
      mpipp_rma_log_attempt(call, call->win);
    else if (!(call->present & MPIPP_HAS_REQUESTS))
      mpipp_rma_log_operation(call, 0);
    return MPIPP_GO_ON;
  }
  if (call->procedure == MPIPP_PROC_Finalize) mpipp_rma_log_finalize(call);
  mpipp_rma_log_other_world_begins(call);
  if (call->procedure == MPIPP_PROC_Win_free) {
    const MPI_Win *win = passage->handle;
    if (win) mpipp_rma_log_attempt(call, MPIPP_KEY(*win));
  } else if (call->procedure == MPIPP_PROC_Request_free) {
    log_early_free(call);
  } else if (marks_ready(call)) {
    mpipp_rma_log_partitions(call); // logged first, because only the receiver knows that they have
                                    // arrived
  }
  if (!(call->present & MPIPP_HAS_MESSAGE)) return MPIPP_GO_ON;
  const struct mpipp_message *found = sent_message(call->message);
  message = found ? found->object.serial : 0;
  return MPIPP_GO_ON;
}

static int probes(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Probe || call->procedure == MPIPP_PROC_Iprobe ||
         call->procedure == MPIPP_PROC_Mprobe || call->procedure == MPIPP_PROC_Improbe;
}

static void log_probe(const struct mpipp_passage *passage) {
  if (passage->flag && !*passage->flag) return;
  if (!passage->handle) return mpipp_rma_log_probe(passage->call, passage->status);
  uint64_t handle = MPIPP_KEY(*(const MPI_Message *)passage->handle);
  const struct mpipp_message *found = sent_message(handle);
  if (found) mpipp_rma_log_message(passage->call, found);
}

static void log_window_call(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  switch (call->procedure) {
  case MPIPP_PROC_Win_attach:
  case MPIPP_PROC_Win_detach:
    mpipp_rma_log_memory(call);
    return;
  case MPIPP_PROC_Win_set_info:
    mpipp_rma_log_hints(call);
    return;
  case MPIPP_PROC_Win_shared_query:
  case MPIPP_PROC_Win_shared_query_c:
    mpipp_rma_log_shared_query(call);
    return;
  case MPIPP_PROC_Win_test:
    if (*passage->flag) mpipp_rma_log_synchronization(call, began);
    return;
  case MPIPP_PROC_Win_fence:
  case MPIPP_PROC_Win_start:
  case MPIPP_PROC_Win_complete:
  case MPIPP_PROC_Win_post:
  case MPIPP_PROC_Win_wait:
  case MPIPP_PROC_Win_lock:
  case MPIPP_PROC_Win_unlock:
  case MPIPP_PROC_Win_lock_all:
  case MPIPP_PROC_Win_unlock_all:
  case MPIPP_PROC_Win_flush:
  case MPIPP_PROC_Win_flush_all:
  case MPIPP_PROC_Win_flush_local:
  case MPIPP_PROC_Win_flush_local_all:
  case MPIPP_PROC_Win_sync:
    mpipp_rma_log_synchronization(call, began);
    return;
  default:
    return;
  }
}

static int communicates(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_COMM && mpipp_facts[call->procedure].form == MPIPP_FORM_BLOCKING;
}

static void leave(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (MPIPP_READ(is_off)) return;
  if (passage->code != MPI_SUCCESS) {
    if (mpipp_asks_for_segments(call)) return;
    // An operation with a request has failed, so no event of a request has logged it.
    if (is_operation(call) && call->present & MPIPP_HAS_REQUESTS) mpipp_rma_log_operation(call, 0);
    if (call->present & MPIPP_HAS_WIN || mpipp_rma_is_communication(call) || marks_ready(call))
      mpipp_rma_log_unknown(call);
  } else if (call->present & MPIPP_HAS_WIN) {
    log_window_call(passage);
    return;
  } else if (probes(call)) {
    log_probe(passage);
  } else if (call->procedure == MPIPP_PROC_Mrecv || call->procedure == MPIPP_PROC_Mrecv_c) {
    if (message) mpipp_rma_log_message_receive(call, message);
  } else if (call->procedure == MPIPP_PROC_Parrived) {
    if (*passage->flag) mpipp_rma_log_partitions(call);
  } else if (communicates(call)) {
    mpipp_rma_log_communication(call, call, 0, passage->status);
  }
  if (passage->code == MPI_SUCCESS)
    mpipp_rma_log_other_world_ends(call, !passage->flag || *passage->flag);
}

static void log_request(const struct mpipp_event *event, const struct mpipp_request *request) {
  const struct mpipp_call *call = event->call, *of = &request->call;
  int matched = of->procedure == MPIPP_PROC_Imrecv || of->procedure == MPIPP_PROC_Imrecv_c;
  switch (event->kind) {
  case MPIPP_EVENT_MADE:
    if (is_operation(of))
      mpipp_rma_log_operation(call, request->object.serial);
    else if (matched && message)
      mpipp_rma_log_match(call, request->object.serial, message);
    else if (!matched)
      mpipp_rma_log_communication(call, of, request->object.serial, NULL);
    return;
  case MPIPP_EVENT_STARTED:
    mpipp_rma_log_start(call, request);
    return;
  case MPIPP_EVENT_COMPLETED:
    mpipp_rma_log_completion(call, request, event->status);
    if (is_operation(of)) {
      mpipp_rma_log_value_of_request(call, request->object.serial);
      mpipp_rma_complete_request(request->object.serial);
    }
    return;
  case MPIPP_EVENT_FREED:
    if (!is_operation(of)) mpipp_rma_log_request_free(call, request);
    return;
  case MPIPP_EVENT_DOUBTED:
    return;
  }
}

static void event(const struct mpipp_event *event) {
  const struct mpipp_object *object = event->object;
  if (MPIPP_READ(is_off)) return;
  if (object->kind == MPIPP_REQUEST) {
    log_request(event, (const struct mpipp_request *)object);
  } else if (object->kind == MPIPP_WIN && event->kind == MPIPP_EVENT_MADE) {
    mpipp_rma_log_window(event->call, (const struct mpipp_win *)object);
  } else if (object->kind == MPIPP_WIN && event->kind == MPIPP_EVENT_FREED) {
    mpipp_rma_log_win_free(event->call, (const struct mpipp_win *)object);
  }
}

static struct mpipp_hook hook = {.enter = enter, .leave = leave, .event = event, .order = ORDER};

// The child of a fork is not watched.
static void after_fork_in_child(void) {
  mpipp_rma_logs_onesided = mpipp_onesided_pends = 0;
  is_off = 1;
}

__attribute__((constructor)) static void hook_in(void) {
  if (!getenv("MPIPP_RMA")) return;
  if (getenv("MPIPP_RMA_IF_USED") && !mpipp_rma_program_may_use_windows()) return;
  pthread_atfork(NULL, NULL, after_fork_in_child);
  mpipp_rma_log_open();
  mpipp_rma_logs_onesided = 1;
  mpipp_hook_in(&hook);
}
