// SPDX-License-Identifier: MIT
// Preloaded beside the wrapper, as a hook: takes over the calls that a program marks, and holds
// them for gdb meanwhile. So their errors do no harm.
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "intercept/hooks.h"

// Set by the program: its next call is held and not made. The finding that gdb has to report.
const char *volatile taken_next;

// gdb has a breakpoint here. Without gdb, TAKEN_SAID names a file for the expected findings.
__attribute__((noinline)) void taken_stop(const char *what) {
  __asm__ volatile("" ::"r"(what) : "memory");
}

// Returns whether the program has marked the call.
static int held(void) {
  const char *what = taken_next;
  if (!what) return 0;
  taken_next = 0;
  taken_stop(what);
  const char *said = getenv("TAKEN_SAID");
  FILE *file = said ? fopen(said, "a") : NULL;
  if (file) {
    fprintf(file, "%s\n", what);
    fclose(file);
  }
  return 1;
}

enum { NO_SUCCESS = 16 };

static int enter(struct mpipp_passage *passage) {
  if (!held()) return MPIPP_GO_ON;
  passage->code = NO_SUCCESS; // nothing is recorded of it
  return MPIPP_DROPPED;
}

// These procedures pass no hook. The wrapper, preloaded earlier, calls them instead of MPI's own.
#define TAKEN(NAME, PARAMETERS, ARGUMENTS)                                                         \
  int MPI_##NAME PARAMETERS {                                                                      \
    return held() ? MPI_SUCCESS : PMPI_##NAME ARGUMENTS;                                           \
  }
TAKEN(Alloc_mem, (MPI_Aint size, MPI_Info info, void *base), (size, info, base))
TAKEN(Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int *result), (comm1, comm2, result))
TAKEN(Comm_get_attr, (MPI_Comm comm, int key, void *value, int *flag), (comm, key, value, flag))
TAKEN(Comm_get_name, (MPI_Comm comm, char *name, int *length), (comm, name, length))
TAKEN(Comm_rank, (MPI_Comm comm, int *rank), (comm, rank))
TAKEN(Error_string, (int code, char *string, int *length), (code, string, length))
TAKEN(File_get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent),
      (fh, datatype, extent))
TAKEN(File_seek, (MPI_File fh, MPI_Offset offset, int whence), (fh, offset, whence))
TAKEN(File_set_errhandler, (MPI_File file, MPI_Errhandler handler), (file, handler))
TAKEN(Free_mem, (void *base), (base))
TAKEN(Get_count, (const MPI_Status *status, MPI_Datatype type, int *count), (status, type, count))
TAKEN(Get_processor_name, (char *name, int *length), (name, length))
TAKEN(Grequest_complete, (MPI_Request request), (request))
TAKEN(Group_size, (MPI_Group group, int *size), (group, size))
TAKEN(Group_translate_ranks,
      (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]),
      (group1, n, ranks1, group2, ranks2))
TAKEN(Info_get_nkeys, (MPI_Info info, int *count), (info, count))
TAKEN(Op_commutative, (MPI_Op op, int *commute), (op, commute))
TAKEN(Type_size, (MPI_Datatype datatype, int *size), (datatype, size))
TAKEN(Win_get_attr, (MPI_Win win, int key, void *value, int *flag), (win, key, value, flag))
TAKEN(Win_set_errhandler, (MPI_Win win, MPI_Errhandler handler), (win, handler))

__attribute__((constructor)) static void hook_in(void) {
  static struct mpipp_hook hook = {.enter = enter};
  mpipp_hook_in(&hook);
}
