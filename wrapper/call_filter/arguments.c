// SPDX-License-Identifier: MIT
#include "call_filter/arguments.h"

#include <string.h>

#include "call_filter/partitions.h"
#include "call_filter/topologies.h"
#include "recorder/objects/attached_buffers.h"
#include "recorder/objects/communicators.h"
#include "registry/registry.h"

enum { MOST_VALUES = 1 << 24 };

static int are_at_least(const struct mpipp_input *input, int64_t count, int64_t least) {
  if (!input->values) return count <= 0;
  for (int64_t i = 0; i < count; i++) {
    if (mpipp_input_value(input, i) < least) return 0;
  }
  return 1;
}

// The arguments are ndims, sizes, subsizes, starts.
static int is_fine_subarray(const struct mpipp_input *inputs) {
  int64_t ndims = inputs[0].values ? mpipp_input_value(&inputs[0], 0) : 0;
  if (ndims < 1) return 0;
  for (int k = 1; k < 4; k++) {
    if (!inputs[k].values) return 0;
  }
  for (int64_t i = 0; i < ndims; i++) {
    int64_t size = mpipp_input_value(&inputs[1], i), subsize = mpipp_input_value(&inputs[2], i);
    int64_t start = mpipp_input_value(&inputs[3], i);
    if (size < 1 || subsize < 1 || subsize > size || start < 0 || start > size - subsize) return 0;
  }
  return 1;
}

int mpipp_filter_has_fine_numbers(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  int64_t count;
  switch (call->combiner) {
  case MPIPP_COMBINER_DUP:
  case MPIPP_COMBINER_RESIZED:
    return 1;
  case MPIPP_COMBINER_CONTIGUOUS:
  case MPIPP_COMBINER_VECTOR:
  case MPIPP_COMBINER_HVECTOR:
  case MPIPP_COMBINER_INDEXED:
  case MPIPP_COMBINER_HINDEXED:
  case MPIPP_COMBINER_INDEXED_BLOCK:
  case MPIPP_COMBINER_HINDEXED_BLOCK:
  case MPIPP_COMBINER_STRUCT:
    if (call->input_count < 1 || !inputs[0].values) return 0;
    count = mpipp_input_value(&inputs[0], 0);
    if (count < 0) return 0;
    if (call->input_count < 2) return 1;
    if (!are_at_least(&inputs[1], inputs[1].shape == MPIPP_SHAPE_ARRAY ? inputs[1].count : 1, 0))
      return 0;
    return call->input_count < 3 || inputs[2].values || count == 0;
  case MPIPP_COMBINER_SUBARRAY:
    return call->input_count >= 4 && is_fine_subarray(inputs);
  default:
    return 0;
  }
}

enum mpipp_kind mpipp_filter_kind_of_name(uint64_t name) {
  static const struct {
    const char *name;
    enum mpipp_kind kind;
  } kinds[] = {
      {"group", MPIPP_GROUP},       {"group1", MPIPP_GROUP},       {"group2", MPIPP_GROUP},
      {"local_group", MPIPP_GROUP}, {"remote_group", MPIPP_GROUP}, {"peer_comm", MPIPP_COMM},
      {"comm1", MPIPP_COMM},        {"comm2", MPIPP_COMM},         {"datatype", MPIPP_DATATYPE},
      {"request", MPIPP_REQUEST},   {"info", MPIPP_INFO},          {"errhandler", MPIPP_ERRHANDLER},
      {"session", MPIPP_SESSION},   {"comm", MPIPP_COMM},          {"op", MPIPP_OP},
      {"win", MPIPP_WIN},           {"file", MPIPP_FILE},          {"fh", MPIPP_FILE}};
  const char *given = (const char *)(uintptr_t)name;
  for (unsigned i = 0; given && i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, given) == 0) return kinds[i].kind;
  }
  return MPIPP_KINDS;
}

int64_t mpipp_filter_input_count(const struct mpipp_call *call, uint32_t index) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const struct mpipp_input *input = &inputs[index];
  if (input->shape == MPIPP_SHAPE_RESULT) return 0; // it has no values yet
  if (input->shape != MPIPP_SHAPE_ARRAY) return 1;
  if (input->count >= 0) return input->count;
  const char *name = (const char *)(uintptr_t)input->name;
  int edges = name && strcmp(name, "edges") == 0;
  for (uint32_t i = 0; i < call->input_count; i++) {
    const char *other = (const char *)(uintptr_t)inputs[i].name;
    if (!other || !inputs[i].values || inputs[i].count < 0 ||
        strcmp(other, edges ? "index" : "degrees") != 0)
      continue;
    int64_t sum = 0;
    for (int64_t k = 0; k < inputs[i].count; k++) {
      int64_t one = mpipp_input_value(&inputs[i], k);
      if (one < 0) return 0;
      sum = edges ? one : sum + one;
    }
    return sum < MOST_VALUES ? sum : 0;
  }
  return 0;
}

static void *object_of(const struct mpipp_input *input) {
  enum mpipp_kind kind = mpipp_filter_kind_of_name(input->name);
  uint64_t handle = 0;
  if (!input->values || input->size > sizeof handle || kind == MPIPP_KINDS) return NULL;
  memcpy(&handle, input->values, input->size);
  return mpipp_find_live(kind, handle);
}

static int is_active(const struct mpipp_request *request) {
  uint64_t serial = MPIPP_READ(request->object.serial);
  return serial && request->state == MPIPP_REQUEST_ACTIVE &&
         !(MPIPP_READ(request->object.flags) & MPIPP_FLAG_ENDED);
}

int mpipp_filter_is_pending_on(const struct mpipp_request *request, uint64_t comm) {
  return is_active(request) && request->call.comm == comm &&
         request->call.present & MPIPP_HAS_COMM && request->call.ordinal;
}

int mpipp_filter_is_on_file(const struct mpipp_request *request, uint64_t file) {
  return is_active(request) && request->call.present & MPIPP_HAS_FILE && request->call.file == file;
}

int mpipp_filter_has_any(mpipp_is_on *is_on, uint64_t handle) {
  const struct mpipp_table *table = mpipp_registry_stores[MPIPP_REQUEST].table;
  for (const struct mpipp_chunk *chunk = (const void *)(uintptr_t)table->chunks; chunk;
       chunk = (const void *)(uintptr_t)MPIPP_READ(chunk->next)) {
    const struct mpipp_request *requests = (const void *)(chunk + 1);
    for (uint64_t i = 0; i < MPIPP_READ(chunk->used); i++) {
      if (is_on(&requests[i], handle)) return 1;
    }
  }
  return 0;
}

// Returns whether MPI_Comm_free may be called: the program made the communicator, and no operation
// on it is pending.
static int may_be_freed(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const struct mpipp_object *comm = object_of(&inputs[0]);
  if (comm && comm->flags & MPIPP_FLAG_PREDEFINED) return 0;
  if (!comm || comm->kind != MPIPP_COMM || MPIPP_READ(mpipp_registry_several_threads)) return 1;
  return !mpipp_filter_has_any(mpipp_filter_is_pending_on, comm->handle);
}

static int is_not_attached(const struct mpipp_call *call) {
  const struct mpipp_attachment *attached = mpipp_recorder_attachment_of(call);
  return !attached || MPIPP_READ(attached->state) == MPIPP_NOT_ATTACHED;
}

// The arguments are group1, n, ranks1.
static int are_ranks(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const struct mpipp_group *group = object_of(&inputs[0]);
  int64_t n = mpipp_input_value(&inputs[1], 0);
  if (!group || n < 0 || (n && !inputs[2].values)) return 0;
  for (int64_t i = 0; i < n; i++) {
    int64_t rank = mpipp_input_value(&inputs[2], i);
    if (rank != MPI_PROC_NULL && (rank < 0 || rank >= group->size)) return 0;
  }
  return 1;
}

// Returns whether MPI may be used for the call's group. After MPI_Finalize, that is only so if a
// session made the group.
static int is_mpi_available(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const struct mpipp_group *group = object_of(&inputs[0]);
  return mpipp_registry.status == MPIPP_STATUS_STARTED || (group && group->session);
}

// Returns whether the watcher need not check any of the call's numbers
// (analysis/calls/topologies.py, group_ranks.py, windows.py).
static int has_any_numbers(const struct mpipp_call *call) {
  switch (call->procedure) {
  case MPIPP_PROC_Comm_set_errhandler:
  case MPIPP_PROC_Comm_set_info:
  case MPIPP_PROC_Comm_create:
  case MPIPP_PROC_Comm_create_group:
  case MPIPP_PROC_Comm_dup_with_info:
  case MPIPP_PROC_Info_set:
  case MPIPP_PROC_Info_free:
  case MPIPP_PROC_Info_delete:
  case MPIPP_PROC_Info_dup:
  case MPIPP_PROC_Group_free:
  case MPIPP_PROC_Group_union:
  case MPIPP_PROC_Group_intersection:
  case MPIPP_PROC_Group_difference:
  case MPIPP_PROC_Errhandler_free:
  case MPIPP_PROC_Win_free:
  case MPIPP_PROC_File_open:
  case MPIPP_PROC_File_close:
  case MPIPP_PROC_File_set_size:
  case MPIPP_PROC_File_preallocate:
  case MPIPP_PROC_File_set_view:
  case MPIPP_PROC_File_set_atomicity:
  case MPIPP_PROC_File_seek_shared:
  case MPIPP_PROC_Cart_get:
  case MPIPP_PROC_Graph_get:
  case MPIPP_PROC_Dist_graph_neighbors:
  case MPIPP_PROC_Session_finalize:
  case MPIPP_PROC_Session_get_errhandler:
  case MPIPP_PROC_Session_get_info:
  case MPIPP_PROC_Session_get_pset_info:
  case MPIPP_PROC_Session_set_errhandler:
  case MPIPP_PROC_Group_from_session_pset:
    return 1;
  case MPIPP_PROC_Comm_create_from_group:
  case MPIPP_PROC_Intercomm_create_from_groups:
    return is_mpi_available(call);
  case MPIPP_PROC_Comm_free:
  case MPIPP_PROC_Comm_disconnect:
  case MPIPP_PROC_Op_free:
    return may_be_freed(call);
  case MPIPP_PROC_Dims_create:
    return mpipp_filter_are_grid_sizes(call);
  case MPIPP_PROC_Group_translate_ranks:
    return are_ranks(call);
  case MPIPP_PROC_Cart_rank:
  case MPIPP_PROC_Cart_coords:
  case MPIPP_PROC_Cart_shift:
  case MPIPP_PROC_Graph_neighbors:
  case MPIPP_PROC_Graph_neighbors_count:
    return mpipp_filter_is_in_topology(call);
  case MPIPP_PROC_Parrived:
    return mpipp_filter_may_arrive(call);
  case MPIPP_PROC_Pready:
  case MPIPP_PROC_Pready_range:
  case MPIPP_PROC_Pready_list:
    return mpipp_filter_are_partitions(call);
  case MPIPP_PROC_Buffer_attach:
  case MPIPP_PROC_Buffer_attach_c:
  case MPIPP_PROC_Comm_attach_buffer:
  case MPIPP_PROC_Comm_attach_buffer_c:
    return is_not_attached(call);
  default:
    return 0;
  }
}

int mpipp_filter_has_fine_arguments(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  if (!has_any_numbers(call)) return 0;
  for (uint32_t i = 0; i < call->input_count; i++) {
    // Only the leader's handle of the other group's communicator is significant (MPI-4.1, section
    // 7.6.2).
    if (inputs[i].shape != MPIPP_SHAPE_HANDLE ||
        inputs[i].name == mpipp_role(MPIPP_ROLE_remote_group))
      continue;
    const struct mpipp_object *object = object_of(&inputs[i]);
    if (!object || object->flags & MPIPP_FLAG_NULL) return 0;
  }
  return 1;
}

static void doubt_object(const struct mpipp_input *input, struct mpipp_doubt *doubt) {
  enum mpipp_kind kind = mpipp_filter_kind_of_name(input->name);
  uint64_t handle = 0;
  if (!input->values || input->size > sizeof handle) return;
  memcpy(&handle, input->values, input->size);
  const void *record = kind < MPIPP_KINDS ? mpipp_find(kind, handle) : NULL;
  if (!record) {
    mpipp_doubt(doubt, handle);
    return;
  }
  mpipp_doubt(doubt, ((const struct mpipp_object *)record)->flags);
  if (kind == MPIPP_GROUP) {
    const struct mpipp_group *group = record;
    mpipp_doubt(doubt, (uint64_t)(uint32_t)group->size);
  } else if (kind == MPIPP_COMM) {
    const struct mpipp_comm *comm = record;
    mpipp_doubt(doubt, (uint64_t)comm->size << 32 | (uint32_t)comm->remote_size);
  }
}

void mpipp_filter_doubt_inputs(const struct mpipp_call *call, struct mpipp_doubt *doubt) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  for (uint32_t i = 0; i < call->input_count; i++) {
    const struct mpipp_input *input = &inputs[i];
    if (input->shape == MPIPP_SHAPE_HANDLE) {
      doubt_object(input, doubt);
      continue;
    }
    // A finding does not depend on the address of a window.
    if (input->name == mpipp_role(MPIPP_ROLE_base)) {
      mpipp_doubt(doubt, mpipp_input_value(input, 0) != 0);
      continue;
    }
    int64_t count = mpipp_filter_input_count(call, i);
    mpipp_doubt(doubt, input->values ? (uint64_t)count : ~(uint64_t)0);
    for (int64_t k = 0; input->values && k < count; k++)
      mpipp_doubt(doubt, (uint64_t)mpipp_input_value(input, k));
  }
}

uint64_t mpipp_filter_file_of(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  if (call->procedure == MPIPP_PROC_File_close) return *(const uint64_t *)inputs[0].values;
  return call->file;
}

int mpipp_filter_ends_on_file(const struct mpipp_call *call) {
  switch (mpipp_facts[call->procedure].operation) {
  case MPIPP_PROC_File_close:
  case MPIPP_PROC_File_set_size:
  case MPIPP_PROC_File_set_view:
  case MPIPP_PROC_File_sync:
    return 1;
  default:
    return 0;
  }
}
