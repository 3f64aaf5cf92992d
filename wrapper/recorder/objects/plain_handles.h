// SPDX-License-Identifier: MIT
// Records objects with few properties: reduction operations, error handlers, messages, sessions.
#ifndef MPIPP_RECORDER_OBJECTS_PLAIN_HANDLES_H
#define MPIPP_RECORDER_OBJECTS_PLAIN_HANDLES_H

#include "abi/vendor.h"
#include "registry/records.h"

void mpipp_recorder_add_op(const struct mpipp_call *call, MPI_Op op, uint64_t function,
                           int commute);
void mpipp_recorder_add_errhandler(const struct mpipp_call *call, MPI_Errhandler errhandler,
                                   uint64_t function);
void mpipp_recorder_set_errhandler(enum mpipp_kind kind, uint64_t handle, uint64_t errhandler);

void mpipp_recorder_add_message(struct mpipp_call *call, MPI_Message message,
                                const MPI_Status *status);
#ifdef MPIPP_HAVE_Session_init
void mpipp_recorder_add_session(const struct mpipp_call *call, MPI_Session session,
                                uint64_t errhandler);
#endif

#endif
