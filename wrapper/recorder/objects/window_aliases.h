// SPDX-License-Identifier: MIT
// Memory that MPI has at other addresses than the program (rma_page_trace/win_create_memory.h):
// what MPI says of its windows is to be what the program has said.
#ifndef MPIPP_RECORDER_OBJECTS_WINDOW_ALIASES_H
#define MPIPP_RECORDER_OBJECTS_WINDOW_ALIASES_H

#include <stdint.h>

// MPI has the pages [low, high) `shift` bytes further. With a lock of the caller's; 0: there is no
// room.
int mpipp_recorder_moved_add(uint64_t low, uint64_t high, uint64_t shift);
void mpipp_recorder_moved_drop(uint64_t low, uint64_t shift);
// The program's own address of what MPI says.
void *mpipp_recorder_moved_own(void *address);
// After MPI has told the program: of an attribute, of the memory of a process.
void mpipp_recorder_note_attribute(int keyval, void *value, const int *flag);
void mpipp_recorder_note_window_memory(void *base);

#endif
