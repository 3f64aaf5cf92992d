// SPDX-License-Identifier: MIT
// Buffers for buffered sends (MPI-4.1, section 3.6): of the process, of a communicator, of a
// session.
#ifndef MPIPP_RECORDER_OBJECTS_ATTACHED_BUFFERS_H
#define MPIPP_RECORDER_OBJECTS_ATTACHED_BUFFERS_H

#include "registry/records.h"

// Once MPI has accepted the call: with a communicator it is for that one alone.
void mpipp_recorder_attached(struct mpipp_call *call, const void *buffer, int64_t size);
void mpipp_recorder_detached(struct mpipp_call *call);
void mpipp_recorder_attached_to_session(void);
// One was attached or detached where nothing is recorded: inside another call.
void mpipp_recorder_attached_unseen(void);
// Once MPI has accepted a buffered send. Bytes that it takes there, at least.
void mpipp_recorder_buffered(const struct mpipp_call *call);
int64_t mpipp_recorder_bytes_buffered(const struct mpipp_call *call);

// The one that a call attaches or detaches is kept there.
struct mpipp_attachment *mpipp_recorder_attachment_of(const struct mpipp_call *call);
// The one that a message on the call's communicator is kept in; NULL: that is not known.
const struct mpipp_attachment *mpipp_recorder_attached_for(const struct mpipp_call *call);

#endif
