// SPDX-License-Identifier: MIT
// One object of every kind, then a receive that never completes. Prints a line for each handle and
// address: its name and value.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const char *name, unsigned long long value) {
  printf("%s %#llx\n", name, value);
}
#define SAY(handle)                                                                                \
  say(#handle, sizeof(handle) == 4 ? (uint32_t)(uintptr_t)(handle) : (uintptr_t)(handle))
#define ADDRESS(object) say(#object, (uintptr_t)(object))

static void add(void *in, void *inout, int *length, MPI_Datatype *datatype) {
  (void)in, (void)inout, (void)length, (void)datatype;
}

static double data[64];
static int numbers[64], one = 1;

static void datatypes(void) {
  MPI_Datatype vector, structure, subarray, darray, freed, indexed, resized;
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  MPI_Type_set_name(vector, "my vector");
  int lengths[2] = {5, 1};
  MPI_Aint offsets[2] = {0, 32};
  MPI_Datatype types[2] = {MPI_INT, vector};
  MPI_Type_create_struct(2, lengths, offsets, types, &structure);
  int sizes[2] = {8, 9}, subsizes[2] = {3, 4}, starts[2] = {1, 2};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_INT, &subarray);
  int distribs[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
  int dargs[2] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, psizes[2] = {4, 1};
  MPI_Type_create_darray(4, 1, 2, sizes, distribs, dargs, psizes, MPI_ORDER_C, MPI_INT, &darray);
  int displacements[2] = {0, -7};
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, &indexed);
  MPI_Type_contiguous(2, MPI_INT, &freed);
  MPI_Type_create_resized(freed, -8, 24, &resized);
  SAY(freed);
  MPI_Type_free(&freed);
  SAY(vector), SAY(structure), SAY(subarray), SAY(darray), SAY(indexed), SAY(resized);
  SAY(MPI_DOUBLE), SAY(MPI_DATATYPE_NULL);
}

static void communicators(void) {
  MPI_Comm dup, cart;
  int dims[2] = {1, 1}, periods[2] = {0, 1};
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_set_name(dup, "my comm");
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
  MPI_Group group;
  MPI_Comm_group(dup, &group);
  MPI_Errhandler errhandler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &errhandler);
  MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
  SAY(dup), SAY(cart), SAY(group), SAY(MPI_COMM_WORLD), SAY(MPI_ERRORS_RETURN), SAY(MPI_COMM_NULL);
}

static void requests(void) {
  MPI_Request receive, persistent, varying;
  MPI_Irecv(data, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &receive);
  MPI_Send_init(numbers, 2, MPI_INT, 0, 8, MPI_COMM_WORLD, &persistent);
  int count = 3, displacement = 2;
  MPI_Ialltoallv(numbers, &count, &displacement, MPI_INT, numbers + 32, &count, &displacement,
                 MPI_INT, MPI_COMM_WORLD, &varying);
  count = displacement = 99;
  SAY(receive), SAY(persistent), SAY(varying);
}

static void windows(void) {
  void *base;
  MPI_Win win;
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  SAY(win), ADDRESS(base);
}

static void others(const char *path) {
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "my key", "my value");
  MPI_File file;
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_Request send;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Isend(&one, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &send);
  int found = 0;
  MPI_Status status;
  while (!found) MPI_Improbe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &found, &message, &status);
  SAY(op), SAY(MPI_SUM), SAY(info), SAY(file), SAY(message);
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  SAY(session);
#endif
}

int main(int argc, char **argv) {
  (void)argc;
  MPI_Init(NULL, NULL);
  datatypes();
  communicators();
  requests();
  windows();
  others(argv[1]);
  ADDRESS(data), ADDRESS(numbers), ADDRESS(add);
  fputs("ready\n", stdout);
  fflush(stdout);
  MPI_Recv(data + 32, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return 1;
}
