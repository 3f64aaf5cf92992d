// SPDX-License-Identifier: MIT
#include "provoke/collectives.h"

#include <stddef.h>

#include "generated/facts.h"
#include "mpi/resolve.h"
#include "records/store.h"

#ifdef MPIPP_HAVE_Barrier_init

// Of processes of this MPI_COMM_WORLD, which are provoked all: not of others'. Intercommunicators
// have calls in which some processes give no arguments.
static int is_of_this_world(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (!comm || comm->inter || !comm->world_known) return 0;
  const int32_t *ranks = (const int32_t *)(uintptr_t)comm->world_ranks;
  for (int i = 0; ranks && i < comm->size; i++) {
    if (ranks[i] < 0) return 0;
  }
  return 1;
}

int mpipp_collective_can_be_late(const struct mpipp_call *call) {
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  if (facts->form != MPIPP_FORM_NONBLOCKING || facts->over != MPIPP_OVER_COMM || !call->requests)
    return 0;
  switch (facts->operation) {
  case MPIPP_PROC_Barrier:
  case MPIPP_PROC_Bcast:
  case MPIPP_PROC_Gather:
  case MPIPP_PROC_Scatter:
  case MPIPP_PROC_Allgather:
  case MPIPP_PROC_Alltoall:
  case MPIPP_PROC_Reduce:
  case MPIPP_PROC_Allreduce:
  case MPIPP_PROC_Scan:
  case MPIPP_PROC_Exscan:
  case MPIPP_PROC_Reduce_scatter_block:
    return is_of_this_world(call);
  default:
    return 0;
  }
}

// One side of a call, as MPI is given it.
struct side {
  int is_there; // it is significant in this process, at whatever address: MPI_BOTTOM may be NULL
  void *address;
  int64_t count;
  MPI_Datatype type;
};

static struct side side(const struct mpipp_passage *passage, unsigned access) {
  const struct mpipp_call *call = passage->call;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (call->buffers[i].access & access)
      return (struct side){1, (void *)(uintptr_t)passage->addresses[i], call->buffers[i].count,
                           (MPI_Datatype)(uintptr_t)call->buffers[i].datatype};
  }
  return (struct side){0, NULL, 0, MPI_BYTE};
}

// A call of either form: N(value) is a count of it.
#ifdef MPIPP_HAVE_Bcast_init_c
#define MAKE(NAME, ...) (large ? LARGE(NAME, __VA_ARGS__) : SMALL(NAME, __VA_ARGS__))
#else
#define MAKE(NAME, ...) SMALL(NAME, __VA_ARGS__)
#endif
#define SMALL(NAME, ARGUMENTS) PMPI(NAME##_init) ARGUMENTS(int)
#define LARGE(NAME, ARGUMENTS) PMPI(NAME##_init_c) ARGUMENTS(MPI_Count)
#define TAIL comm, MPI_INFO_NULL, request
#define BROADCAST(COUNT) (one.address, (COUNT)one.count, one.type, root, TAIL)
#define EXCHANGE(COUNT)                                                                            \
  (in.address, (COUNT)in.count, in.type, out.address, (COUNT)out.count, out.type, TAIL)
#define ROOTED(COUNT)                                                                              \
  (in.address, (COUNT)in.count, in.type, out.address, (COUNT)out.count, out.type, root, TAIL)
#define REDUCTION(COUNT) (in.address, out.address, (COUNT)one.count, one.type, op, TAIL)
#define ROOTED_REDUCTION(COUNT)                                                                    \
  (in.address, out.address, (COUNT)one.count, one.type, op, root, TAIL)

void mpipp_collective_make(struct mpipp_passage *passage, MPI_Request *request) {
  const struct mpipp_call *call = passage->call;
  struct side in = side(passage, MPIPP_READS), out = side(passage, MPIPP_WRITES);
  struct side one = out.is_there ? out : in; // of a broadcast there is one, of reductions any
  MPI_Comm comm = (MPI_Comm)(uintptr_t)call->comm;
  MPI_Op op = (MPI_Op)(uintptr_t)call->op;
  int root = (int)call->root, large = mpipp_facts[call->procedure].large;
  (void)large;
  switch (mpipp_facts[call->procedure].operation) {
  case MPIPP_PROC_Barrier:
    passage->code = PMPI(Barrier_init)(TAIL);
    return;
  case MPIPP_PROC_Bcast:
    passage->code = MAKE(Bcast, BROADCAST);
    return;
  case MPIPP_PROC_Gather:
    passage->code = MAKE(Gather, ROOTED);
    return;
  case MPIPP_PROC_Scatter:
    passage->code = MAKE(Scatter, ROOTED);
    return;
  case MPIPP_PROC_Allgather:
    passage->code = MAKE(Allgather, EXCHANGE);
    return;
  case MPIPP_PROC_Alltoall:
    passage->code = MAKE(Alltoall, EXCHANGE);
    return;
  case MPIPP_PROC_Reduce:
    passage->code = MAKE(Reduce, ROOTED_REDUCTION);
    return;
  case MPIPP_PROC_Allreduce:
    passage->code = MAKE(Allreduce, REDUCTION);
    return;
  case MPIPP_PROC_Scan:
    passage->code = MAKE(Scan, REDUCTION);
    return;
  case MPIPP_PROC_Exscan:
    passage->code = MAKE(Exscan, REDUCTION);
    return;
  default:
    passage->code = MAKE(Reduce_scatter_block, REDUCTION);
  }
}

#else

int mpipp_collective_can_be_late(const struct mpipp_call *call) {
  (void)call;
  return 0;
}

void mpipp_collective_make(struct mpipp_passage *passage, MPI_Request *request) {
  (void)request;
  passage->code = MPI_ERR_OTHER;
}

#endif
