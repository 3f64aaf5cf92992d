// SPDX-License-Identifier: MIT
// The values of a call's integer arguments, of any width.
#ifndef MPIPP_CALL_FILTER_INTEGER_ARGUMENTS_H
#define MPIPP_CALL_FILTER_INTEGER_ARGUMENTS_H

#include "registry/records.h"

// The value at an index of an argument.
static inline int64_t mpipp_input_value(const struct mpipp_input *input, int64_t index) {
  return input->size == sizeof(int32_t) ? ((const int32_t *)input->values)[index]
                                        : ((const int64_t *)input->values)[index];
}

// The element at an index of a counts or displacements array, with elements of `size` bytes.
static inline int64_t mpipp_vector_value(uint64_t array, uint64_t index, uint32_t size) {
  return size == sizeof(int32_t) ? ((const int32_t *)(uintptr_t)array)[index]
                                 : ((const int64_t *)(uintptr_t)array)[index];
}

#endif
