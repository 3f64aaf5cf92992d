// SPDX-License-Identifier: MIT
// What a receive's buffer holds until it is complete: bytes that depend on their addresses, so that
// a copy of them to another place is not the same.
#ifndef MPIPP_PATTERN_H
#define MPIPP_PATTERN_H

#include <stdint.h>
#include <string.h>

#define MPIPP_PATTERN_STEP 0x9E3779B97F4A7C15u
#define MPIPP_PATTERN_MARK 0xFFF5A3C96B1D7E42u

// Eight of them, from an address on.
static inline uint64_t mpipp_pattern_at(uint64_t address) {
  return (address * MPIPP_PATTERN_STEP) ^ MPIPP_PATTERN_MARK;
}

static inline void mpipp_pattern_put(uint64_t address, uint64_t bytes) {
  uint64_t word;
  for (; bytes >= sizeof word; bytes -= sizeof word, address += sizeof word) {
    word = mpipp_pattern_at(address);
    memcpy((char *)(uintptr_t)address, &word, sizeof word);
  }
  word = mpipp_pattern_at(address);
  if (bytes) memcpy((char *)(uintptr_t)address, &word, bytes);
}

// The number of the first byte that is another; `bytes` if there is none.
static inline uint64_t mpipp_pattern_differs(uint64_t address, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += sizeof(uint64_t)) {
    uint64_t left = bytes - at < sizeof(uint64_t) ? bytes - at : sizeof(uint64_t), now = 0;
    uint64_t word = mpipp_pattern_at(address + at);
    const char *own = (const char *)(uintptr_t)(address + at);
    if (left == sizeof word)
      memcpy(&now, own, sizeof now);
    else
      memcpy(&now, own, left);
    for (uint64_t i = 0; now != word && i < left; i++) {
      if (((const char *)&now)[i] != ((const char *)&word)[i]) return at + i;
    }
  }
  return bytes;
}

// Puts other bytes where it still is.
static inline void mpipp_pattern_replace(uint64_t address, uint64_t bytes, const char *by) {
  for (uint64_t at = 0; at < bytes; at++) {
    uint64_t word = mpipp_pattern_at(address + (at & ~(uint64_t)7));
    char *own = (char *)(uintptr_t)(address + at);
    if (*own == ((const char *)&word)[at & 7]) *own = by[at];
  }
}

#endif
