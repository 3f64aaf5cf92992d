// SPDX-License-Identifier: MIT
// Calls without a record, in which libraries make calls of their own. The test gets the number of
// calls that it should see.
#include "probe.h"

static MPI_Aint extent_of_4;
static int extent_4(MPI_Datatype type, MPI_Aint *extent, void *state) {
  (void)type, (void)state;
  *extent = extent_of_4;
  return MPI_SUCCESS;
}

static void files(const char *name) {
  int flag, amode;
  MPI_Offset offset;
  MPI_Aint extent;
  MPI_File file, other;
  MPI_Info info;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  look("file open");
  MPI_File_seek_shared(file, 8, MPI_SEEK_SET);
  MPI_File_get_position_shared(file, &offset);
  MPI_File_seek(file, 4, MPI_SEEK_SET);
  MPI_File_get_position(file, &offset);
  MPI_File_get_byte_offset(file, 4, &offset);
  MPI_File_set_size(file, 100);
  MPI_File_preallocate(file, 200);
  MPI_File_get_size(file, &offset);
  MPI_File_set_atomicity(file, 1);
  MPI_File_get_atomicity(file, &flag);
  MPI_File_get_amode(file, &amode);
  MPI_File_get_type_extent(file, MPI_INT, &extent);
  MPI_File_sync(file);
  MPI_File_set_info(file, MPI_INFO_NULL);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  MPI_File_call_errhandler(file, MPI_ERR_OTHER);
  MPI_Register_datarep("inside", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_4, NULL);
  look("file used");
  MPI_File_close(&file);
  MPI_File_delete(name, MPI_INFO_NULL);
  look("file deleted");
}

static void others(void) {
  static char buffer[MPI_BSEND_OVERHEAD + 100];
  int rank, size, flag, count, keyval, coords[1], value = 5;
  void *attribute, *memory;
  char name[MPI_MAX_PROCESSOR_NAME + MPI_MAX_OBJECT_NAME];
  MPI_Status status = {0};
  MPI_Comm parent;
  MPI_Buffer_attach(buffer, sizeof buffer);
  MPI_Buffer_detach(&attribute, &size);
  MPI_Get_processor_name(name, &size);
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &flag);
  MPI_Comm_get_parent(&parent);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &value);
  MPI_Comm_get_attr(MPI_COMM_SELF, keyval, &attribute, &flag);
  NUMBER(attribute == &value);
  MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
  MPI_Comm_free_keyval(&keyval);
  MPI_Status_set_elements(&status, MPI_INT, 3);
  MPI_Get_count(&status, MPI_INT, &count);
  NUMBER(count);
  MPI_Dims_create(4, 1, (coords[0] = 0, coords));
  MPI_Alloc_mem(64, MPI_INFO_NULL, &memory);
  MPI_Free_mem(memory);
  look("others used");
}

// A callback of the program frees these objects inside MPI.
struct owned {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Info info;
  MPI_Op op;
};

static int drop(MPI_Comm comm, int keyval, void *value, void *state) {
  struct owned *owned = value;
  (void)comm, (void)keyval, (void)state;
  MPI_Comm_free(&owned->comm);
  MPI_Type_free(&owned->type);
  MPI_Info_free(&owned->info);
  MPI_Op_free(&owned->op);
  return MPI_SUCCESS;
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type) {
  (void)in, (void)inout, (void)length, (void)type;
}

static void callbacks(int in_free) {
  struct owned owned;
  MPI_Comm comm;
  int keyval;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_dup(MPI_COMM_SELF, &owned.comm);
  MPI_Type_contiguous(2, MPI_INT, &owned.type);
  MPI_Info_create(&owned.info);
  MPI_Op_create(add, 1, &owned.op);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop, &keyval, NULL);
  MPI_Comm_set_attr(comm, keyval, &owned);
  look("callback set");
  if (!in_free) MPI_Comm_delete_attr(comm, keyval);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&keyval);
  look("callback called");
}

int main(int argc, char **argv) {
  int before, after;
  if (argc < 2) return 2;
  MPI_Initialized(&before);
  MPI_Init(&argc, &argv);
  MPI_Initialized(&after);
  NUMBER(after - before);
  files(argv[1]);
  others();
  callbacks(0);
  callbacks(1);
  MPI_Finalize();
  return 0;
}
