// SPDX-License-Identifier: MIT
// Buffers for buffered sends (MPI-4.1, section 3.6): of the process, of a communicator, of a
// session.
#ifndef MPIPP_RECORDER_OBJECTS_ATTACHED_BUFFERS_H
#define MPIPP_RECORDER_OBJECTS_ATTACHED_BUFFERS_H

#include "registry/records.h"

// Once MPI has accepted the call. A buffer that is attached to a communicator serves only that one.
void mpipp_recorder_attach(struct mpipp_call *call, const void *buffer, int64_t size);
void mpipp_recorder_detach(struct mpipp_call *call);
void mpipp_recorder_attach_to_session(void);
// A buffer was attached or detached inside another call, which records nothing.
void mpipp_recorder_distrust_attachments(void);
// Once MPI has accepted a buffered send; and the bytes that it takes in the buffer, at least.
void mpipp_recorder_note_buffered_send(const struct mpipp_call *call);
int64_t mpipp_recorder_buffered_bytes(const struct mpipp_call *call);

// The record of the buffer that a call attaches or detaches.
struct mpipp_attachment *mpipp_recorder_attachment_of(const struct mpipp_call *call);
// The buffer that holds messages on the call's communicator; NULL: it is unknown.
const struct mpipp_attachment *mpipp_recorder_attachment_for(const struct mpipp_call *call);

#endif
