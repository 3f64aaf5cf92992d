// SPDX-License-Identifier: MIT
#include "intercept/wrapper_body.h"

#include <string.h>

#include "generated/facts.h"
#include "intercept/finalize.h"
#include "intercept/thread_levels.h"
#include "recorder/objects/communicators.h"
#include "recorder/returned_codes.h"

enum { SHOWN_ROOM = 64 };

struct mpipp_thread *mpipp_intercept_outside_record(void *caller, void *frame) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  if (thread == &mpipp_recorder_no_thread) thread = mpipp_intercept_thread_new();
  return thread && thread->depth ? mpipp_intercept_callback_record(thread, caller, frame) : thread;
}

// Handles a call inside another call. If a callback of the program creates an object, the object is
// not recorded, but its handle may have been another object's.
static void pass(unsigned procedure, uint64_t caller) {
  int makes = mpipp_facts[procedure].form != MPIPP_FORM_BLOCKING ||
              procedure == MPIPP_PROC_Mprobe || procedure == MPIPP_PROC_Improbe;
  if (makes && !mpipp_abi_in_mpi(caller)) MPIPP_WRITE(mpipp_registry.unseen, 1);
}

struct mpipp_begin_result mpipp_intercept_begin_slow(unsigned procedure, void *caller,
                                                     void *frame) {
  struct mpipp_thread *record = mpipp_intercept_outside_record(caller, frame),
                      *thread = mpipp_recorder_self;
  if (!record) {
    pass(procedure, (uintptr_t)caller);
    return (struct mpipp_begin_result){NULL, mpipp_procedure(0, procedure)};
  }
  struct mpipp_begin_result begun = {record, mpipp_procedure(thread->profiling != 0, procedure)};
  thread->profiling = 0;
  if (record->watched) mpipp_intercept_check_level(record, procedure, (uintptr_t)caller);
  return begun;
}

uint64_t mpipp_intercept_callback_frees(enum mpipp_kind kind, uint64_t handle, void *caller) {
  return handle && !mpipp_abi_in_mpi((uintptr_t)caller) ? mpipp_registry_serial_of(kind, handle)
                                                        : 0;
}

void mpipp_intercept_callback_makes(enum mpipp_kind kind, uint64_t handle, void *caller) {
  if (mpipp_abi_in_mpi((uintptr_t)caller)) return;
  if (kind == MPIPP_COMM)
    mpipp_recorder_promise_comm(handle);
  else
    mpipp_registry_note_new_handle(kind, handle);
}

static const struct mpipp_comm *comm_of(const struct mpipp_call *call) {
  return mpipp_find_live(MPIPP_COMM, call->comm);
}

int64_t mpipp_intercept_peers(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = comm_of(call);
  return comm ? (comm->inter ? comm->remote_size : comm->size) : 0;
}

int64_t mpipp_intercept_parts(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = comm_of(call);
  return comm ? comm->size : 0;
}

int64_t mpipp_intercept_sources(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = comm_of(call);
  return comm ? comm->indegree : 0;
}

int64_t mpipp_intercept_targets(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = comm_of(call);
  return comm ? comm->outdegree : 0;
}

int mpipp_at_root(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = comm_of(call);
  return comm && call->root == (comm->inter ? MPI_ROOT : comm->rank);
}

int mpipp_at_leaf(const struct mpipp_call *call) {
  const struct mpipp_comm *comm = comm_of(call);
  return !comm || !comm->inter || (call->root != MPI_ROOT && call->root != MPI_PROC_NULL);
}

static int64_t element(const void *values, int64_t index, unsigned size) {
  return size == sizeof(int) ? ((const int *)values)[index] : ((const int64_t *)values)[index];
}

int64_t mpipp_intercept_own_count(const struct mpipp_call *call, const void *counts,
                                  unsigned size) {
  const struct mpipp_comm *comm = comm_of(call);
  return comm && counts ? element(counts, comm->rank, size) : 0;
}

int64_t mpipp_intercept_total_count(const struct mpipp_call *call, const void *counts,
                                    unsigned size) {
  const struct mpipp_comm *comm = comm_of(call);
  int64_t total = 0;
  for (int i = 0; comm && counts && i < comm->size; i++) total += element(counts, i, size);
  return total;
}

void mpipp_intercept_counts(struct mpipp_call *call, const void *counts, unsigned size) {
  const struct mpipp_comm *comm = comm_of(call);
  if (!comm || !counts) return;
  call->vectors[0] = (struct mpipp_vector){
      .length = (uint64_t)comm->size, .counts = (uintptr_t)counts, .count_size = size};
  call->present |= MPIPP_HAS_COUNTS | MPIPP_HAS_VECTORS;
}

void mpipp_intercept_find_datatype(struct mpipp_call *call, uint32_t index) {
  struct mpipp_buffer *buffer = &call->buffers[index];
  struct mpipp_object *found = mpipp_find(MPIPP_DATATYPE, buffer->datatype);
  int unknown = mpipp_is_unknown((uintptr_t)found);
  buffer->record = (uintptr_t)found;
  mpipp_thread_of(call)->known[index] = (uintptr_t)(unknown ? &mpipp_registry_no_object : found);
  if (!unknown) return;
  call->present |= MPIPP_HAS_UNKNOWN;
  if (found) buffer->access |= MPIPP_STALE;
}

void mpipp_intercept_buffer_v(struct mpipp_call *call, const void *address,
                              struct mpipp_arrays arrays, uint64_t datatype, int64_t peers,
                              unsigned access, unsigned role) {
  unsigned index = 0;
  for (uint32_t i = 0; i < call->buffer_count; i++) index += call->buffers[i].vector != 0;
  struct mpipp_vector *vector = &call->vectors[index];
  vector->length = (uint64_t)peers;
  vector->counts = (uintptr_t)arrays.counts;
  vector->displacements = (uintptr_t)arrays.displacements;
  vector->datatypes = (uintptr_t)arrays.datatypes;
  vector->count_size = arrays.count_size;
  vector->displacement_size = arrays.displacement_size;
  vector->records = 0;
  struct mpipp_buffer *buffer =
      mpipp_buffer(call, call->buffer_count, address, 0, datatype, access, role);
  // With MPI_IN_PLACE, the arrays are not significant.
  if (buffer->address == (uintptr_t)MPI_IN_PLACE) return;
  buffer->vector = index + 1;
  call->present |= MPIPP_HAS_VECTORS;
}

void mpipp_intercept_show_handles(struct mpipp_thread *thread, int64_t count,
                                  const MPI_Request *requests) {
  if (count <= 0 || !requests) return;
  uint64_t wanted = (uint64_t)count;
  if (wanted > thread->shown_room) {
    uint64_t room = wanted < SHOWN_ROOM ? SHOWN_ROOM : 2 * wanted;
    mpipp_registry_release(&thread->shown);
    thread->shown = (uintptr_t)mpipp_registry_allocate(room * sizeof *requests);
    thread->shown_room = thread->shown ? room : 0;
  }
  if (!thread->shown) return;
  memcpy((void *)(uintptr_t)thread->shown, requests, wanted * sizeof *requests);
  thread->shown_serial = thread->call.serial;
}

MPI_Request *mpipp_intercept_copy_handles(int64_t count, const MPI_Request *requests) {
  MPI_Request *all = mpipp_registry_allocate((size_t)count * sizeof *requests);
  if (all) memcpy(all, requests, (size_t)count * sizeof *requests);
  return all;
}

int mpipp_intercept_fail(struct mpipp_thread *thread, int code) {
  const struct mpipp_passage *passage = (const void *)(uintptr_t)thread->passage;
  // A hook that has refused the call reports the error itself.
  if (!passage || !passage->over) mpipp_recorder_note_code(thread, 0, code);
  return mpipp_leave(thread, code);
}
