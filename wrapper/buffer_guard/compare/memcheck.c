// SPDX-License-Identifier: MIT
#include "buffer_guard/compare/memcheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int mpipp_guard_memcheck = 0;

static int is_asked_for(void) {
  const char *guard = getenv("MPIPP_GUARD");
  return guard && strcmp(guard, "memcheck") == 0;
}

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>

enum { MOST_NAME = 96 };

int mpipp_guard_memcheck_open(void) {
  if (!is_asked_for()) return 1;
  mpipp_guard_memcheck = RUNNING_ON_VALGRIND != 0;
  return mpipp_guard_memcheck;
}

unsigned mpipp_guard_memcheck_forbid(const struct mpipp_bytes *bytes, const char *procedure) {
  char text[MOST_NAME];
  for (uint64_t i = 0; i < bytes->count; i++) {
    struct mpipp_piece piece = mpipp_piece_of(bytes, i);
    VALGRIND_MAKE_MEM_NOACCESS(piece.low, piece.high - piece.low);
  }
  snprintf(text, sizeof text, "buffer of a pending %s", procedure);
  return VALGRIND_CREATE_BLOCK(bytes->low, bytes->high - bytes->low, text);
}

void mpipp_guard_memcheck_note_arrival(const struct mpipp_bytes *bytes) {
  for (uint64_t i = 0; i < bytes->count; i++) {
    struct mpipp_piece piece = mpipp_piece_of(bytes, i);
    VALGRIND_MAKE_MEM_DEFINED(piece.low, piece.high - piece.low);
  }
}

void mpipp_guard_memcheck_allow(const struct mpipp_bytes *bytes, unsigned number) {
  mpipp_guard_memcheck_note_arrival(bytes);
  VALGRIND_DISCARD(number);
}

void mpipp_guard_memcheck_enter(void) {
  VALGRIND_DISABLE_ERROR_REPORTING;
}

void mpipp_guard_memcheck_leave(void) {
  VALGRIND_ENABLE_ERROR_REPORTING;
}

#else // without valgrind's headers

int mpipp_guard_memcheck_open(void) {
  return !is_asked_for();
}

unsigned mpipp_guard_memcheck_forbid(const struct mpipp_bytes *bytes, const char *procedure) {
  (void)bytes, (void)procedure;
  return 0;
}

void mpipp_guard_memcheck_note_arrival(const struct mpipp_bytes *bytes) {
  (void)bytes;
}

void mpipp_guard_memcheck_allow(const struct mpipp_bytes *bytes, unsigned number) {
  (void)bytes, (void)number;
}

void mpipp_guard_memcheck_enter(void) {}

void mpipp_guard_memcheck_leave(void) {}

#endif
