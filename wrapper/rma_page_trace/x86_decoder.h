// SPDX-License-Identifier: MIT
// Decodes a machine instruction that has faulted: its access to memory.
#ifndef MPIPP_RMA_PAGE_TRACE_X86_DECODER_H
#define MPIPP_RMA_PAGE_TRACE_X86_DECODER_H

#include <stdint.h>

// The bytes that an instruction certainly stores, or loads, at once with its single memory operand;
// or 0. Loads count only for scalars: a compiler may load more in a vector than the program asks
// for, or if a condition does not hold. Atomic instructions do not count.
uint32_t mpipp_trace_instruction_bytes(const unsigned char *at, int stores);
// Returns whether it repeats itself from byte to byte.
int mpipp_trace_instruction_repeats(const unsigned char *at);

#endif
