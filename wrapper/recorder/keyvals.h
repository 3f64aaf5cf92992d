// SPDX-License-Identifier: MIT
// Counts the attribute keys that each place in the program creates, and those that are freed.
#ifndef MPIPP_RECORDER_KEYVALS_H
#define MPIPP_RECORDER_KEYVALS_H

#include "registry/records.h"

// Note that MPI has created a key in the thread's call, or freed one.
void mpipp_recorder_add_keyval(const struct mpipp_thread *thread, int keyval);
void mpipp_recorder_free_keyval(int keyval);

#endif
