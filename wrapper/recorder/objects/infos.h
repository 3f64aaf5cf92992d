// SPDX-License-Identifier: MIT
// Infos.
#ifndef MPIPP_RECORDER_OBJECTS_INFOS_H
#define MPIPP_RECORDER_OBJECTS_INFOS_H

#include "abi/vendor.h"
#include "registry/records.h"

void mpipp_recorder_add_info(const struct mpipp_call *call, MPI_Info info);
// The entry of a key; value: NULL if it was deleted.
void mpipp_recorder_set_info_entry(uint64_t info, const char *key, const char *value);

#endif
