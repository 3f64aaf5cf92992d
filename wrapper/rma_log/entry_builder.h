// SPDX-License-Identifier: MIT
// Writes entries of the log, from calls and from the objects that they created.
#ifndef MPIPP_RMA_LOG_ENTRY_BUILDER_H
#define MPIPP_RMA_LOG_ENTRY_BUILDER_H

#include "abi/vendor.h"
#include "intercept/hooks.h"

// Log that a window was created, or is freed.
void mpipp_rma_log_window(const struct mpipp_call *call, const struct mpipp_win *win);
void mpipp_rma_log_win_free(const struct mpipp_call *call, const struct mpipp_win *win);
// Logs an operation on a window. request: serial of its request, 0 if it has none.
void mpipp_rma_log_operation(const struct mpipp_call *call, uint64_t request);
// Logs the beginning of a call that synchronizes or frees a window. The call may be wrong.
void mpipp_rma_log_attempt(const struct mpipp_call *call, uint64_t handle);
// Logs the end of a synchronizing call that has succeeded. before: number of entries when it began.
void mpipp_rma_log_synchronization(const struct mpipp_call *call, uint64_t before);
// Logs the info keys of MPI_Win_set_info.
void mpipp_rma_log_hints(const struct mpipp_call *call);
// Logs the memory of a window whose address MPI_Win_shared_query has returned.
void mpipp_rma_log_shared_query(const struct mpipp_call *call);
// Logs memory that was attached to a dynamic window, or detached.
void mpipp_rma_log_memory(const struct mpipp_call *call);

// Logs a call that communicates in other ways. of: the call that created the request, or `call`
// itself. status: of a blocking receive.
void mpipp_rma_log_communication(const struct mpipp_call *call, const struct mpipp_call *of,
                                 uint64_t request, const MPI_Status *status);
// Logs a collective call, or the creation of a persistent collective request.
void mpipp_rma_log_collective(const struct mpipp_call *call, const struct mpipp_call *of,
                              const struct mpipp_comm *comm, uint64_t request);
// Logs that a probe has found a message.
void mpipp_rma_log_probe(const struct mpipp_call *call, const MPI_Status *status);
// Log that a matching probe took a message, and the later receive of that message.
void mpipp_rma_log_message(const struct mpipp_call *call, const struct mpipp_message *message);
void mpipp_rma_log_message_receive(const struct mpipp_call *call, uint64_t message);
// Logs that the request receives that message.
void mpipp_rma_log_match(const struct mpipp_call *call, uint64_t request, uint64_t message);
void mpipp_rma_log_start(const struct mpipp_call *call, const struct mpipp_request *request);
void mpipp_rma_log_completion(const struct mpipp_call *call, const struct mpipp_request *request,
                              const MPI_Status *status);
void mpipp_rma_log_request_free(const struct mpipp_call *call, const struct mpipp_request *request);
// Logs partitions that a call marks ready, or has found to have arrived.
void mpipp_rma_log_partitions(const struct mpipp_call *call);
// Log an event whose effect on the order is unknown, and MPI_Finalize.
void mpipp_rma_log_unknown(const struct mpipp_call *call);
void mpipp_rma_log_finalize(const struct mpipp_call *call);

#endif
