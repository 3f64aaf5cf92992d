// SPDX-License-Identifier: MIT
// Writes entries of the log, from calls and from the objects that they created.
#ifndef MPIPP_RMA_LOG_ENTRY_BUILDER_H
#define MPIPP_RMA_LOG_ENTRY_BUILDER_H

#include "abi/vendor.h"
#include "intercept/hooks.h"

// A window was created; in mpipp_rma_log_win_free, a window is freed.
void mpipp_rma_log_window(const struct mpipp_call *call, const struct mpipp_win *win);
void mpipp_rma_log_win_free(const struct mpipp_call *call, const struct mpipp_win *win);
// An operation on a window. request: serial of its request, 0 if it has none.
void mpipp_rma_log_operation(const struct mpipp_call *call, uint64_t request);
// Logs the begin of a call that synchronizes or frees a window. The call may be wrong.
void mpipp_rma_log_attempt(const struct mpipp_call *call, uint64_t handle);
// A call that synchronizes has succeeded. before: number of entries when it began.
void mpipp_rma_log_synchronization(const struct mpipp_call *call, uint64_t before);
// MPI_Win_set_info was called.
void mpipp_rma_log_hints(const struct mpipp_call *call);
// MPI_Win_shared_query has returned the address of a window's memory.
void mpipp_rma_log_shared_query(const struct mpipp_call *call);
// Memory was attached to a dynamic window, or detached.
void mpipp_rma_log_memory(const struct mpipp_call *call);

// A call that communicates in other ways. of: the call that created the request, or `call` itself.
// status: of a blocking receive.
void mpipp_rma_log_communication(const struct mpipp_call *call, const struct mpipp_call *of,
                                 uint64_t request, const MPI_Status *status);
// A collective call, or the creation of a persistent collective request.
void mpipp_rma_log_collective(const struct mpipp_call *call, const struct mpipp_call *of,
                              const struct mpipp_comm *comm, uint64_t request);
// A probe has found a message.
void mpipp_rma_log_probe(const struct mpipp_call *call, const MPI_Status *status);
// A matching probe took a message, which is received later.
void mpipp_rma_log_message(const struct mpipp_call *call, const struct mpipp_message *message);
void mpipp_rma_log_message_receive(const struct mpipp_call *call, uint64_t message);
// The request receives that message.
void mpipp_rma_log_match(const struct mpipp_call *call, uint64_t request, uint64_t message);
void mpipp_rma_log_start(const struct mpipp_call *call, const struct mpipp_request *request);
void mpipp_rma_log_completion(const struct mpipp_call *call, const struct mpipp_request *request,
                              const MPI_Status *status);
void mpipp_rma_log_request_free(const struct mpipp_call *call, const struct mpipp_request *request);
// Partitions that a call marks ready, or has found to have arrived.
void mpipp_rma_log_partitions(const struct mpipp_call *call);
// mpipp_rma_log_unknown: an event whose effect on the order is unknown. mpipp_rma_log_finalize:
// MPI_Finalize.
void mpipp_rma_log_unknown(const struct mpipp_call *call);
void mpipp_rma_log_finalize(const struct mpipp_call *call);

#endif
