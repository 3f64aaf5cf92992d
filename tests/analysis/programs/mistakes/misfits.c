// SPDX-License-Identifier: MIT
// Buffers in variables of another type than their datatype's. Its calls are marked as in
// mistakes.c: none reaches MPI. If debug information is not certain a call counts as correct.
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

// The macro is redefined for this file, because the test reads the strings.
#define WRONG(what, call) (*next = what, (void)(call))
#define RIGHT(call) WRONG("", call)
#define SEND(buffer, count, type) MPI_Send(buffer, count, type, 0, 0, MPI_COMM_SELF)
#define MISFIT(variable) "variable-type: the datatype of buf does not fit the variable " variable

struct point {
  double x;
  int n;
};

static const char *volatile *next;
static int integers[4], pointed[4], viewed[4];
static double doubles[4];
static float floats[8];
static struct point points[4];
static char bytes[64];
static union {
  double real;
  int whole[2];
} either;
static void *any = pointed;
static float *other = (float *)viewed;

static void elements(void) {
  int local[2] = {0};
  WRONG(MISFIT("integers (int [4], 16 bytes)"), SEND(integers, 4, MPI_FLOAT));
  WRONG(MISFIT("doubles[0..1] (double [2], 16 bytes)"), SEND(doubles, 4, MPI_INT));
  WRONG(MISFIT("floats (float [8], 32 bytes)"), SEND(floats, 4, MPI_DOUBLE));
  WRONG(MISFIT("integers[2..3] (int [2], 8 bytes)"), SEND(&integers[2], 1, MPI_DOUBLE));
  WRONG(MISFIT("local (int [2], 8 bytes)"), SEND(local, 2, MPI_FLOAT));
  RIGHT(SEND(integers, 4, MPI_INT));
  RIGHT(SEND(local, 2, MPI_INT));
  RIGHT(SEND(&doubles[1], 3, MPI_DOUBLE));
  RIGHT(SEND(integers, 0, MPI_FLOAT));
  RIGHT(SEND(doubles, 32, MPI_BYTE));
}

static void uncertain(void) {
  double *heap = malloc(4 * sizeof *heap);
  RIGHT(SEND(heap, 4, MPI_INT));
  RIGHT(SEND(bytes, 8, MPI_DOUBLE));
  RIGHT(SEND(any, 4, MPI_FLOAT));
  RIGHT(SEND(other, 4, MPI_FLOAT));
  RIGHT(SEND(&either, 1, MPI_DOUBLE));
  RIGHT(SEND(&either, 2, MPI_INT));
  free(heap);
}

// To each process, and from it, in one piece.
static void shares(void) {
  int four[1] = {4}, two[1] = {2}, none[1] = {0}, first[1] = {1}, begin[1] = {0};
  MPI_Datatype types[1] = {MPI_DOUBLE};
  WRONG(
      "variable-type: the datatype of sendbuf for rank 0 does not fit the variable "
      "integers[1..2] (int [2], 8 bytes)",
      MPI_Alltoallv(integers, two, first, MPI_FLOAT, floats, two, begin, MPI_FLOAT, MPI_COMM_SELF));
  WRONG("variable-type: the datatype of recvbuf for rank 0 does not fit the variable "
        "floats (float [8], 32 bytes)",
        MPI_Alltoallw(doubles, four, begin, types, floats, four, begin, types, MPI_COMM_SELF));
  RIGHT(MPI_Alltoallv(integers, none, begin, MPI_FLOAT, doubles, none, begin, MPI_DOUBLE,
                      MPI_COMM_SELF));
  RIGHT(MPI_Gatherv(integers, 4, MPI_INT, pointed, four, begin, MPI_INT, 0, MPI_COMM_SELF));
}

// With the padding at the end of each struct, and without.
static void padding(void) {
  MPI_Aint displacements[2] = {offsetof(struct point, x), offsetof(struct point, n)};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, whole, cut, shifted;
  MPI_Type_create_struct(2, (int[]){1, 1}, displacements, types, &whole);
  MPI_Type_create_resized(whole, 0, sizeof(double) + sizeof(int), &cut);
  displacements[1] += sizeof(int);
  MPI_Type_create_struct(2, (int[]){1, 1}, displacements, types, &shifted);
  MPI_Type_commit(&whole);
  MPI_Type_commit(&cut);
  MPI_Type_commit(&shifted);
  RIGHT(SEND(points, 4, whole));
  RIGHT(SEND(points, 1, cut));
  WRONG(MISFIT("points[0..2] (struct point [3], 48 bytes)"), SEND(points, 4, cut));
  WRONG(MISFIT("points[0] (struct point, 16 bytes)"), SEND(points, 1, shifted));
  MPI_Type_free(&whole);
  MPI_Type_free(&cut);
  MPI_Type_free(&shifted);
}

static void pending(void) {
  MPI_Request request;
  MPI_Irecv(floats, 4, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
  WRONG(MISFIT("floats[0..3] (float [4], 16 bytes)"), MPI_Barrier(MPI_COMM_SELF));
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  next = dlsym(RTLD_DEFAULT, "taken_next");
  if (!next) return 64;
  MPI_Init(&argc, &argv);
  elements();
  uncertain();
  shares();
  padding();
  pending();
  MPI_Finalize();
  return 0;
}
