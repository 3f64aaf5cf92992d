// SPDX-License-Identifier: MIT
// A hook that changes one receive with MPI_ANY_SOURCE: --provoke=match:RANK.NUMBER.SOURCE. In RANK,
// the receive of that NUMBER takes a message of SOURCE, as if all others had come later. Ranks are
// those in MPI_COMM_WORLD.
#define _GNU_SOURCE
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "intercept/hooks.h"
#include "registry/object_store.h"
#include "registry/registry.h"

// ORDER: the place of this hook, the last of the perturbation's hooks before MPI. PATIENCE: seconds
// to wait for the message. The message may not come if its sender waits for a message that this
// receive must take first.
enum { ORDER = 2000, PATIENCE = 10 };

static int chosen_rank, chosen_source;
static uint64_t chosen_number;
static uint64_t count; // receives and probes with MPI_ANY_SOURCE so far
static time_t until;   // the end of the wait; 0: it has not begun

static int is_probe(unsigned procedure) {
  return procedure == MPIPP_PROC_Iprobe || procedure == MPIPP_PROC_Improbe;
}

// The source's rank in the call's communicator; -1 if it is not a member.
static int source_in(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (!comm) return -1;
  const int32_t *ranks =
      (const int32_t *)(uintptr_t)(comm->inter ? comm->remote_world_ranks : comm->world_ranks);
  int size = comm->inter ? comm->remote_size : comm->size;
  if (!ranks) return !comm->inter && comm->world_known && chosen_source < size ? chosen_source : -1;
  for (int i = 0; i < size; i++)
    if (ranks[i] == chosen_source) return i;
  return -1;
}

static int is_over(void) {
  time_t now = time(NULL);
  if (!until) until = now + PATIENCE;
  return now > until;
}

static void report_missing(void) {
  fprintf(stderr, "mpipp: no message of rank %d came in %d s: the receive takes any message\n",
          chosen_source, PATIENCE);
}

static int wait_for_message(const struct mpipp_call *call, int source) {
  int flag = 0;
  while (PMPI(Iprobe)(source, (int)call->tag, (MPI_Comm)(uintptr_t)call->comm, &flag,
                      MPI_STATUS_IGNORE) == MPI_SUCCESS &&
         !flag) {
    if (is_over()) return 0;
    sched_yield();
  }
  return flag;
}

static int receive(struct mpipp_passage *passage, int source) {
  const struct mpipp_call *call = passage->call;
  const struct mpipp_buffer *buffer = &call->buffers[0];
  void *address = (void *)(uintptr_t)passage->addresses[0];
  MPI_Datatype type = (MPI_Datatype)(uintptr_t)buffer->datatype;
  MPI_Comm comm = (MPI_Comm)(uintptr_t)call->comm;
  MPI_Status *status = passage->status ? passage->status : MPI_STATUS_IGNORE;
  MPI_Request *request = (MPI_Request *)(uintptr_t)call->requests;
  int tag = (int)call->tag;
  switch (call->procedure) {
  case MPIPP_PROC_Recv:
    passage->code = PMPI(Recv)(address, (int)buffer->count, type, source, tag, comm, status);
    return MPIPP_DONE;
  case MPIPP_PROC_Irecv:
    passage->code = PMPI(Irecv)(address, (int)buffer->count, type, source, tag, comm, request);
    return MPIPP_DONE;
  case MPIPP_PROC_Probe:
    passage->code = PMPI(Probe)(source, tag, comm, status);
    return MPIPP_DONE;
  case MPIPP_PROC_Mprobe:
    passage->code = PMPI(Mprobe)(source, tag, comm, passage->handle, status);
    return MPIPP_DONE;
  case MPIPP_PROC_Iprobe:
    passage->code = PMPI(Iprobe)(source, tag, comm, passage->flag, status);
    return MPIPP_DONE;
  case MPIPP_PROC_Improbe:
    passage->code = PMPI(Improbe)(source, tag, comm, passage->flag, passage->handle, status);
    return MPIPP_DONE;
  default:
    return MPIPP_GO_ON;
  }
}

// Returns 1 if the call is the chosen one, and the message has come or may still come.
static int can_take(const struct mpipp_call *call, int source) {
  if (source < 0) return 0;
  if (call->procedure == MPIPP_PROC_Irecv) return 1;
  int waits = !is_probe(call->procedure);
  if (waits ? wait_for_message(call, source) : !is_over()) return 1;
  report_missing();
  chosen_number = 0;
  return 0;
}

static uint64_t started_receives(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  uint64_t found = 0;
  for (int64_t i = 0; requests && i < call->request_count; i++) {
    const struct mpipp_request *one = mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(requests[i]));
    if (one && one->call.present & MPIPP_HAS_SOURCE && one->call.source == MPI_ANY_SOURCE) found++;
  }
  return found;
}

static int enter(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (mpipp_registry.world_rank != chosen_rank) return MPIPP_GO_ON;
  if (call->procedure == MPIPP_PROC_Start || call->procedure == MPIPP_PROC_Startall) {
    count += started_receives(call);
    return MPIPP_GO_ON;
  }
  if (!(call->present & MPIPP_HAS_SOURCE) || call->source != MPI_ANY_SOURCE ||
      mpipp_facts[call->procedure].form == MPIPP_FORM_PERSISTENT)
    return MPIPP_GO_ON;
  uint64_t number = count + 1;
  if (!is_probe(call->procedure)) count = number; // a probe counts when it has found a message
  if (number != chosen_number) return MPIPP_GO_ON;
  int source = source_in(call);
  return can_take(call, source) ? receive(passage, source) : MPIPP_GO_ON;
}

static void leave(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (mpipp_registry.world_rank == chosen_rank && is_probe(call->procedure) &&
      call->source == MPI_ANY_SOURCE && passage->code == MPI_SUCCESS && *passage->flag)
    count++;
}

static struct mpipp_hook hook = {.enter = enter, .leave = leave, .order = ORDER};

__attribute__((constructor)) static void hook_in(void) {
  const char *text = getenv("MPIPP_PROVOKE_MATCH");
  unsigned long long number;
  if (!text || sscanf(text, "%d.%llu.%d", &chosen_rank, &number, &chosen_source) != 3) return;
  chosen_number = number;
  mpipp_hook_in(&hook);
}
