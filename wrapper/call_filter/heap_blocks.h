// SPDX-License-Identifier: MIT
// Finds blocks of glibc's heap, by the words that malloc keeps before each block.
#ifndef MPIPP_CALL_FILTER_HEAP_BLOCKS_H
#define MPIPP_CALL_FILTER_HEAP_BLOCKS_H

#include <stdint.h>

// A block that malloc has returned, [low, high).
struct mpipp_heap_block {
  uint64_t low, high;
};

// Finds the block that contains an address. Returns 0 if there is none, or it is not certain. The
// search goes from the start of the heap from block to block, so it never takes data for malloc's
// words.
int mpipp_filter_heap_block(uint64_t address, struct mpipp_heap_block *block);

#endif
