// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "abi/vendor.h"
#include "generated/facts.h"
#include "recorder/requests/shared_handles.h"
#include "registry/object_store.h"
#include "rma_log/call_arguments.h"
#include "rma_log/comm_members.h"
#include "rma_log/entry_builder.h"
#include "rma_log/log.h"
#include "rma_log/other_worlds.h"

void mpipp_rma_log_unknown(const struct mpipp_call *call) {
  if (mpipp_rma_log_begin(MPIPP_LOGGED_UNKNOWN, call, 0)) mpipp_rma_log_end();
}

void mpipp_rma_log_finalize(const struct mpipp_call *call) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_ENDED, call, 1);
  if (!at) return;
  at[0] = mpipp_log_frame(call);
  mpipp_rma_log_end();
}

static uint64_t tag_of(int64_t tag) {
  return tag == MPI_ANY_TAG ? MPIPP_LOG_ANY : (uint64_t)tag;
}

static uint64_t persistent_bit(const struct mpipp_call *of) {
  return mpipp_facts[of->procedure].form == MPIPP_FORM_PERSISTENT ? MPIPP_LOG_PERSISTENT : 0;
}

static int is_synchronous(uint32_t procedure) {
  return procedure == MPIPP_PROC_Ssend || procedure == MPIPP_PROC_Issend ||
         procedure == MPIPP_PROC_Ssend_init || procedure == MPIPP_PROC_Ssend_c ||
         procedure == MPIPP_PROC_Issend_c || procedure == MPIPP_PROC_Ssend_init_c;
}

static void log_send(const struct mpipp_call *call, const struct mpipp_call *of,
                     const struct mpipp_comm *comm, uint64_t request) {
  if (of->dest == MPI_PROC_NULL) return;
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_SEND, call, 6);
  if (!at) return;
  at[0] = comm->identity;
  at[1] = mpipp_rma_log_rank(comm, of->dest);
  at[2] = (uint64_t)of->tag;
  at[3] = of->ordinal;
  at[4] = request;
  at[5] = persistent_bit(of) | (is_synchronous(of->procedure) ? MPIPP_LOG_SYNCHRONOUS : 0);
  mpipp_rma_log_end();
}

static int is_probe(uint32_t procedure) {
  return procedure == MPIPP_PROC_Probe || procedure == MPIPP_PROC_Iprobe;
}

static void log_receive(const struct mpipp_call *call, const struct mpipp_call *of,
                        const struct mpipp_comm *comm, uint64_t request, const MPI_Status *status) {
  if (of->source == MPI_PROC_NULL) return;
  int64_t tag = of->present & MPIPP_HAS_RECVTAG ? of->recvtag : of->tag;
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_RECEIVE, call, 7);
  if (!at) return;
  at[0] = comm->identity;
  at[1] = mpipp_rma_log_rank(comm, of->source);
  at[2] = tag_of(tag);
  at[3] = request;
  at[4] = persistent_bit(of) | (is_probe(of->procedure) ? MPIPP_LOG_PROBES : 0);
  at[5] =
      status && of->source == MPI_ANY_SOURCE ? mpipp_rma_log_rank(comm, status->MPI_SOURCE) : at[1];
  at[6] = status && tag == MPI_ANY_TAG ? tag_of(status->MPI_TAG) : at[2];
  mpipp_rma_log_end();
}

static void log_partitioned_request(const struct mpipp_call *call, const struct mpipp_call *of,
                                    const struct mpipp_comm *comm, uint64_t request) {
  int sends = (of->present & MPIPP_HAS_DEST) != 0;
  int64_t peer = sends ? of->dest : of->source;
  if (peer == MPI_PROC_NULL) return;
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_PARTITIONED, call, 7);
  if (!at) return;
  at[0] = comm->identity;
  at[1] = mpipp_rma_log_rank(comm, peer);
  at[2] = (uint64_t)of->tag;
  at[3] = of->ordinal;
  at[4] = request;
  at[5] = sends ? MPIPP_LOG_SENDS : MPIPP_LOG_TAKES;
  at[6] = (uint64_t)of->buffers[0].peers;
  mpipp_rma_log_end();
}

static void log_run(const struct mpipp_call *call, uint64_t request, int64_t first,
                    int64_t number) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_PARTITIONS, call, 3);
  if (!at) return;
  at[0] = request;
  at[1] = (uint64_t)first;
  at[2] = (uint64_t)number;
  mpipp_rma_log_end();
}

// The serial of the request of a call on partitions, if it is active; else 0.
static uint64_t active_request(const struct mpipp_call *call) {
  uint64_t handle = MPIPP_KEY(*(const MPI_Request *)(uintptr_t)call->requests), serial = 0;
  int locked = mpipp_lock_kind(MPIPP_REQUEST);
  const struct mpipp_request *request = mpipp_recorder_chain_find(handle, 0);
  if (request && mpipp_facts[request->call.procedure].form == MPIPP_FORM_PARTITIONED &&
      request->state == MPIPP_REQUEST_ACTIVE)
    serial = request->object.serial;
  mpipp_unlock_kind(locked);
  return serial;
}

void mpipp_rma_log_partitions(const struct mpipp_call *call) {
  uint64_t request = active_request(call);
  if (!request) return;
  int64_t first = mpipp_log_number(call, 0, 0);
  if (call->procedure == MPIPP_PROC_Pready_range) {
    log_run(call, request, first, mpipp_log_number(call, 1, 0) - first + 1);
  } else if (call->procedure == MPIPP_PROC_Pready_list) {
    for (int64_t i = 0, length = first, run; i < length; i += run) {
      first = mpipp_log_number(call, 1, i);
      for (run = 1; i + run < length; run++)
        if (mpipp_log_number(call, 1, i + run) != first + run) break;
      log_run(call, request, first, run);
    }
  } else {
    log_run(call, request, first, 1);
  }
}

void mpipp_rma_log_communication(const struct mpipp_call *call, const struct mpipp_call *of,
                                 uint64_t request, const MPI_Status *status) {
  const uint32_t ordinals = MPIPP_HAS_ORDINAL | MPIPP_HAS_RECV_ORDINAL;
  int sends = (of->present & MPIPP_HAS_DEST) != 0, receives = (of->present & MPIPP_HAS_SOURCE) != 0;
  int persistent = mpipp_facts[of->procedure].form == MPIPP_FORM_PERSISTENT;
  if (!(of->present & MPIPP_HAS_COMM) || !(of->present & ordinals || persistent)) return;
  int together = mpipp_facts[of->procedure].over == MPIPP_OVER_COMM;
  if (!sends && !receives && !together) return;
  struct mpipp_comm *comm = mpipp_find(MPIPP_COMM, of->comm);
  int partitioned = mpipp_facts[of->procedure].form == MPIPP_FORM_PARTITIONED;
  if (comm && !comm->identity && !persistent && !partitioned && mpipp_rma_has_other_worlds(comm))
    return mpipp_rma_log_other_world(call, request);
  if (!comm || !comm->identity) return mpipp_rma_log_unknown(call);
  mpipp_rma_log_comm(call, comm);
  if (partitioned) return log_partitioned_request(call, of, comm, request);
  if (sends) log_send(call, of, comm, request);
  if (receives) log_receive(call, of, comm, request, status);
  if (!sends && !receives) mpipp_rma_log_collective(call, of, comm, request);
}

void mpipp_rma_log_probe(const struct mpipp_call *call, const MPI_Status *status) {
  struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, call->comm);
  if (call->source == MPI_PROC_NULL) return;
  if (comm && !comm->identity && mpipp_rma_has_other_worlds(comm))
    return; // mpipp_rma_log_other_world_ends logs this
  if (!comm || !comm->identity) return mpipp_rma_log_unknown(call);
  mpipp_rma_log_comm(call, comm);
  log_receive(call, call, comm, 0, status);
}

void mpipp_rma_log_message(const struct mpipp_call *call, const struct mpipp_message *message) {
  struct mpipp_comm *comm = mpipp_find_live(MPIPP_COMM, message->comm);
  if (message->source == MPI_PROC_NULL) return;
  if (!comm || !comm->identity) return mpipp_rma_log_unknown(call);
  mpipp_rma_log_comm(call, comm);
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_RECEIVE, call, 7);
  if (!at) return;
  at[0] = comm->identity;
  at[1] = mpipp_rma_log_rank(comm, call->source);
  at[2] = tag_of(call->tag);
  at[3] = message->object.serial | MPIPP_LOG_MESSAGE;
  at[4] = 0;
  at[5] = mpipp_rma_log_rank(comm, message->source);
  at[6] = tag_of(message->tag);
  mpipp_rma_log_end();
}

static void log_end(const struct mpipp_call *call, uint64_t request, uint64_t rank, uint64_t tag,
                    uint64_t bits, uint64_t frame) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_COMPLETED, call, frame ? 5 : 4);
  if (!at) return;
  at[0] = request;
  at[1] = rank;
  at[2] = tag;
  at[3] = bits;
  if (frame) at[4] = frame;
  mpipp_rma_log_end();
}

void mpipp_rma_log_message_receive(const struct mpipp_call *call, uint64_t message) {
  log_end(call, message | MPIPP_LOG_MESSAGE, MPIPP_LOG_NOT_KNOWN, MPIPP_LOG_NOT_KNOWN, 0, 0);
}

void mpipp_rma_log_match(const struct mpipp_call *call, uint64_t request, uint64_t message) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_MATCHED, call, 2);
  if (!at) return;
  at[0] = request;
  at[1] = message | MPIPP_LOG_MESSAGE;
  mpipp_rma_log_end();
}

void mpipp_rma_log_start(const struct mpipp_call *call, const struct mpipp_request *request) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_STARTED, call, 2);
  if (!at) return;
  at[0] = request->object.serial;
  at[1] = request->call.ordinal;
  mpipp_rma_log_end();
}

void mpipp_rma_log_completion(const struct mpipp_call *call, const struct mpipp_request *request,
                              const MPI_Status *status) {
  const struct mpipp_call *of = &request->call;
  const struct mpipp_comm *comm =
      of->present & MPIPP_HAS_SOURCE ? mpipp_find(MPIPP_COMM, of->comm) : NULL;
  uint64_t rank = MPIPP_LOG_NOT_KNOWN, tag = MPIPP_LOG_NOT_KNOWN, bits = 0;
  int cancelled = 0;
  if (comm && status) {
    rank = mpipp_rma_log_rank(comm, status->MPI_SOURCE);
    tag = tag_of(status->MPI_TAG);
  }
  if (status && of->present & (MPIPP_HAS_SOURCE | MPIPP_HAS_DEST))
    PMPI(Test_cancelled)(status, &cancelled);
  if (cancelled) bits |= MPIPP_LOG_CANCELLED;
  // A buffer on the stack must exist until the operation is complete, so the frame of this call is
  // logged.
  uint64_t frame = of->present & MPIPP_HAS_WIN ? mpipp_log_frame(call) : 0;
  log_end(call, request->object.serial, rank, tag, bits, frame);
}

void mpipp_rma_log_request_free(const struct mpipp_call *call,
                                const struct mpipp_request *request) {
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_GIVEN_UP, call, 1);
  if (!at) return;
  at[0] = request->object.serial;
  mpipp_rma_log_end();
}
