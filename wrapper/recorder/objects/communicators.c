// SPDX-License-Identifier: MIT
// Communicators and groups.
#include <errno.h>
#include <stdlib.h>

#include "abi/mpi_symbols.h"
#include "recorder/matching/channels.h"
#include "recorder/matching/comm_identity.h"
#include "recorder/objects/communicators.h"
#include "recorder/returned_codes.h"
#include "registry/object_store.h"
#include "registry/registry.h"

static int is_initialized(void) {
  int flag = 0, finalized = 0;
  PMPI(Initialized)(&flag);
  PMPI(Finalized)(&finalized);
  return flag && !finalized;
}

int mpipp_recorder_has_world;

// The group of all processes. session: 0 if it is unknown. Objects of one session must not be used
// with those of others (MPI-4.1, section 11.3).
static int ask_world(uint64_t session, MPI_Group *all) {
#ifdef MPIPP_HAVE_Session_init
  if (session && mpipp_find_live(MPIPP_SESSION, session))
    return PMPI(Group_from_session_pset)((MPI_Session)(uintptr_t)session, "mpi://WORLD", all) ==
           MPI_SUCCESS;
#endif
  return !session && is_initialized() && PMPI(Comm_group)(MPI_COMM_WORLD, all) == MPI_SUCCESS;
}

void mpipp_recorder_session_world(uint64_t session) {
  MPI_Group all;
  int rank = MPI_UNDEFINED, size = 0;
  if (mpipp_registry.world_rank >= 0 || !ask_world(session, &all)) return;
  PMPI(Group_rank)(all, &rank);
  PMPI(Group_size)(all, &size);
  PMPI(Group_free)(&all);
  if (rank == MPI_UNDEFINED) return;
  mpipp_registry.world_size = size;
  mpipp_registry.world_rank = rank;
}

// The session to which the communicator or group belongs that a call creates.
static uint64_t session_of(const struct mpipp_call *call) {
  if (call && call->present & MPIPP_HAS_COMM) {
    const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
    return comm ? comm->session : 0;
  }
  uint64_t session = 0;
  const struct mpipp_input *inputs = call ? (const void *)(uintptr_t)call->inputs : NULL;
  const int has_inputs = call && call->present & MPIPP_HAS_ARGUMENTS;
  for (uint32_t i = 0; has_inputs && !session && i < call->input_count; i++) {
    if (inputs[i].shape != MPIPP_SHAPE_HANDLE) continue;
    const uint64_t handle = *(const uint64_t *)(uintptr_t)inputs[i].values;
    if (call->procedure == MPIPP_PROC_Group_from_session_pset) return handle;
    const struct mpipp_group *group = mpipp_find_live(MPIPP_GROUP, handle);
    session = group ? group->session : 0;
  }
  return session;
}

// The group's ranks in MPI_COMM_WORLD, or in mpi://WORLD. The list is empty if each rank is the
// same there, unless all are wanted. Returns whether the ranks are known.
static uint32_t world_ranks(MPI_Group group, uint64_t session, int size, int all_wanted,
                            uint64_t *field) {
  if (size <= 0) return 0;
  int *ranks = mpipp_registry_allocate((size_t)size * sizeof *ranks);
  int *world = mpipp_registry_allocate((size_t)size * sizeof *world);
  MPI_Group all;
  uint32_t known = 0;
  if (ranks && world && ask_world(session, &all)) {
    int same = !all_wanted;
    for (int i = 0; i < size; i++) ranks[i] = i;
    known = PMPI(Group_translate_ranks)(group, size, ranks, all, world) == MPI_SUCCESS;
    for (int i = 0; i < size; i++) {
      same &= world[i] == i;
      if (world[i] == MPI_UNDEFINED) world[i] = -1; // a process of another MPI_COMM_WORLD
    }
    PMPI(Group_free)(&all);
    if (known && !same) {
      *field = (uint64_t)(uintptr_t)world;
      world = NULL;
    }
  }
  mpipp_registry_free(ranks);
  mpipp_registry_free(world);
  return known;
}

static void ask_groups(struct mpipp_comm *record, MPI_Comm comm) {
  MPI_Group group;
  if (PMPI(Comm_group)(comm, &group) == MPI_SUCCESS) {
    record->world_known =
        world_ranks(group, record->session, record->size, 0, &record->world_ranks);
    PMPI(Group_free)(&group);
  }
  if (record->inter && PMPI(Comm_remote_group)(comm, &group) == MPI_SUCCESS) {
    world_ranks(group, record->session, record->remote_size, 1, &record->remote_world_ranks);
    PMPI(Group_free)(&group);
  }
}

static void ask_cartesian(struct mpipp_comm *record, MPI_Comm comm) {
  int ndims = 0;
  PMPI(Cartdim_get)(comm, &ndims);
  int *values = ndims > 0 ? mpipp_registry_allocate(3 * (size_t)ndims * sizeof *values) : NULL;
  if (!values) return;
  PMPI(Cart_get)(comm, ndims, values, values + ndims, values + 2 * ndims);
  record->ndims = ndims;
  // One block of memory for all three arrays, owned by `dims`.
  record->dims = (uint64_t)(uintptr_t)values;
  record->periods = (uint64_t)(uintptr_t)(values + ndims);
  record->coords = (uint64_t)(uintptr_t)(values + 2 * ndims);
  record->indegree = record->outdegree = 2 * ndims;
}

static void ask_graph(struct mpipp_comm *record, MPI_Comm comm) {
  PMPI(Graph_neighbors_count)(comm, record->rank, &record->indegree);
  record->outdegree = record->indegree;
  int *found = mpipp_registry_allocate((size_t)(record->indegree + 1) * sizeof *found);
  if (!found) return;
  PMPI(Graph_neighbors)(comm, record->rank, record->indegree, found);
  record->sources = record->destinations = (uint64_t)(uintptr_t)found;
}

// The weights are queried but ignored. For an unweighted graph MPI stores none.
static void ask_distributed_graph(struct mpipp_comm *record, MPI_Comm comm) {
  int weighted = 0;
  PMPI(Dist_graph_neighbors_count)(comm, &record->indegree, &record->outdegree, &weighted);
  const int in = record->indegree, out = record->outdegree;
  int *found = mpipp_registry_allocate((size_t)(in + out + 1) * sizeof *found);
  int *weights = mpipp_registry_allocate((size_t)(in + out + 1) * sizeof *weights);
  if (found && weights) {
    PMPI(Dist_graph_neighbors)(comm, in, found, weights, out, found + in, weights + in);
    // One block of memory for both arrays, owned by `sources`.
    record->sources = (uint64_t)(uintptr_t)found;
    record->destinations = (uint64_t)(uintptr_t)(found + in);
    found = NULL;
  }
  mpipp_registry_free(found);
  mpipp_registry_free(weights);
}

static void ask_topology(struct mpipp_comm *record, MPI_Comm comm) {
  int status = MPI_UNDEFINED;
  PMPI(Topo_test)(comm, &status);
  if (status == MPI_CART) {
    record->topology = MPIPP_TOPO_CART;
    ask_cartesian(record, comm);
  } else if (status == MPI_GRAPH) {
    record->topology = MPIPP_TOPO_GRAPH;
    ask_graph(record, comm);
  } else if (status == MPI_DIST_GRAPH) {
    record->topology = MPIPP_TOPO_DIST_GRAPH;
    ask_distributed_graph(record, comm);
  }
}

static void add_comm(const struct mpipp_call *call, MPI_Comm comm, unsigned flags,
                     const char *name) {
  if (comm == MPI_COMM_NULL) return;
  // The handle was another communicator's, which another thread is about to mark as freed; that one
  // was not predefined.
  const struct mpipp_object *known = mpipp_find_live(MPIPP_COMM, MPIPP_KEY(comm));
  if (known && MPIPP_READ(known->flags) & MPIPP_FLAG_PREDEFINED) return;
  int saved = errno;
  mpipp_recorder_close_channels(MPIPP_KEY(comm));
  struct mpipp_comm *record =
      mpipp_registry_claim(MPIPP_COMM, MPIPP_KEY(comm), call ? call->caller : 0);
  if (!record) return;
  mpipp_mark(&record->object, flags);
  record->object.name = mpipp_registry_copy_text(name);
  record->object.fint = MPIPP_FINT(Comm, comm);
  PMPI(Comm_rank)(comm, &record->rank);
  PMPI(Comm_size)(comm, &record->size);
  PMPI(Comm_test_inter)(comm, &record->inter);
  if (record->inter) PMPI(Comm_remote_size)(comm, &record->remote_size);
  record->session = session_of(call);
  ask_groups(record, comm);
  ask_topology(record, comm);
  record->identity =
      call ? mpipp_recorder_comm_identity(call, record) : mpipp_recorder_predefined_identity(name);
  if (call) mpipp_recorder_set_creator(call, record);
  mpipp_registry_publish(record);
  errno = saved;
}

void mpipp_recorder_add_comm(const struct mpipp_call *call, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) mpipp_recorder_note_null(call);
  int spawns =
      call->procedure == MPIPP_PROC_Comm_spawn || call->procedure == MPIPP_PROC_Comm_spawn_multiple;
  add_comm(call, comm, spawns ? MPIPP_FLAG_SPAWNED : 0, NULL);
  if (!spawns) return;
  const struct mpipp_comm *made = (const void *)mpipp_find_live(MPIPP_COMM, MPIPP_KEY(comm));
  if (made) __atomic_fetch_add(&mpipp_registry.spawned, made->remote_size, __ATOMIC_RELAXED);
}

void mpipp_recorder_promise_comm(uint64_t handle) {
  mpipp_recorder_close_channels(handle);
  mpipp_registry_note_new_handle(MPIPP_COMM, handle);
}

void mpipp_recorder_comm_start(void) {
  int rank = -1, size = -1;
  if (!is_initialized()) return;
  mpipp_recorder_has_world = 1;
  PMPI(Comm_rank)(MPI_COMM_WORLD, &rank);
  PMPI(Comm_size)(MPI_COMM_WORLD, &size);
  mpipp_registry.world_rank = rank;
  mpipp_registry.world_size = size;
  add_comm(NULL, MPI_COMM_WORLD, MPIPP_FLAG_PREDEFINED, "MPI_COMM_WORLD");
  add_comm(NULL, MPI_COMM_SELF, MPIPP_FLAG_PREDEFINED, "MPI_COMM_SELF");
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI(Comm_get_parent)(&parent);
  // MPI_COMM_PARENT is an ordinary communicator that the library has created: MPI_Comm_disconnect
  // ends it (MPI-4.1, section 11.8.2).
  add_comm(NULL, parent, MPIPP_FLAG_IMPORTED, "MPI_COMM_PARENT");
}

int mpipp_recorder_dimensions(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  return comm && comm->topology == MPIPP_TOPO_CART ? comm->ndims : 0;
}

int mpipp_recorder_dimensions_up_to(const struct mpipp_call *call, int most) {
  const int dimensions = mpipp_recorder_dimensions(call);
  return dimensions < most ? dimensions : most;
}

void mpipp_recorder_add_group(const struct mpipp_call *call, MPI_Group group) {
  uint64_t handle = MPIPP_KEY(group);
  if (group == MPI_GROUP_NULL || mpipp_registry_is_constant(MPIPP_GROUP, handle)) return;
  // MPI may return the handle of a group that it has returned before.
  if (mpipp_registry_add_handle(MPIPP_GROUP, handle)) return;
  int saved = errno;
  struct mpipp_group *record = mpipp_registry_claim(MPIPP_GROUP, handle, call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Group, group);
  PMPI(Group_size)(group, &record->size);
  PMPI(Group_rank)(group, &record->rank);
  if (record->rank == MPI_UNDEFINED) record->rank = -1;
  record->session = session_of(call);
  record->world_known = world_ranks(group, record->session, record->size, 0, &record->world_ranks);
  mpipp_registry_publish(record);
  errno = saved;
}
