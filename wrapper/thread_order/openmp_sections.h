// SPDX-License-Identifier: MIT
#ifndef MPIPP_THREAD_ORDER_OPENMP_SECTIONS_H
#define MPIPP_THREAD_ORDER_OPENMP_SECTIONS_H

#include <stdint.h>

// The sections in a thread's parallel region. asked: how often a thread has asked for its first
// section of a construct, in all threads; NULL: outside such regions. constructs: those that this
// thread has reached. has_asked: whether it has asked for a section of the last one.
struct mpipp_order_sections {
  uint32_t *asked;
  uint32_t constructs;
  int has_asked;
};

// This thread begins a region. Returns the state of the outer one, for the end.
struct mpipp_order_sections mpipp_order_begin_sections(uint32_t *asked);
void mpipp_order_end_sections(struct mpipp_order_sections outer);

#endif
