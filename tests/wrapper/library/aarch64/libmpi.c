// SPDX-License-Identifier: MIT
// The few procedures of an MPI library that singleton.c calls, for one process, with MPICH's ABI.
#include <mpi.h>
#include <string.h>

#define OFFER(name) __asm__(".global MPI_" #name "\n.set MPI_" #name ", PMPI_" #name "\n")

static int is_initialized, is_finalized;

int PMPI_Init(int *argc, char ***argv) {
  is_initialized = 1;
  return MPI_SUCCESS;
}
OFFER(Init);

int PMPI_Initialized(int *flag) {
  *flag = is_initialized;
  return MPI_SUCCESS;
}
OFFER(Initialized);

int PMPI_Finalized(int *flag) {
  *flag = is_finalized;
  return MPI_SUCCESS;
}
OFFER(Finalized);

int PMPI_Finalize(void) {
  is_finalized = 1;
  return MPI_SUCCESS;
}
OFFER(Finalize);

int PMPI_Query_thread(int *provided) {
  *provided = MPI_THREAD_SINGLE;
  return MPI_SUCCESS;
}
OFFER(Query_thread);

int PMPI_Comm_rank(MPI_Comm comm, int *rank) {
  *rank = 0;
  return MPI_SUCCESS;
}
OFFER(Comm_rank);

int PMPI_Comm_size(MPI_Comm comm, int *size) {
  *size = 1;
  return MPI_SUCCESS;
}
OFFER(Comm_size);

int PMPI_Get_library_version(char *version, int *length) {
  strcpy(version, "MPICH Version:      4.0.2\n");
  *length = (int)strlen(version);
  return MPI_SUCCESS;
}
OFFER(Get_library_version);

int PMPI_Get_version(int *version, int *subversion) {
  *version = 4;
  *subversion = 0;
  return MPI_SUCCESS;
}
OFFER(Get_version);

int PMPI_Type_vector(int count, int blocklength, int stride, MPI_Datatype oldtype,
                     MPI_Datatype *newtype) {
  *newtype = (MPI_Datatype)0xcc000000; // MPICH's first derived datatype
  return MPI_SUCCESS;
}
OFFER(Type_vector);

int PMPI_Type_commit(MPI_Datatype *datatype) {
  return MPI_SUCCESS;
}
OFFER(Type_commit);

int PMPI_Type_free(MPI_Datatype *datatype) {
  *datatype = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}
OFFER(Type_free);
