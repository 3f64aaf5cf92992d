// SPDX-License-Identifier: MIT
#include "perturb/partitions.h"

#include <pthread.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "perturb/completions.h"
#include "perturb/statistics.h"
#include "perturb/substituted_requests.h"
#include "registry/object_store.h"

#ifdef MPIPP_HAVE_Pready

static const struct mpipp_input *input(const struct mpipp_call *call, uint32_t i) {
  return i < call->input_count ? (const struct mpipp_input *)(uintptr_t)call->inputs + i : NULL;
}

static int number(const struct mpipp_call *call, uint32_t i) {
  return *(const int *)input(call, i)->values;
}

// The record of the call's request if it is an active partitioned operation; else NULL.
static const struct mpipp_request *active_request(const struct mpipp_call *call, unsigned peer) {
  const MPI_Request *handle = (const MPI_Request *)(uintptr_t)call->requests;
  const struct mpipp_request *request =
      handle ? mpipp_find_live(MPIPP_REQUEST, MPIPP_KEY(*handle)) : NULL;
  return request && MPIPP_READ(request->state) == MPIPP_REQUEST_ACTIVE &&
                 mpipp_facts[request->call.procedure].form == MPIPP_FORM_PARTITIONED &&
                 request->call.present & peer
             ? request
             : NULL;
}

// The number of partitions that a call names. The next function returns the i-th of them.
static int64_t count_of(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Pready:
    return 1;
  case MPIPP_PROC_Pready_range:
    return (int64_t)number(call, 1) - number(call, 0) + 1;
  default:
    return input(call, 1)->values ? number(call, 0) : 0;
  }
}
static int partition(const struct mpipp_call *call, int64_t i) {
  if (call->procedure == MPIPP_PROC_Pready_list) return ((const int *)input(call, 1)->values)[i];
  return number(call, 0) + (int)i;
}

int mpipp_perturb_can_defer_ready(const struct mpipp_call *call) {
  if (call->procedure != MPIPP_PROC_Pready && call->procedure != MPIPP_PROC_Pready_range &&
      call->procedure != MPIPP_PROC_Pready_list)
    return 0;
  const struct mpipp_request *request = active_request(call, MPIPP_HAS_DEST);
  if (!request || request->call.dest < 0) return 0;
  int64_t count = count_of(call), all = request->call.buffers[0].peers;
  int fine = count > 0 && count <= all;
  for (int64_t i = 0; fine && i < count; i++)
    fine = partition(call, i) >= 0 && partition(call, i) < all;
  return fine;
}

int mpipp_perturb_defer_ready(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  int64_t count = count_of(call);
  struct mpipp_substitute *held = calloc(1, sizeof *held);
  int *ready = malloc((size_t)count * sizeof *ready);
  if (!held || !ready) {
    free(held);
    free(ready);
    return MPIPP_GO_ON;
  }
  for (int64_t i = 0; i < count; i++) ready[i] = partition(call, i);
  held->is_start = 1;
  held->request = *(const MPI_Request *)(uintptr_t)call->requests;
  held->ready = ready;
  held->ready_count = (int)count;
  mpipp_perturb_substitute_defer(held);
  passage->code = MPI_SUCCESS;
  return MPIPP_DONE;
}

// The partitions of active receives that the program knows to have arrived.
struct mpipp_partition_arrivals {
  struct mpipp_partition_arrivals *next;
  MPI_Request request;
  int partition;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mpipp_partition_arrivals *known;

static int has_arrived(MPI_Request request, int partition) {
  const struct mpipp_partition_arrivals *one = known;
  while (one && !(one->request == request && one->partition == partition)) one = one->next;
  return one != NULL;
}

static void remember_arrival(MPI_Request request, int partition) {
  struct mpipp_partition_arrivals *one =
      has_arrived(request, partition) ? NULL : malloc(sizeof *one);
  if (!one) return;
  *one = (struct mpipp_partition_arrivals){known, request, partition};
  known = one;
}

int mpipp_perturb_test_partition(struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  if (call->procedure != MPIPP_PROC_Parrived || !passage->flag ||
      !active_request(call, MPIPP_HAS_SOURCE))
    return MPIPP_GO_ON;
  MPI_Request request = *(const MPI_Request *)(uintptr_t)call->requests;
  int which = number(call, 0);
  passage->code = PMPI(Parrived)(request, which, passage->flag);
  if (passage->code != MPI_SUCCESS || !*passage->flag) return MPIPP_DONE;
  pthread_mutex_lock(&lock);
  if (!has_arrived(request, which) && mpipp_perturb_denies())
    *passage->flag = 0;
  else
    remember_arrival(request, which);
  pthread_mutex_unlock(&lock);
  return MPIPP_DONE;
}

void mpipp_perturb_reset_partitions(const struct mpipp_call *call) {
  const MPI_Request *requests = (const MPI_Request *)(uintptr_t)call->requests;
  int anew = call->procedure == MPIPP_PROC_Start || call->procedure == MPIPP_PROC_Startall ||
             call->procedure == MPIPP_PROC_Request_free;
  if (!anew || !requests || !MPIPP_READ(known)) return;
  pthread_mutex_lock(&lock);
  for (int64_t i = 0; i < call->request_count; i++) {
    for (struct mpipp_partition_arrivals **at = &known; *at;) {
      struct mpipp_partition_arrivals *one = *at;
      if (one->request != requests[i]) {
        at = &one->next;
        continue;
      }
      *at = one->next;
      free(one);
    }
  }
  pthread_mutex_unlock(&lock);
}

#else

int mpipp_perturb_can_defer_ready(const struct mpipp_call *call) {
  (void)call;
  return 0;
}

int mpipp_perturb_defer_ready(struct mpipp_passage *passage) {
  (void)passage;
  return MPIPP_GO_ON;
}

int mpipp_perturb_test_partition(struct mpipp_passage *passage) {
  (void)passage;
  return MPIPP_GO_ON;
}

void mpipp_perturb_reset_partitions(const struct mpipp_call *call) {
  (void)call;
}

#endif
