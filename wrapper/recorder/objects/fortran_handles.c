// SPDX-License-Identifier: MIT
// Fortran INTEGER handles that differ from the C handles: all of Open MPI's, and those of MPICH's
// files. The library assigns the INTEGER when its Fortran layer first asks for it, by MPI_X_c2f. If
// the recorder asked for those of requests, too, it would slow down every C program. Instead it
// reads the results of the Fortran layer's calls, which costs nothing.
#include "recorder/objects/fortran_handles.h"

#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"

#define EXPORT __attribute__((visibility("default")))

void mpipp_recorder_set_constant_fint(enum mpipp_kind kind, uint64_t handle) {
  struct mpipp_object *record = mpipp_find_live(kind, handle);
  if (!record) return;
#define CASE(KIND, NAME, TYPE)                                                                     \
  case KIND:                                                                                       \
    record->fint = MPIPP_FINT(NAME, (TYPE)(uintptr_t)handle);                                      \
    break;
  switch (kind) {
    CASE(MPIPP_DATATYPE, Type, MPI_Datatype)
    CASE(MPIPP_REQUEST, Request, MPI_Request)
    CASE(MPIPP_COMM, Comm, MPI_Comm)
    CASE(MPIPP_GROUP, Group, MPI_Group)
    CASE(MPIPP_WIN, Win, MPI_Win)
    CASE(MPIPP_OP, Op, MPI_Op)
    CASE(MPIPP_INFO, Info, MPI_Info)
    CASE(MPIPP_ERRHANDLER, Errhandler, MPI_Errhandler)
    CASE(MPIPP_MESSAGE, Message, MPI_Message)
  default:
    break; // the null handles of files and sessions are 0
  }
#undef CASE
}

#ifndef MPIPP_FOR_ABI
static MPI_Fint learn_fint(enum mpipp_kind kind, uint64_t handle, MPI_Fint fint) {
  struct mpipp_object *record =
      mpipp_recorder_self != &mpipp_recorder_no_thread ? mpipp_find_live(kind, handle) : NULL;
  if (record && fint > 0) __atomic_store_n(&record->fint, (int32_t)fint, __ATOMIC_RELAXED);
  return fint;
}

#define LISTEN(PREFIX, PROFILING, KIND, NAME)                                                      \
  EXPORT MPI_Fint PREFIX##_##NAME##_c2f(MPI_##NAME handle) {                                       \
    void *real = mpipp_procedure(PROFILING, MPIPP_PROC_##NAME##_c2f);                              \
    return learn_fint(KIND, MPIPP_KEY(handle), ((MPI_Fint(*)(MPI_##NAME))real)(handle));           \
  }
LISTEN(MPI, 0, MPIPP_FILE, File)
LISTEN(PMPI, 1, MPIPP_FILE, File)
#endif

#ifdef MPIPP_FOR_OPENMPI
LISTEN(MPI, 0, MPIPP_REQUEST, Request)
LISTEN(PMPI, 1, MPIPP_REQUEST, Request)
#ifdef MPIPP_HAVE_Session_c2f
LISTEN(MPI, 0, MPIPP_SESSION, Session)
LISTEN(PMPI, 1, MPIPP_SESSION, Session)
#endif
#endif
