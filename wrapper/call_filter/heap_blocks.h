// SPDX-License-Identifier: MIT
// Blocks of glibc's heap, by the words that malloc keeps before them.
#ifndef MPIPP_CALL_FILTER_HEAP_BLOCKS_H
#define MPIPP_CALL_FILTER_HEAP_BLOCKS_H

#include <stdint.h>

// A block that malloc has returned: bytes [low, high).
struct mpipp_heap_block {
  uint64_t low, high;
};

// The block that contains an address. Returns 0 if there is none, or it is not certain. It walks
// from block to block from the heap's begin, so that data inside a block is never taken for such
// words.
int mpipp_filter_heap_block(uint64_t address, struct mpipp_heap_block *block);

#endif
