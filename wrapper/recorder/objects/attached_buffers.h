// SPDX-License-Identifier: MIT
// Buffers for buffered sends (MPI-4.1, section 3.6): of the process, of a communicator, or of a
// session.
#ifndef MPIPP_RECORDER_OBJECTS_ATTACHED_BUFFERS_H
#define MPIPP_RECORDER_OBJECTS_ATTACHED_BUFFERS_H

#include "registry/records.h"

// Records that MPI has attached or detached a buffer. A buffer of a communicator serves only that
// communicator.
void mpipp_recorder_attach(struct mpipp_call *call, const void *buffer, int64_t size);
void mpipp_recorder_detach(struct mpipp_call *call);
void mpipp_recorder_attach_to_session(void);
// A callback inside another MPI call has attached or detached a buffer, which is not recorded:
// makes the state unknown.
void mpipp_recorder_distrust_attachments(void);
// mpipp_recorder_note_buffered_send: MPI has accepted a buffered send.
// mpipp_recorder_buffered_bytes returns the least number of bytes that it uses in the buffer.
void mpipp_recorder_note_buffered_send(const struct mpipp_call *call);
int64_t mpipp_recorder_buffered_bytes(const struct mpipp_call *call);

// The record of the buffer that a call attaches or detaches.
struct mpipp_attachment *mpipp_recorder_attachment_of(const struct mpipp_call *call);
// The buffer that MPI uses for buffered sends on the call's communicator; NULL if it is unknown.
const struct mpipp_attachment *mpipp_recorder_attachment_for(const struct mpipp_call *call);

#endif
