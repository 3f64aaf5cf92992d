// SPDX-License-Identifier: MIT
// Datatypes that the wrapper does not see: the program finds the library's procedures in the
// library itself.
#define _GNU_SOURCE
#include <link.h>

#include "probe.h"

static void *library;
#define REAL(name) ((__typeof__(&PMPI_##name))dlsym(library, "PMPI_" #name))

static int find_library(struct dl_phdr_info *object, size_t size, void *data) {
  const char *base = strrchr(object->dlpi_name, '/');
  if (!base || strncmp(base, "/libmpi", 7) || strncmp(base, "/libmpipp", 9) == 0) return 0;
  if (strstr(base, "cxx") || strstr(base, "mpifort")) return 0;
  library = dlopen(object->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  return library && REAL(Type_vector);
}

static int out[256], in[256];
static void use(MPI_Datatype type) {
  REAL(Type_commit)(&type);
  MPI_Sendrecv(out, 1, type, 0, 1, in, 1, type, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static int one = 1, lengths[] = {2, 1}, places[] = {4, 0};
static MPI_Aint bytes[] = {32, 0};
static int sizes[] = {6, 7}, part[] = {2, 3}, from[] = {1, 4};
static int distribs[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, psizes[] = {2, 2};
static int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};

static void small(void) {
  MPI_Datatype vector, dup, hvector, indexed, hindexed, block, hblock, structure, subarray, darray;
  MPI_Datatype resized, contiguous;
  REAL(Type_vector)(3, 2, 4, MPI_INT, &vector);
  REAL(Type_dup)(vector, &dup);
  REAL(Type_contiguous)(2, vector, &contiguous);
  REAL(Type_create_hvector)(2, 3, 100, MPI_INT, &hvector);
  REAL(Type_indexed)(2, lengths, places, MPI_INT, &indexed);
  REAL(Type_create_hindexed)(2, lengths, bytes, MPI_INT, &hindexed);
  REAL(Type_create_indexed_block)(2, 2, places, MPI_INT, &block);
  REAL(Type_create_hindexed_block)(2, 2, bytes, MPI_INT, &hblock);
  MPI_Datatype types[] = {MPI_INT, vector};
  REAL(Type_create_struct)(2, lengths, bytes, types, &structure);
  REAL(Type_create_subarray)(2, sizes, part, from, MPI_ORDER_FORTRAN, MPI_INT, &subarray);
  REAL(Type_create_darray)(4, 1, 2, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &darray);
  REAL(Type_create_resized)(structure, -4, 400, &resized);
  SAY(vector), SAY(dup), SAY(contiguous), SAY(hvector), SAY(indexed), SAY(hindexed), SAY(block);
  SAY(hblock), SAY(structure), SAY(subarray), SAY(darray), SAY(resized);
  look("made");
  use(dup), use(contiguous), use(hvector), use(indexed), use(hindexed), use(block), use(hblock);
  use(subarray), use(darray), use(resized);
}

#ifdef MPIPP_HAVE_Type_vector_c
static void large(void) {
  MPI_Count many[] = {2, 1}, where[] = {4, 0}, at[] = {32, 0};
  MPI_Count whole[] = {6, 7}, inner[] = {2, 3}, start[] = {1, 4};
  MPI_Datatype vector_c, hvector_c, indexed_c, hindexed_c, block_c, hblock_c, structure_c;
  MPI_Datatype subarray_c, darray_c, resized_c, contiguous_c;
  int c = MPI_ORDER_C;
  REAL(Type_vector_c)(3, 2, 4, MPI_INT, &vector_c);
  REAL(Type_contiguous_c)(2, vector_c, &contiguous_c);
  REAL(Type_create_hvector_c)(2, 3, 100, MPI_INT, &hvector_c);
  REAL(Type_indexed_c)(2, many, where, MPI_INT, &indexed_c);
  REAL(Type_create_hindexed_c)(2, many, at, MPI_INT, &hindexed_c);
  REAL(Type_create_indexed_block_c)(2, 2, where, MPI_INT, &block_c);
  REAL(Type_create_hindexed_block_c)(2, 2, at, MPI_INT, &hblock_c);
  MPI_Datatype types[] = {MPI_INT, vector_c};
  REAL(Type_create_struct_c)(2, many, at, types, &structure_c);
  REAL(Type_create_subarray_c)(2, whole, inner, start, MPI_ORDER_FORTRAN, MPI_INT, &subarray_c);
  REAL(Type_create_darray_c)(4, 1, 2, whole, distribs, dargs, psizes, c, MPI_INT, &darray_c);
  REAL(Type_create_resized_c)(structure_c, -4, 400, &resized_c);
  SAY(vector_c), SAY(contiguous_c), SAY(hvector_c), SAY(indexed_c), SAY(hindexed_c), SAY(block_c);
  SAY(hblock_c), SAY(structure_c), SAY(subarray_c), SAY(darray_c), SAY(resized_c);
  use(contiguous_c), use(hvector_c), use(indexed_c), use(hindexed_c), use(block_c), use(hblock_c);
  use(subarray_c), use(darray_c), use(resized_c);
}
#endif

static void contents(const char *path) {
  MPI_Datatype known, outer, taken[2], etype, filetype, of_known[1];
  int integers[8];
  MPI_Aint addresses[8];
  // The program frees the components, and then asks MPI for them.
  MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &known);
  MPI_Datatype types[] = {known, MPI_INT};
  MPI_Type_create_struct(2, lengths, bytes, types, &outer);
  MPI_Type_free(&known);
  MPI_Type_get_contents(outer, 3, 2, 2, integers, addresses, taken);
  say("taken", KEY(taken[0]));
  look("contents");
  MPI_Type_free(&taken[0]);
  MPI_Type_contiguous(2, outer, &known);
  MPI_Type_get_contents(known, 1, 0, 1, integers, addresses, of_known);
  say("shared", of_known[0] == outer);
  say("of_known", KEY(of_known[0]));
  MPI_Type_free(&of_known[0]);
  SAY(outer);
  look("contents freed");
  MPI_File file;
  char datarep[MPI_MAX_DATAREP_STRING];
  MPI_Offset disp;
  MPI_Type_vector(4, 1, 2, MPI_INT, &known);
  MPI_Type_commit(&known);
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, known, "native", MPI_INFO_NULL);
  MPI_File_get_view(file, &disp, &etype, &filetype, datarep);
  SAY(filetype), SAY(etype);
  look("view");
  MPI_File_close(&file);
}

// A second library of the program's would do the same: derived types as components and in a w form.
static void as_components(void) {
  MPI_Datatype inner, outer, unseen_w;
  REAL(Type_vector)(2, 1, 5, MPI_INT, &inner);
  MPI_Type_contiguous(3, inner, &outer);
  REAL(Type_vector)(2, 1, 6, MPI_INT, &unseen_w);
  REAL(Type_commit)(&unseen_w);
  int zero = 0;
  MPI_Request request;
  MPI_Ialltoallw(out, &one, &zero, &unseen_w, in, &one, &zero, &unseen_w, MPI_COMM_SELF, &request);
  MPI_Datatype f90, fortran = MPI_DATATYPE_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (REAL(Type_create_f90_real)(12, MPI_UNDEFINED, &f90) == MPI_SUCCESS) {
    REAL(Type_contiguous)(2, f90, &fortran);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    use(fortran);
  }
  SAY(outer), SAY(unseen_w), SAY(fortran);
  look("as components");
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(NULL, NULL);
  dl_iterate_phdr(find_library, NULL);
  if (!library) return 75;
  small();
#ifdef MPIPP_HAVE_Type_vector_c
  large();
#endif
  look("used");
  contents(argv[1]);
  as_components();
  MPI_Finalize();
  return 0;
}
