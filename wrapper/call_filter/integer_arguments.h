// SPDX-License-Identifier: MIT
// The values of a call's integer arguments, of any width.
#ifndef MPIPP_CALL_FILTER_INTEGER_ARGUMENTS_H
#define MPIPP_CALL_FILTER_INTEGER_ARGUMENTS_H

#include "registry/records.h"

// One of an argument's values.
static inline int64_t mpipp_input_value(const struct mpipp_input *input, int64_t index) {
  return input->size == sizeof(int32_t) ? ((const int32_t *)input->values)[index]
                                        : ((const int64_t *)input->values)[index];
}

// An element of an array of a v or w form, whose elements have so many bytes.
static inline int64_t mpipp_vector_value(uint64_t array, uint64_t index, uint32_t size) {
  return size == sizeof(int32_t) ? ((const int32_t *)(uintptr_t)array)[index]
                                 : ((const int64_t *)(uintptr_t)array)[index];
}

#endif
