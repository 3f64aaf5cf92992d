// SPDX-License-Identifier: MIT
// What the arguments of a call are, whatever their width.
#ifndef MPIPP_VALUES_H
#define MPIPP_VALUES_H

#include "records/records.h"

// One of an argument's values.
static inline int64_t mpipp_input_value(const struct mpipp_input *input, int64_t index) {
  return input->size == sizeof(int32_t) ? ((const int32_t *)input->values)[index]
                                        : ((const int64_t *)input->values)[index];
}

#endif
