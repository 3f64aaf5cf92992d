// SPDX-License-Identifier: MIT
// Records infos.
#ifndef MPIPP_RECORDER_OBJECTS_INFOS_H
#define MPIPP_RECORDER_OBJECTS_INFOS_H

#include "abi/vendor.h"
#include "registry/records.h"

void mpipp_recorder_add_info(const struct mpipp_call *call, MPI_Info info);
// Records a new value for a key; value: NULL if the key was deleted.
void mpipp_recorder_set_info_entry(uint64_t info, const char *key, const char *value);

#endif
