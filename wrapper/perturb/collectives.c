// SPDX-License-Identifier: MIT
#include "perturb/collectives.h"

#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "generated/facts.h"
#include "intercept/wrapper_body.h"
#include "registry/object_store.h"

#ifdef MPIPP_HAVE_Barrier_init

// Returns whether all processes of the communicator belong to this MPI_COMM_WORLD, in which all
// processes are perturbed. Returns 0 for intercommunicators, because in some of their calls some
// processes pass no arguments.
static int is_in_this_world(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (!comm || comm->inter || !comm->world_known) return 0;
  const int32_t *ranks = (const int32_t *)(uintptr_t)comm->world_ranks;
  for (int i = 0; ranks && i < comm->size; i++) {
    if (ranks[i] < 0) return 0;
  }
  return 1;
}

// Returns whether the operation is one of the program's own. Open MPI 5 does not keep it alive for
// a persistent operation, although the program may free it.
static int has_own_op(const struct mpipp_call *call) {
  return call->present & MPIPP_HAS_OP && !mpipp_registry_is_constant(MPIPP_OP, call->op);
}

// The arguments of one side of a call, as MPI gets them.
struct mpipp_collectives_side {
  int is_there; // MPI uses this side in this process; its address may be NULL, like MPI_BOTTOM
  void *address;
  int64_t count;
  MPI_Datatype type;
  // Only for v and w forms in which this side is significant.
  const void *counts, *displacements;
  const MPI_Datatype *types;
};

static struct mpipp_collectives_side side(const struct mpipp_passage *passage, unsigned access) {
  const struct mpipp_call *call = passage->call;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    if (!(buffer->access & access)) continue;
    struct mpipp_collectives_side found = {1,
                                           (void *)(uintptr_t)passage->addresses[i],
                                           buffer->count,
                                           (MPI_Datatype)(uintptr_t)buffer->datatype,
                                           NULL,
                                           NULL,
                                           NULL};
    if (!buffer->vector) return found;
    const struct mpipp_vector *vector = &call->vectors[buffer->vector - 1];
    found.counts = (const void *)(uintptr_t)vector->counts;
    found.displacements = (const void *)(uintptr_t)vector->displacements;
    found.types = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
    return found;
  }
  return (struct mpipp_collectives_side){0, NULL, 0, MPI_BYTE, NULL, NULL, NULL};
}

// For calls with int or MPI_Count arguments: N(value) is the value in the type of the persistent
// form.
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
#define GATHER_V(COUNT)                                                                            \
  (in.address, (COUNT)in.count, in.type, out.address, out.counts, out.displacements, out.type,     \
   root, TAIL)
#define SCATTER_V(COUNT)                                                                           \
  (in.address, in.counts, in.displacements, in.type, out.address, (COUNT)out.count, out.type,      \
   root, TAIL)
#define ALLGATHER_V(COUNT)                                                                         \
  (in.address, (COUNT)in.count, in.type, out.address, out.counts, out.displacements, out.type, TAIL)
#define EXCHANGE_V(COUNT)                                                                          \
  (in.address, in.counts, in.displacements, in.type, out.address, out.counts, out.displacements,   \
   out.type, TAIL)
#define EXCHANGE_W(COUNT)                                                                          \
  (in.address, in.counts, in.displacements, in.types, out.address, out.counts, out.displacements,  \
   out.types, TAIL)
#define REDUCTION(COUNT) (in.address, out.address, (COUNT)one.count, one.type, op, TAIL)
#define BLOCKS(COUNT) (in.address, out.address, (COUNT)block, in.type, op, TAIL)
#define SCATTERED_REDUCTION(COUNT) (in.address, out.address, counts, in.type, op, TAIL)
#define ROOTED_REDUCTION(COUNT)                                                                    \
  (in.address, out.address, (COUNT)one.count, one.type, op, root, TAIL)

// The operations that have a persistent form, except MPI_Barrier, with their arguments.
#define OPERATIONS(EACH)                                                                           \
  EACH(Bcast, BROADCAST)                                                                           \
  EACH(Gather, ROOTED)                                                                             \
  EACH(Scatter, ROOTED)                                                                            \
  EACH(Allgather, EXCHANGE)                                                                        \
  EACH(Alltoall, EXCHANGE)                                                                         \
  EACH(Reduce, ROOTED_REDUCTION)                                                                   \
  EACH(Allreduce, REDUCTION)                                                                       \
  EACH(Scan, REDUCTION)                                                                            \
  EACH(Exscan, REDUCTION)                                                                          \
  EACH(Gatherv, GATHER_V)                                                                          \
  EACH(Scatterv, SCATTER_V)                                                                        \
  EACH(Allgatherv, ALLGATHER_V)                                                                    \
  EACH(Alltoallv, EXCHANGE_V)                                                                      \
  EACH(Alltoallw, EXCHANGE_W)                                                                      \
  EACH(Reduce_scatter, SCATTERED_REDUCTION)                                                        \
  EACH(Neighbor_allgather, EXCHANGE)                                                               \
  EACH(Neighbor_alltoall, EXCHANGE)                                                                \
  EACH(Neighbor_allgatherv, ALLGATHER_V)                                                           \
  EACH(Neighbor_alltoallv, EXCHANGE_V)                                                             \
  EACH(Neighbor_alltoallw, EXCHANGE_W)                                                             \
  EACH(Reduce_scatter_block, BLOCKS)

int mpipp_perturb_can_defer_collective(const struct mpipp_call *call) {
  const struct mpipp_facts *facts = &mpipp_facts[call->procedure];
  if (facts->form != MPIPP_FORM_NONBLOCKING || facts->over != MPIPP_OVER_COMM || !call->requests ||
      has_own_op(call) || !mpipp_abi_has(MPIPP_PROC_Barrier_init))
    return 0;
  switch (facts->operation) {
#define IS_ONE(NAME, ARGUMENTS) case MPIPP_PROC_##NAME:
    OPERATIONS(IS_ONE)
  case MPIPP_PROC_Barrier:
    return is_in_this_world(call);
  default:
    return 0;
  }
}

void mpipp_perturb_collective_make(struct mpipp_passage *passage, MPI_Request *request) {
  const struct mpipp_call *call = passage->call;
  struct mpipp_collectives_side in = side(passage, MPIPP_READS), out = side(passage, MPIPP_WRITES);
  struct mpipp_collectives_side one =
      out.is_there ? out : in; // a broadcast has one buffer, and in a reduction either side has the
                               // datatype
  MPI_Comm comm = (MPI_Comm)(uintptr_t)call->comm;
  MPI_Op op = (MPI_Op)(uintptr_t)call->op;
  // The counts of a reduce-scatter.
  const void *counts = (const void *)(uintptr_t)call->vectors[0].counts;
  int64_t parts = mpipp_intercept_parts(call), block = parts ? in.count / parts : 0;
  int root = (int)call->root, large = mpipp_facts[call->procedure].large;
  (void)large;
  switch (mpipp_facts[call->procedure].operation) {
  case MPIPP_PROC_Barrier:
    passage->code = PMPI(Barrier_init)(TAIL);
    return;
#define MAKES(NAME, ARGUMENTS)                                                                     \
  case MPIPP_PROC_##NAME:                                                                          \
    passage->code = MAKE(NAME, ARGUMENTS);                                                         \
    return;
    OPERATIONS(MAKES)
  }
}

#else

int mpipp_perturb_can_defer_collective(const struct mpipp_call *call) {
  (void)call;
  return 0;
}

void mpipp_perturb_collective_make(struct mpipp_passage *passage, MPI_Request *request) {
  (void)request;
  passage->code = MPI_ERR_OTHER;
}

#endif
