// SPDX-License-Identifier: MIT
// Every constructor of datatypes, once. Prints each type's handle, MPI's facts on it and the line.
#include "probe.h"

#if defined(MPIPP_HAVE_Type_contiguous_c)
#define LARGE 1
#endif

static void report(const char *name, MPI_Datatype type, int line) {
  MPI_Count size, lb, extent, true_lb, true_extent;
#if MPI_VERSION >= 4
  MPI_Type_size_c(type, &size);
  MPI_Type_get_extent_c(type, &lb, &extent);
  MPI_Type_get_true_extent_c(type, &true_lb, &true_extent);
#else
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent_x(type, &lb, &extent);
  MPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
#endif
  tell("say %s %lld", name, KEY(type));
  tell("say %s.size %lld", name, (long long)size);
  tell("say %s.lb %lld", name, (long long)lb);
  tell("say %s.extent %lld", name, (long long)extent);
  tell("say %s.true_lb %lld", name, (long long)true_lb);
  tell("say %s.true_extent %lld", name, (long long)true_extent);
  tell("say %s.line %d", name, line);
}
#define MADE(type) report(#type, type, __LINE__ - 1)

static int blocklengths[] = {2, 1, 0}, displacements[] = {4, -3, 9};
static MPI_Aint offsets[] = {32, -24, 80};
static int sizes[] = {6, 7, 5}, subsizes[] = {2, 3, 1}, starts[] = {1, 4, 0};
static int distribs[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
static int dargs[] = {4, MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, psizes[] = {2, 2, 1};

static MPI_Datatype vector;

static void small(void) {
  MPI_Datatype dup, contiguous, hvector, indexed, hindexed, indexed_block, hindexed_block;
  MPI_Type_vector(3, 2, -4, MPI_DOUBLE, &vector);
  MADE(vector);
  MPI_Type_dup(vector, &dup);
  MADE(dup);
  MPI_Type_contiguous(5, vector, &contiguous);
  MADE(contiguous);
  MPI_Type_create_hvector(2, 3, 100, MPI_INT, &hvector);
  MADE(hvector);
  MPI_Type_indexed(3, blocklengths, displacements, MPI_INT, &indexed);
  MADE(indexed);
  MPI_Type_create_hindexed(3, blocklengths, offsets, MPI_INT, &hindexed);
  MADE(hindexed);
  MPI_Type_create_indexed_block(3, 2, displacements, MPI_SHORT, &indexed_block);
  MADE(indexed_block);
  MPI_Type_create_hindexed_block(2, 3, offsets, MPI_SHORT, &hindexed_block);
  MADE(hindexed_block);
  MPI_Type_commit(&dup);
  MPI_Type_commit(&contiguous);
  MPI_Type_free(&contiguous);
}

static void more(void) {
  MPI_Datatype structure, empty, subarray, subarray_f, darray, resized, one, nothing;
  MPI_Datatype types[] = {MPI_DOUBLE, vector, MPI_CHAR};
  MPI_Type_create_struct(3, blocklengths, offsets, types, &structure);
  MADE(structure);
  MPI_Type_create_struct(0, NULL, NULL, NULL, &empty);
  MADE(empty);
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_INT, &subarray);
  MADE(subarray);
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &subarray_f);
  MADE(subarray_f);
  MPI_Type_create_darray(4, 2, 3, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &darray);
  MADE(darray);
  MPI_Type_create_resized(structure, -40, 400, &resized);
  MADE(resized);
  MPI_Type_contiguous(1, MPI_DOUBLE_INT, &one);
  MADE(one);
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MADE(nothing);
  MPI_Type_set_name(structure, "a \"name\"");
  MPI_Type_set_name(subarray, "first");
  MPI_Type_set_name(subarray, "second");
}

static void fortran(void) {
  MPI_Datatype f90_real = MPI_DATATYPE_NULL, again, f90_complex, f90_integer;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (MPI_Type_create_f90_real(12, MPI_UNDEFINED, &f90_real) != MPI_SUCCESS) return;
  MADE(f90_real);
  MPI_Type_create_f90_real(12, MPI_UNDEFINED, &again);
  MADE(again);
  MPI_Type_create_f90_complex(6, 30, &f90_complex);
  MADE(f90_complex);
  MPI_Type_create_f90_integer(8, &f90_integer);
  MADE(f90_integer);
}

#ifdef LARGE
static void large(void) {
  MPI_Count lengths[] = {2, 1, 0}, indices[] = {4, -3, 9}, bytes[] = {32, -24, 80};
  MPI_Count whole[] = {6, 7, 5}, part[] = {2, 3, 1}, from[] = {1, 4, 0};
  MPI_Datatype types[] = {MPI_DOUBLE, vector, MPI_CHAR};
  MPI_Datatype contiguous_c, vector_c, hvector_c, indexed_c, hindexed_c, indexed_block_c;
  MPI_Datatype hindexed_block_c, structure_c, subarray_c, darray_c, resized_c, huge_c;
  MPI_Type_contiguous_c(5, vector, &contiguous_c);
  MADE(contiguous_c);
  MPI_Type_vector_c(3, 2, -4, MPI_DOUBLE, &vector_c);
  MADE(vector_c);
  MPI_Type_create_hvector_c(2, 3, 100, MPI_INT, &hvector_c);
  MADE(hvector_c);
  MPI_Type_indexed_c(3, lengths, indices, MPI_INT, &indexed_c);
  MADE(indexed_c);
  MPI_Type_create_hindexed_c(3, lengths, bytes, MPI_INT, &hindexed_c);
  MADE(hindexed_c);
  MPI_Type_create_indexed_block_c(3, 2, indices, MPI_SHORT, &indexed_block_c);
  MADE(indexed_block_c);
  MPI_Type_create_hindexed_block_c(2, 3, bytes, MPI_SHORT, &hindexed_block_c);
  MADE(hindexed_block_c);
  MPI_Type_create_struct_c(3, lengths, bytes, types, &structure_c);
  MADE(structure_c);
  MPI_Type_create_subarray_c(3, whole, part, from, MPI_ORDER_C, MPI_INT, &subarray_c);
  MADE(subarray_c);
  int c = MPI_ORDER_C;
  MPI_Type_create_darray_c(4, 2, 3, whole, distribs, dargs, psizes, c, MPI_INT, &darray_c);
  MADE(darray_c);
  MPI_Type_create_resized_c(structure_c, -40, 400, &resized_c);
  MADE(resized_c);
  MPI_Type_contiguous_c((MPI_Count)1 << 40, MPI_BYTE, &huge_c);
  MADE(huge_c);
}
#endif

// MPI-3.0 removed these procedures; some libraries still have them.
typedef int hvector_function(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype *);
typedef int hindexed_function(int, int *, MPI_Aint *, MPI_Datatype, MPI_Datatype *);
typedef int struct_function(int, int *, MPI_Aint *, MPI_Datatype *, MPI_Datatype *);

static void removed(void) {
  hvector_function *type_hvector = (hvector_function *)dlsym(RTLD_DEFAULT, "MPI_Type_hvector");
  hindexed_function *type_hindexed = (hindexed_function *)dlsym(RTLD_DEFAULT, "MPI_Type_hindexed");
  struct_function *type_struct = (struct_function *)dlsym(RTLD_DEFAULT, "MPI_Type_struct");
  MPI_Datatype old_hvector, old_hindexed, old_struct;
  if (type_hvector(2, 3, 100, MPI_INT, &old_hvector) != MPI_SUCCESS) return;
  MADE(old_hvector);
  type_hindexed(3, blocklengths, offsets, MPI_INT, &old_hindexed);
  MADE(old_hindexed);
#if defined(OPEN_MPI) // not in mpi.h
  MPI_Datatype lb = (MPI_Datatype)dlsym(RTLD_DEFAULT, "ompi_mpi_lb");
  MPI_Datatype ub = (MPI_Datatype)dlsym(RTLD_DEFAULT, "ompi_mpi_ub");
#elif defined(MPI_LB)
  MPI_Datatype lb = MPI_LB, ub = MPI_UB;
#else
  MPI_Datatype lb = MPI_DATATYPE_NULL, ub = MPI_DATATYPE_NULL;
#endif
  say("figure_1", lb && lb != MPI_DATATYPE_NULL);
  int lengths[] = {1, 5, 3, 2, 1};
  MPI_Aint places[] = {-4, 0, 24, 64, 100};
  MPI_Datatype types[] = {lb, MPI_INT, MPI_DOUBLE, MPI_CHAR, ub}, plain[] = {MPI_INT};
  if (lb && lb != MPI_DATATYPE_NULL)
    type_struct(5, lengths, places, types, &old_struct);
  else
    type_struct(1, blocklengths, offsets, plain, &old_struct);
  report("old_struct", old_struct, 0);
}

int main(void) {
  MPI_Init(NULL, NULL);
  small();
  more();
  fortran();
#ifdef LARGE
  large();
#endif
  removed();
  // The records must not refer to the caller's arrays.
  memset(blocklengths, 0xff, sizeof blocklengths);
  memset(offsets, 0xff, sizeof offsets);
  memset(sizes, 0xff, sizeof sizes);
  look("made");
  MPI_Finalize();
  return 0;
}
