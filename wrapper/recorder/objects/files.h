// SPDX-License-Identifier: MIT
// Records files and their split collective operations.
#ifndef MPIPP_RECORDER_OBJECTS_FILES_H
#define MPIPP_RECORDER_OBJECTS_FILES_H

#include "abi/vendor.h"
#include "registry/records.h"

void mpipp_recorder_add_file(const struct mpipp_call *call, MPI_File file, uint64_t comm,
                             const char *filename, int amode);
void mpipp_recorder_file_view(uint64_t file, int64_t disp, uint64_t etype, uint64_t filetype,
                              const char *datarep);
void mpipp_recorder_begin_split(const struct mpipp_call *call);
void mpipp_recorder_end_split(const struct mpipp_call *call);
// Notes that a _begin or an _end call has failed, so it is unknown whether a split operation is
// pending.
void mpipp_recorder_fail_split(const struct mpipp_call *call);

#endif
