// SPDX-License-Identifier: MIT
// For the browser's tests: a vector of 10^6 elements, a struct, a call with a buffer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../gdb/programs/mark.h"

enum { COUNT = 1000000 };

struct mixed {
  int numbers[5];
  char text[7];
  double values[2];
};

static struct mixed data[2] = {{{1, 2, 3, 4, 5}, "abcdefg", {1.5, 2.5}},
                               {{6, 7, 8, 9, 10}, "hi", {3.5, 4.5}}};

static MPI_Datatype make_record(void) {
  MPI_Datatype record, types[3] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  int blocklengths[3] = {5, 7, 2};
  MPI_Aint offsets[3] = {0, 20, 32};
  MPI_Type_create_struct(3, blocklengths, offsets, types, &record);
  MPI_Type_commit(&record);
  return record;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double *numbers = malloc(2 * COUNT * sizeof *numbers);
  for (int i = 0; i < 2 * COUNT; i++) numbers[i] = i / 2.0;

  MPI_Datatype big, s_type = make_record();
  MPI_Type_vector(COUNT, 1, 2, MPI_DOUBLE, &big);
  MPI_Type_commit(&big);
  MPI_Request request;
  MPI_Irecv(data, 2, s_type, 0, 3, MPI_COMM_SELF, &request);
  mark();
  numbers[0] = -1;
  mark();
  for (volatile int spin = 1; argc > 1 && spin;) numbers[0] += 1;
  static struct mixed all[3];
  int counts[1] = {1}, offsets[1] = {2};
  MPI_Gatherv(data, 1, s_type, all, counts, offsets, s_type, 0, MPI_COMM_SELF);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Type_free(&big);
  MPI_Finalize();
  return 0;
}
