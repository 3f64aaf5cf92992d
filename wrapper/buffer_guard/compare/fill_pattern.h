// SPDX-License-Identifier: MIT
// The fill pattern of a receive buffer until the receive is complete. Its bytes depend on their
// addresses, so a copy of them to another place differs. Every second byte is 0x30 to 0x3f. So
// floating-point numbers of any size are positive and smaller than 2, and adding to them changes
// the bytes.
#ifndef MPIPP_BUFFER_GUARD_COMPARE_FILL_PATTERN_H
#define MPIPP_BUFFER_GUARD_COMPARE_FILL_PATTERN_H

#include <stdint.h>
#include <string.h>

#define MPIPP_PATTERN_STEP 0x9E3779B97F4A7C15u
#define MPIPP_PATTERN_MARK 0x30F530C9301D3042u
#define MPIPP_PATTERN_FREE 0x0FFF0FFF0FFF0FFFu // bits that depend on the address

// Eight bytes of the pattern, from the product of their address and the step.
static inline uint64_t mpipp_pattern_of(uint64_t product) {
  return (product & MPIPP_PATTERN_FREE) ^ MPIPP_PATTERN_MARK;
}

static inline uint64_t mpipp_pattern_at(uint64_t address) {
  return mpipp_pattern_of(address * MPIPP_PATTERN_STEP);
}

static inline void mpipp_pattern_put(uint64_t address, uint64_t bytes) {
  uint64_t word, sum = address * MPIPP_PATTERN_STEP;
  char *to = (char *)(uintptr_t)address;
  for (; bytes >= sizeof word; bytes -= sizeof word, to += sizeof word) {
    word = mpipp_pattern_of(sum);
    memcpy(to, &word, sizeof word);
    sum += sizeof word * MPIPP_PATTERN_STEP;
  }
  word = mpipp_pattern_of(sum);
  if (bytes) memcpy(to, &word, bytes);
}

// The index of the first byte that differs from the pattern; `bytes` if there is none.
static inline uint64_t mpipp_pattern_differs(uint64_t address, uint64_t bytes) {
  enum { AT_ONCE = 64, WORDS = AT_ONCE / 8 };
  const char *own = (const char *)(uintptr_t)address;
  uint64_t at = 0, sum = address * MPIPP_PATTERN_STEP;
  for (; bytes - at >= AT_ONCE; at += AT_ONCE) {
    uint64_t now[WORDS], others = 0;
    memcpy(now, own + at, AT_ONCE);
    for (uint64_t i = 0; i < WORDS; i++)
      others |= now[i] ^ mpipp_pattern_of(sum + i * 8 * MPIPP_PATTERN_STEP);
    if (others) break;
    sum += AT_ONCE * MPIPP_PATTERN_STEP;
  }
  for (; at < bytes; at += 8) {
    uint64_t left = bytes - at < 8 ? bytes - at : 8, word = mpipp_pattern_at(address + at);
    if (left == 8 && memcmp(own + at, &word, 8) == 0) continue;
    for (uint64_t i = 0; i < left; i++) {
      if (own[at + i] != ((const char *)&word)[i]) return at + i;
    }
  }
  return bytes;
}

// Replaces those bytes that still have the pattern by the bytes at `by`.
static inline void mpipp_pattern_replace(uint64_t address, uint64_t bytes, const char *by) {
  uint64_t word, sum = address * MPIPP_PATTERN_STEP;
  for (uint64_t at = 0; at < bytes; at += sizeof word, sum += sizeof word * MPIPP_PATTERN_STEP) {
    char *own = (char *)(uintptr_t)(address + at);
    uint64_t left = bytes - at < sizeof word ? bytes - at : sizeof word;
    word = mpipp_pattern_of(sum);
    if (left == sizeof word && memcmp(own, &word, sizeof word) == 0) {
      memcpy(own, by + at, sizeof word);
      continue;
    }
    for (uint64_t i = 0; i < left; i++) {
      if (own[i] == ((const char *)&word)[i]) own[i] = by[at + i];
    }
  }
}

#endif
