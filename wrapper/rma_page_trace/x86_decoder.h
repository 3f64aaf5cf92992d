// SPDX-License-Identifier: MIT
// Decodes the machine instruction that has faulted, to find its access to memory.
#ifndef MPIPP_RMA_PAGE_TRACE_X86_DECODER_H
#define MPIPP_RMA_PAGE_TRACE_X86_DECODER_H

#include <stdint.h>

// The number of bytes that the instruction certainly stores (or loads) in one access with its
// single memory operand; 0 if that is not certain. Loads count only for scalars. A compiler may
// load a vector of which the program needs only a part, or needs it only under a condition. Atomic
// instructions do not count.
uint32_t mpipp_trace_instruction_bytes(const unsigned char *at, int stores);
// Returns whether the instruction repeats itself for consecutive elements (REP).
int mpipp_trace_instruction_repeats(const unsigned char *at);

#endif
