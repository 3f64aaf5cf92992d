// SPDX-License-Identifier: MIT
// Datatypes: made by a constructor, predefined, or imported.
#ifndef MPIPP_RECORDER_OBJECTS_DATATYPES_H
#define MPIPP_RECORDER_OBJECTS_DATATYPES_H

#include "abi/vendor.h"
#include "registry/object_store.h"

// Before MPI checks them, for the debugger.
static inline void mpipp_constructing(struct mpipp_call *call, enum mpipp_combiner combiner,
                                      const struct mpipp_input *inputs, uint32_t input_count,
                                      const MPI_Datatype *types, int64_t type_count) {
  call->combiner = combiner;
  call->inputs = (uintptr_t)inputs;
  call->input_count = input_count;
  call->types = (uintptr_t)types;
  call->type_count = type_count;
}
// The extent of a handle that may be no datatype; INT64_MIN for one that is not, or is unknown.
int64_t mpipp_recorder_extent(uint64_t handle);
void mpipp_recorder_add_datatype(const struct mpipp_call *call, enum mpipp_combiner combiner,
                                 int large, MPI_Datatype made, const struct mpipp_input *inputs,
                                 const MPI_Datatype *components, int64_t component_count);
// Describes an unknown datatype by MPI's own answers. Not one that is recorded as freed, unless its
// memory shows that another datatype has the handle now.
void mpipp_recorder_import_datatype(uint64_t caller, MPI_Datatype datatype);
void mpipp_recorder_add_predefined_datatype(MPI_Datatype datatype, const char *name);
void mpipp_recorder_commit_datatype(uint64_t handle);
void mpipp_recorder_import_contents(const struct mpipp_call *call, MPI_Datatype datatype,
                                    const MPI_Datatype *taken);
// MPI has returned handles of a file's view.
void mpipp_recorder_import_view(const struct mpipp_call *call, MPI_Datatype etype,
                                MPI_Datatype filetype);
// Imports the unknown datatypes of the call's buffers, now that MPI has accepted them.
void mpipp_recorder_import_datatypes(struct mpipp_call *call) MPIPP_COLD;
// With hooks, before MPI has accepted them: those that MPI will certainly accept.
void mpipp_recorder_import_certain(struct mpipp_call *call);

// Unknown, or freed before the call that MPI accepted: made anew without the recorder.
static inline int mpipp_is_unknown(uint64_t record) {
  const struct mpipp_object *datatype = (const struct mpipp_object *)(uintptr_t)record;
  return !datatype || datatype->flags & MPIPP_FLAG_ENDED;
}

// The datatypes that were unknown when the call was entered, once MPI has accepted them.
static inline void mpipp_import_unknown(struct mpipp_call *call) {
  if (MPIPP_UNLIKELY(call->present & MPIPP_HAS_UNKNOWN)) mpipp_recorder_import_datatypes(call);
}

#endif
