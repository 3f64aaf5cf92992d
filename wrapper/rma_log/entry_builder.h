// SPDX-License-Identifier: MIT
// Entries of the log, from calls and the objects that they made.
#ifndef MPIPP_RMA_LOG_ENTRY_BUILDER_H
#define MPIPP_RMA_LOG_ENTRY_BUILDER_H

#include "abi/vendor.h"
#include "intercept/hooks.h"

// A window that was made, or is freed.
void mpipp_rma_log_window(const struct mpipp_call *call, const struct mpipp_win *win);
void mpipp_rma_log_win_free(const struct mpipp_call *call, const struct mpipp_win *win);
// An operation on a window; request: 0 without.
void mpipp_rma_log_operation(const struct mpipp_call *call, uint64_t request);
// A call on a window begins: one that synchronizes or frees it, and in which MPI may find an error.
void mpipp_rma_log_attempt(const struct mpipp_call *call, uint64_t handle);
// A call that synchronizes, which has succeeded; before: number of entries when it began.
void mpipp_rma_log_synchronization(const struct mpipp_call *call, uint64_t before);
// MPI_Win_set_info.
void mpipp_rma_log_hints(const struct mpipp_call *call);
// MPI_Win_shared_query, which has returned the address of a window's memory.
void mpipp_rma_log_shared_query(const struct mpipp_call *call);
// Memory of a dynamic window.
void mpipp_rma_log_memory(const struct mpipp_call *call);

// The parts of a call that communicates otherwise: `of` is the call that made the request, or
// `call`; status: of a blocking receive.
void mpipp_rma_log_communication(const struct mpipp_call *call, const struct mpipp_call *of,
                                 uint64_t request, const MPI_Status *status);
// A collective call; or the making of a persistent one.
void mpipp_rma_log_collective(const struct mpipp_call *call, const struct mpipp_call *of,
                              const struct mpipp_comm *comm, uint64_t request);
// A probe has found a message.
void mpipp_rma_log_probe(const struct mpipp_call *call, const MPI_Status *status);
// A matching probe took a message, which is received later.
void mpipp_rma_log_message(const struct mpipp_call *call, const struct mpipp_message *message);
void mpipp_rma_log_message_receive(const struct mpipp_call *call, uint64_t message);
// A request that receives such a message.
void mpipp_rma_log_match(const struct mpipp_call *call, uint64_t request, uint64_t message);
void mpipp_rma_log_start(const struct mpipp_call *call, const struct mpipp_request *request);
void mpipp_rma_log_completion(const struct mpipp_call *call, const struct mpipp_request *request,
                              const MPI_Status *status);
void mpipp_rma_log_request_free(const struct mpipp_call *call, const struct mpipp_request *request);
// Partitions that a call marks ready, or has found to have arrived.
void mpipp_rma_log_partitions(const struct mpipp_call *call);
// An unknown event that orders; and the end, MPI_Finalize.
void mpipp_rma_log_unknown(const struct mpipp_call *call);
void mpipp_rma_log_finalize(const struct mpipp_call *call);

#endif
