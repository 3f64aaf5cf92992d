// SPDX-License-Identifier: MIT
// The numbers of attribute keys that each place of the program creates, and that are freed.
#ifndef MPIPP_RECORDER_KEYVALS_H
#define MPIPP_RECORDER_KEYVALS_H

#include "registry/records.h"

// MPI has created a key for the thread's call, or freed one.
void mpipp_recorder_add_keyval(const struct mpipp_thread *thread, int keyval);
void mpipp_recorder_free_keyval(int keyval);

#endif
