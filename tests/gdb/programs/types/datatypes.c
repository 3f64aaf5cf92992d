// SPDX-License-Identifier: MIT
// Datatypes of every combiner. A comment that begins with a dollar is gdb's output at mark().
#include <mpi.h>

#include "../mark.h"

typedef MPI_Datatype my_type;

struct particle {
  int id;
  MPI_Datatype type; // a handle inside a struct
};

static void look_at(MPI_Datatype vector, const MPI_Datatype *pointer, my_type renamed) {
  // $vector: {kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}
  // $*pointer: {kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}
  // $renamed: MPI_INT
  mark();
  (void)vector, (void)pointer, (void)renamed;
}

int main(int argc, char **argv) {
  MPI_Datatype before = MPI_DATATYPE_NULL;
  MPI_Init(&argc, &argv);

  // $named: MPI_INT
  MPI_Datatype named = MPI_INT;
  // $pair: MPI_DOUBLE_INT
  MPI_Datatype pair = MPI_DOUBLE_INT;
  // $packed: MPI_PACKED
  MPI_Datatype packed = MPI_PACKED;
  // $before: MPI_DATATYPE_NULL
  // $unknown: <unknown MPI_Datatype 0x12345>
  MPI_Datatype unknown = (MPI_Datatype)0x12345;

  // $dup: {kind = DUP, type = "MPI_INT"}
  MPI_Datatype dup;
  MPI_Type_dup(MPI_INT, &dup);
  // $contiguous: {kind = CONTIGUOUS, count = 4, type = "MPI_INT"}
  MPI_Datatype contiguous;
  MPI_Type_contiguous(4, MPI_INT, &contiguous);
  MPI_Type_commit(&contiguous);
  // $vector: {kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}
  MPI_Datatype vector;
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  // $hvector: {kind = HVECTOR, count = 2, blocklength = 1, stride = -24, type = "MPI_CHAR"}
  MPI_Datatype hvector;
  MPI_Type_create_hvector(2, 1, -24, MPI_CHAR, &hvector);
  MPI_Type_commit(&hvector);
  // $indexed: {kind = INDEXED, count = 2, entries = {{blocklength = 3, displacement = 0}, {blocklength = 1, displacement = 7}}, type = "MPI_INT"}
  MPI_Datatype indexed;
  int blocklengths[2] = {3, 1}, displacements[2] = {0, 7};
  MPI_Type_indexed(2, blocklengths, displacements, MPI_INT, &indexed);
  MPI_Type_commit(&indexed);
  // $hindexed: {kind = HINDEXED, count = 2, entries = {{blocklength = 3, offset = 16}, {blocklength = 1, offset = -8}}, type = "MPI_INT"}
  MPI_Datatype hindexed;
  MPI_Aint offsets[2] = {16, -8};
  MPI_Type_create_hindexed(2, blocklengths, offsets, MPI_INT, &hindexed);
  MPI_Type_commit(&hindexed);
  // $indexed_block: {kind = INDEXED_BLOCK, count = 2, blocklength = 5, displacements = {0, 7}, type = "MPI_INT"}
  MPI_Datatype indexed_block;
  MPI_Type_create_indexed_block(2, 5, displacements, MPI_INT, &indexed_block);
  MPI_Type_commit(&indexed_block);
  // $hindexed_block: {kind = HINDEXED_BLOCK, count = 2, blocklength = 5, offsets = {16, -8}, type = "MPI_INT"}
  MPI_Datatype hindexed_block;
  MPI_Type_create_hindexed_block(2, 5, offsets, MPI_INT, &hindexed_block);
  MPI_Type_commit(&hindexed_block);
  // $structure: {kind = STRUCT, count = 2, entries = {{blocklength = 3, offset = 16, type = "MPI_INT"}, {blocklength = 1, offset = -8, type = {kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}}}}
  MPI_Datatype structure, types[2] = {MPI_INT, vector};
  MPI_Type_create_struct(2, blocklengths, offsets, types, &structure);
  MPI_Type_commit(&structure);
  // $types: {MPI_INT, {kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}}
  // $types[0]: MPI_INT
  // $subarray: {kind = SUBARRAY, ndims = 2, sizes = {4, 6}, subsizes = {2, 3}, starts = {1, 2}, order = C, type = "MPI_INT"}
  MPI_Datatype subarray;
  int sizes[2] = {4, 6}, subsizes[2] = {2, 3}, starts[2] = {1, 2};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &subarray);
  MPI_Type_commit(&subarray);
  // $darray: {kind = DARRAY, size = 4, rank = 1, ndims = 2, gsizes = {4, 6}, distribs = {BLOCK, CYCLIC}, dargs = {DFLT_DARG, 2}, psizes = {2, 2}, order = FORTRAN, type = "MPI_INT"}
  MPI_Datatype darray;
  int distribs[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, psizes[2] = {2, 2};
  MPI_Type_create_darray(4, 1, 2, sizes, distribs, dargs, psizes, MPI_ORDER_FORTRAN, MPI_INT,
                         &darray);
  MPI_Type_commit(&darray);
  // $resized: {kind = RESIZED, lb = -4, extent = 32, type = "MPI_INT"}
  MPI_Datatype resized;
  MPI_Type_create_resized(MPI_INT, -4, 32, &resized);
  MPI_Type_commit(&resized);
  // $[mpich3,mpich4,openmpi4] f90_real: {kind = F90_REAL, p = 6, r = 30}
  // $[mpich3,mpich4,openmpi4] f90_complex: {kind = F90_COMPLEX, p = 6, r = 30}
  // $[mpich3,mpich4,openmpi4] f90_integer: {kind = F90_INTEGER, r = 5}
  MPI_Datatype f90_real = MPI_DATATYPE_NULL, f90_complex = MPI_DATATYPE_NULL;
  MPI_Datatype f90_integer = MPI_DATATYPE_NULL;
#ifdef F90
  MPI_Type_create_f90_real(6, 30, &f90_real);
  MPI_Type_create_f90_complex(6, 30, &f90_complex);
  MPI_Type_create_f90_integer(5, &f90_integer);
#endif

  // $uncommitted: {kind = CONTIGUOUS, count = 2, type = {kind = CONTIGUOUS, count = 4, type = "MPI_INT"}, state = "not committed"}
  MPI_Datatype uncommitted;
  MPI_Type_contiguous(2, contiguous, &uncommitted);
  // $column: {kind = CONTIGUOUS, name = "a \"column\"", count = 1, type = "MPI_INT", state = "not committed"}
  MPI_Datatype column;
  MPI_Type_contiguous(1, MPI_INT, &column);
  MPI_Type_set_name(column, "a \"column\"");

  // A freed component stays visible. A freed handle is shown as freed until it is used again.
  // $holder: {kind = CONTIGUOUS, count = 3, type = {kind = VECTOR, count = 2, blocklength = 1, stride = 2, type = "MPI_INT"}, state = "not committed"}
  // $freed: {kind = VECTOR, count = 2, blocklength = 1, stride = 2, type = "MPI_INT", state = "freed"}
  MPI_Datatype component, holder, freed;
  MPI_Type_vector(2, 1, 2, MPI_INT, &component);
  freed = component;
  MPI_Type_contiguous(3, component, &holder);
  MPI_Type_free(&component);
  // $component: MPI_DATATYPE_NULL

  // $particle: {id = 7, type = MPI_INT}
  struct particle particle = {7, MPI_INT};
  look_at(vector, &vector, MPI_INT);

  (void)named, (void)pair, (void)packed, (void)before, (void)unknown, (void)particle, (void)freed;
  (void)f90_real, (void)f90_complex, (void)f90_integer;
  MPI_Finalize();
  return 0;
}
