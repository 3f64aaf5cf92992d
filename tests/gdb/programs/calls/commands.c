// SPDX-License-Identifier: MIT
// The program of test_commands.py.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../mark.h"

struct mixed {
  int numbers[5];
  char text[7];
  double values[2];
};

static struct mixed data[2] = {{{1, 2, 3, 4, 5}, "abcdefg", {1.5, 2.5}},
                               {{6, 7, 8, 9, 10}, "hi", {3.5, 4.5}}};
static double matrix[3][4], zeros[12];

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
  for (int i = 0; i < 12; i++) matrix[i / 4][i % 4] = i + 0.5;

  MPI_Datatype s_type = make_record();
  MPI_Datatype vec, t, freed;
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vec);
  MPI_Type_commit(&vec);
  MPI_Type_contiguous(2, vec, &t);
  MPI_Type_set_name(t, "two rows");
  MPI_Type_dup(MPI_INT, &freed);
  MPI_Datatype gone = freed, list[2] = {vec, MPI_INT}, bad = (MPI_Datatype)0x12345;
  MPI_Type_free(&freed);

  MPI_Request request;
  MPI_Irecv(matrix, 1, vec, 0, 3, MPI_COMM_SELF, &request);
  int one = 1;
  MPI_Comm world = MPI_COMM_WORLD;
#ifdef WAIT
  fputs("ready\n", stdout);
  fflush(stdout);
  pause();
#endif
#ifdef MPI_ABORT
  MPI_Abort(world, 7);
#endif
#ifdef ABORT
  abort();
#endif
  mark();
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  (void)gone, (void)list, (void)bad, (void)one, (void)world, (void)zeros;
  MPI_Finalize();
  return 0;
}
