// SPDX-License-Identifier: MIT
// A library between the wrapper and MPI that creates unnamed pair types; MPI libraries do not.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

struct pair {
  double value;
  MPI_Count index;
};
#define REAL(NAME) ((__typeof__(&NAME))dlsym(RTLD_NEXT, #NAME))
static MPI_Datatype made = MPI_DATATYPE_NULL;

// The wrapper does not see these calls.
MPI_Datatype unnamed_pair(void) {
  static const int lengths[] = {1, 1};
  static const MPI_Aint places[] = {offsetof(struct pair, value), offsetof(struct pair, index)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_COUNT};
  if (made == MPI_DATATYPE_NULL) {
    REAL(PMPI_Type_create_struct)(2, lengths, places, types, &made);
    REAL(PMPI_Type_commit)(&made);
  }
  return made;
}

int MPI_Type_get_value_index(MPI_Datatype value_type, MPI_Datatype index_type, MPI_Datatype *pair) {
  if (value_type != MPI_DOUBLE || index_type != MPI_COUNT)
    return REAL(PMPI_Type_get_value_index)(value_type, index_type, pair);
  *pair = unnamed_pair();
  return MPI_SUCCESS;
}

int PMPI_Type_get_envelope_c(MPI_Datatype datatype, MPI_Count *integers, MPI_Count *addresses,
                             MPI_Count *counts, MPI_Count *datatypes, int *combiner) {
  if (datatype != made || made == MPI_DATATYPE_NULL)
    return REAL(PMPI_Type_get_envelope_c)(datatype, integers, addresses, counts, datatypes,
                                          combiner);
  *integers = *addresses = *counts = 0;
  *datatypes = 2;
  *combiner = MPI_COMBINER_VALUE_INDEX;
  return MPI_SUCCESS;
}

int PMPI_Type_get_contents(MPI_Datatype datatype, int integers, int addresses, int datatypes,
                           int integer[], MPI_Aint address[], MPI_Datatype type[]) {
  if (datatype != made || made == MPI_DATATYPE_NULL)
    return REAL(PMPI_Type_get_contents)(datatype, integers, addresses, datatypes, integer, address,
                                        type);
  type[0] = MPI_DOUBLE;
  type[1] = MPI_COUNT;
  return MPI_SUCCESS;
}
