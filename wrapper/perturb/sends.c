// SPDX-License-Identifier: MIT
#include "perturb/sends.h"

#include <stddef.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "perturb/random.h"
#include "perturb/substituted_requests.h"
#include "registry/object_store.h"

// Calls a send procedure with its arguments; the `_c` form if the library has it.
#define SEND(NAME, ...)                                                                            \
  PMPI(NAME)                                                                                       \
  (address, (int)count, type, dest, tag, comm __VA_ARGS__)
#define SEND_C(NAME, ...)                                                                          \
  PMPI(NAME)                                                                                       \
  (address, (MPI_Count)count, type, dest, tag, comm __VA_ARGS__)
#ifdef MPIPP_HAVE_Send_c
#define CALL(NAME, ...) (large ? SEND_C(NAME##_c, __VA_ARGS__) : SEND(NAME, __VA_ARGS__))
#else
#define CALL(NAME, ...) SEND(NAME, __VA_ARGS__)
#endif

int mpipp_perturb_can_defer_send(const struct mpipp_call *call) {
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  return facts->form == MPIPP_FORM_NONBLOCKING && call->dest != MPI_PROC_NULL && call->requests &&
         (facts->operation == MPIPP_PROC_Send || facts->operation == MPIPP_PROC_Ssend ||
          facts->operation == MPIPP_PROC_Rsend || facts->operation == MPIPP_PROC_Bsend);
}

// Returns whether all requests of the start call are valid.
int mpipp_perturb_can_defer_start(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  if (call->procedure != MPIPP_PROC_Start && call->procedure != MPIPP_PROC_Startall) return 0;
  for (int64_t i = 0; requests && i < call->request_count; i++) {
    const struct mpipp_request *one = mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(requests[i]));
    if (!one || MPIPP_READ(one->state) != MPIPP_REQUEST_INACTIVE ||
        mpipp_facts[one->call.procedure].form != MPIPP_FORM_PERSISTENT)
      return 0;
  }
  return requests != NULL;
}

int mpipp_perturb_defer_start(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  MPI_Request *requests = (MPI_Request *)(uintptr_t)call->requests;
  passage->code = MPI_SUCCESS;
  for (int64_t i = 0; i < call->request_count && passage->code == MPI_SUCCESS; i++) {
    struct mpipp_substitute *held = calloc(1, sizeof *held);
    if (held) {
      held->is_start = 1;
      held->request = requests[i];
      mpipp_perturb_substitute_defer(held);
    } else {
      mpipp_perturb_substitute_start(NULL);
      passage->code = PMPI(Start)(&requests[i]);
    }
  }
  return MPIPP_DONE;
}

// Creates a persistent request in place of the operation. MPI checks the arguments now, and reads
// the data when the request is started. The program sees no difference, because its completion call
// also frees the persistent request.
static int make_deferred_send(struct mpipp_passage *passage, unsigned operation) {
  const struct mpipp_call *call = passage->call;
  const void *address = (const void *)(uintptr_t)passage->addresses[0];
  MPI_Datatype type = (MPI_Datatype)(uintptr_t)call->buffers[0].datatype;
  MPI_Comm comm = (MPI_Comm)(uintptr_t)call->comm;
  int64_t count = call->buffers[0].count;
  int dest = (int)call->dest, tag = (int)call->tag, large = mpipp_facts[call->procedure].large;
  MPI_Request request = MPI_REQUEST_NULL;
  struct mpipp_substitute *held = calloc(1, sizeof *held);
  if (!held) return MPIPP_GO_ON;
  (void)large;
  if (operation == MPIPP_PROC_Rsend)
    passage->code = CALL(Rsend_init, , &request);
  else if (operation == MPIPP_PROC_Ssend)
    passage->code = CALL(Ssend_init, , &request);
  else if (operation == MPIPP_PROC_Bsend)
    passage->code = CALL(Bsend_init, , &request);
  else
    passage->code = CALL(Send_init, , &request);
  if (passage->code != MPI_SUCCESS) {
    free(held);
    return MPIPP_DONE;
  }
  held->is_late = 1;
  mpipp_perturb_hold(held, request);
  *(MPI_Request *)(uintptr_t)call->requests = request;
  mpipp_perturb_substitute_defer(held);
  return MPIPP_DONE;
}

static int send_synchronously(struct mpipp_passage *passage, unsigned form) {
  const struct mpipp_call *call = passage->call;
  const void *address = (const void *)(uintptr_t)passage->addresses[0];
  MPI_Datatype type = (MPI_Datatype)(uintptr_t)call->buffers[0].datatype;
  MPI_Comm comm = (MPI_Comm)(uintptr_t)call->comm;
  int64_t count = call->buffers[0].count;
  int dest = (int)call->dest, tag = (int)call->tag, large = mpipp_facts[call->procedure].large;
  MPI_Request *request = (MPI_Request *)(uintptr_t)call->requests;
  (void)large;
  if (form == MPIPP_FORM_BLOCKING)
    passage->code = CALL(Ssend, );
  else if (form == MPIPP_FORM_NONBLOCKING)
    passage->code = CALL(Issend, , request);
  else if (form == MPIPP_FORM_PERSISTENT)
    passage->code = CALL(Ssend_init, , request);
  else
    return MPIPP_GO_ON;
  return MPIPP_DONE;
}

int mpipp_perturb_send(struct mpipp_passage *passage, int late) {
  const struct mpipp_facts *facts = &mpipp_facts[passage->call->procedure];
  unsigned operation = facts->operation;
  int synchronous = operation == MPIPP_PROC_Send && mpipp_perturb_is_synchronous();
  if (synchronous) mpipp_perturb_note_call(MPIPP_WAY_SYNCHRONOUS);
  if (late) return make_deferred_send(passage, synchronous ? MPIPP_PROC_Ssend : operation);
  if (!synchronous) return MPIPP_GO_ON;
  return send_synchronously(passage, facts->form);
}
