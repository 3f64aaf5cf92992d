// SPDX-License-Identifier: MIT
// Records datatypes: created by a constructor, predefined, or imported.
#ifndef MPIPP_RECORDER_OBJECTS_DATATYPES_H
#define MPIPP_RECORDER_OBJECTS_DATATYPES_H

#include "abi/vendor.h"
#include "registry/object_store.h"

// Shows a constructor's arguments to the debugger, before MPI checks them.
static inline void mpipp_constructing(struct mpipp_call *call, enum mpipp_combiner combiner,
                                      const struct mpipp_input *inputs, uint32_t input_count,
                                      const MPI_Datatype *types, int64_t type_count) {
  call->combiner = combiner;
  call->inputs = (uintptr_t)inputs;
  call->input_count = input_count;
  call->types = (uintptr_t)types;
  call->type_count = type_count;
}
// The extent of a datatype's handle; INT64_MIN if it is not a datatype, or not recorded.
int64_t mpipp_recorder_extent(uint64_t handle);
void mpipp_recorder_add_datatype(const struct mpipp_call *call, enum mpipp_combiner combiner,
                                 int large, MPI_Datatype made, const struct mpipp_input *inputs,
                                 const MPI_Datatype *components, int64_t component_count);
// Records an unrecorded datatype by querying MPI. Does nothing if the handle is recorded as freed,
// unless its memory shows that another datatype has the handle now.
void mpipp_recorder_import_datatype(uint64_t caller, MPI_Datatype datatype);
void mpipp_recorder_add_predefined_datatype(MPI_Datatype datatype, const char *name);
void mpipp_recorder_commit_datatype(uint64_t handle);
void mpipp_recorder_import_contents(const struct mpipp_call *call, MPI_Datatype datatype,
                                    const MPI_Datatype *taken);
// Records the datatypes of a file's view, whose handles MPI has returned.
void mpipp_recorder_import_view(const struct mpipp_call *call, MPI_Datatype etype,
                                MPI_Datatype filetype);
// Imports the unrecorded datatypes of the call's buffers, when MPI has accepted them.
void mpipp_recorder_import_datatypes(struct mpipp_call *call) MPIPP_COLD;
// Imports the unrecorded datatypes of the call's buffers before MPI has accepted the call, for
// hooks. Imports only datatypes that certainly exist.
void mpipp_recorder_import_certain(struct mpipp_call *call);

// Returns whether a datatype was unrecorded, or recorded as freed, before the call that MPI
// accepted: then it was created unseen.
static inline int mpipp_is_unknown(uint64_t record) {
  const struct mpipp_object *datatype = (const struct mpipp_object *)(uintptr_t)record;
  return !datatype || datatype->flags & MPIPP_FLAG_ENDED;
}

// Imports the datatypes that were unrecorded when the call began, when MPI has accepted it.
static inline void mpipp_import_unknown(struct mpipp_call *call) {
  if (MPIPP_UNLIKELY(call->present & MPIPP_HAS_UNKNOWN)) mpipp_recorder_import_datatypes(call);
}

#endif
