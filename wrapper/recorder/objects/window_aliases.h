// SPDX-License-Identifier: MIT
// Memory that MPI maps at other addresses than the program (rma_page_trace/win_create_memory.h):
// the program must get its own addresses when it queries its windows.
#ifndef MPIPP_RECORDER_OBJECTS_WINDOW_ALIASES_H
#define MPIPP_RECORDER_OBJECTS_WINDOW_ALIASES_H

#include <stdint.h>

#include "abi/seam.h"

// MPI has the pages [low, high) `shift` bytes further. With a lock of the caller's; 0: the table is
// full.
MPIPP_SEAM int mpipp_recorder_alias_add(uint64_t low, uint64_t high, uint64_t shift);
MPIPP_SEAM void mpipp_recorder_alias_drop(uint64_t low, uint64_t shift);
// The program's own address for an address of MPI's.
void *mpipp_recorder_program_address(void *address);
// Replaces addresses that MPI has returned to the program: in an attribute, or of a process's
// memory.
void mpipp_recorder_note_attribute(int keyval, void *value, const int *flag);
void mpipp_recorder_note_window_memory(void *base);

#endif
