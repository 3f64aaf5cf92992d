// SPDX-License-Identifier: MIT
// Memory that MPI has at other addresses than the program (rma_page_trace/win_create_memory.h).
// When the program queries its windows, it must get its own addresses.
#ifndef MPIPP_RECORDER_OBJECTS_WINDOW_ALIASES_H
#define MPIPP_RECORDER_OBJECTS_WINDOW_ALIASES_H

#include <stdint.h>

#include "abi/seam.h"

// Notes that MPI has the pages [low, high) at addresses `shift` bytes higher. The caller holds a
// lock of its own. Returns 0 if the table is full.
MPIPP_SEAM int mpipp_recorder_alias_add(uint64_t low, uint64_t high, uint64_t shift);
MPIPP_SEAM void mpipp_recorder_alias_drop(uint64_t low, uint64_t shift);
// The program's address for MPI's address of the same byte.
void *mpipp_recorder_program_address(void *address);
// Replaces an address that MPI has returned to the program: the value of a window's attribute, or
// in mpipp_recorder_note_window_memory the address of a process's memory.
void mpipp_recorder_note_attribute(int keyval, void *value, const int *flag);
void mpipp_recorder_note_window_memory(void *base);

#endif
