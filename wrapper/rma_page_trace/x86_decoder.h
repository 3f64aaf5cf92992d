// SPDX-License-Identifier: MIT
// What a machine instruction does with the memory that it has faulted on.
#ifndef MPIPP_RMA_PAGE_TRACE_X86_DECODER_H
#define MPIPP_RMA_PAGE_TRACE_X86_DECODER_H

#include <stdint.h>

// Bytes that an instruction surely stores at once, or loads, with what its one memory operand says;
// 0 where that is not known. Of loads these are scalars: a compiler may load more in a vector than
// the program asks for, or where a condition does not hold. What is atomic is not among them.
uint32_t mpipp_trace_instruction_bytes(const unsigned char *at, int stores);
// Whether it goes on by itself from byte to byte.
int mpipp_trace_instruction_repeats(const unsigned char *at);

#endif
