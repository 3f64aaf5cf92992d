// SPDX-License-Identifier: MIT
#include "recorder/requests/call_copy.h"

#include <stddef.h>
#include <string.h>

#include "abi/vendor.h"
#include "registry/object_store.h"

// Returns whether an operation must keep the records of its datatypes alive. Records of predefined
// datatypes always exist.
static inline int keeps_datatypes(const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_object *datatype = (void *)(uintptr_t)call->buffers[i].record;
    if (datatype && !(MPIPP_READ(datatype->flags) & MPIPP_FLAG_PREDEFINED)) return 1;
  }
  return (call->present & MPIPP_HAS_VECTORS) != 0;
}

static void refer_datatypes(struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    struct mpipp_buffer *buffer = &call->buffers[i];
    if (!mpipp_registry_refer_locked(buffer->record, buffer->datatype)) buffer->record = 0;
  }
  for (int v = 0; v < MPIPP_MAX_VECTORS && call->present & MPIPP_HAS_VECTORS; v++) {
    uint64_t *records = (uint64_t *)(uintptr_t)call->vectors[v].records;
    const MPI_Datatype *handles = (const MPI_Datatype *)(uintptr_t)call->vectors[v].datatypes;
    for (uint64_t i = 0; records && i < call->vectors[v].length; i++) {
      if (!mpipp_registry_refer_locked(records[i], MPIPP_KEY(handles[i]))) records[i] = 0;
    }
  }
}

// Releases what the copy refers to, only once: at completion, or when the record is reused.
void mpipp_recorder_drop_call(struct mpipp_request *request) {
  struct mpipp_call *call = &request->call;
  if (request->marks) mpipp_registry_release(&request->marks);
  if (!request->counted) return;
  MPIPP_WRITE(request->counted, 0);
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    mpipp_registry_unrefer_locked(call->buffers[i].record);
    call->buffers[i].record = 0;
  }
  if (!request->copies) return;
  for (int v = 0; v < MPIPP_MAX_VECTORS; v++) {
    uint64_t *records = (uint64_t *)(uintptr_t)call->vectors[v].records;
    for (uint64_t i = 0; records && i < call->vectors[v].length; i++)
      mpipp_registry_unrefer_locked(records[i]);
    memset(&call->vectors[v], 0, sizeof call->vectors[v]);
  }
  call->buffer_count = 0;
  mpipp_registry_release(&request->copies);
}

static uint64_t copy_array(char **room, uint64_t from, uint64_t bytes) {
  if (!from) return 0;
  char *to = *room;
  memcpy(to, (const void *)(uintptr_t)from, bytes);
  *room += (bytes + 7) & ~(uint64_t)7;
  return (uint64_t)(uintptr_t)to;
}

static uint64_t vector_bytes(const struct mpipp_vector *vector) {
  return vector->length * (3 * 8 + sizeof(MPI_Datatype)) + 32;
}

static void copy_vector(struct mpipp_vector *vector, char **room) {
  uint64_t n = vector->length, datatypes = vector->datatypes;
  vector->counts = copy_array(room, vector->counts, n * vector->count_size);
  vector->displacements = copy_array(room, vector->displacements, n * vector->displacement_size);
  vector->datatypes = copy_array(room, datatypes, n * sizeof(MPI_Datatype));
  if (!datatypes) return;
  uint64_t *records = (uint64_t *)*room;
  const MPI_Datatype *handles = (const MPI_Datatype *)(uintptr_t)vector->datatypes;
  for (uint64_t i = 0; i < n; i++)
    records[i] = (uintptr_t)mpipp_find(MPIPP_DATATYPE, MPIPP_KEY(handles[i]));
  vector->records = (uint64_t)(uintptr_t)records;
  *room += n * sizeof *records;
}

// Copies the count arrays, because the caller's may be gone when the debugger reads them.
static void copy_vectors(struct mpipp_request *request) {
  struct mpipp_call *call = &request->call;
  uint64_t bytes = 0;
  int used = (call->present & MPIPP_HAS_COUNTS) != 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if ((int)call->buffers[i].vector > used) used = (int)call->buffers[i].vector;
  }
  for (int v = 0; v < used; v++) bytes += vector_bytes(&call->vectors[v]);
  char *room = bytes ? mpipp_registry_allocate(bytes) : NULL;
  request->copies = (uint64_t)(uintptr_t)room;
  for (int v = 0; v < used; v++) {
    if (room)
      copy_vector(&call->vectors[v], &room);
    else
      memset(&call->vectors[v], 0, sizeof call->vectors[v]);
  }
}

void mpipp_recorder_request_keep(struct mpipp_request *request, const struct mpipp_call *call) {
  const size_t first = offsetof(struct mpipp_call, buffers[1]);
  if (call->buffer_count > 1 || call->present & ~(uint32_t)MPIPP_HAS_FIRST)
    memcpy((char *)&request->call + first, (const char *)call + first, sizeof *call - first);
  if (!keeps_datatypes(call)) return;
  request->special |= MPIPP_SPECIAL;
  request->counted = 1;
  if (call->present & MPIPP_HAS_VECTORS) copy_vectors(request);
  refer_datatypes(&request->call);
}

struct mpipp_output mpipp_recorder_complete_operation(struct mpipp_request *request, int kept) {
  if (kept) {
    __atomic_store_n(&request->state, MPIPP_REQUEST_INACTIVE, __ATOMIC_RELEASE);
    return (struct mpipp_output){0};
  }
  struct mpipp_output output = {request->output, request->call.comm, request->call.ordinal, 0};
  request->output = 0;
  __atomic_store_n(&request->state, MPIPP_REQUEST_COMPLETE, __ATOMIC_RELEASE);
  if (MPIPP_UNLIKELY(request->counted | request->marks)) mpipp_recorder_drop_call(request);
  mpipp_mark(&request->object, MPIPP_FLAG_ENDED);
  return output;
}
