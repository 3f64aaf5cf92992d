// SPDX-License-Identifier: MIT
// Statuses, requests and integer arrays that are too small for the call, or of another type. With
// "fixed" all are right.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct shape {
  int x, y, z;
  double length;
};
struct waiting {
  MPI_Status statuses[4];
  int others[64];
};

static int values[4], received[4];

// Arrays in which MPI stores its results. It also changes the members after a short array.
static void results(int wrong) {
  struct {
    int few[2], others[10];
  } some;
  int *few = wrong ? some.few : some.others, sizes[3] = {1, 1, 1}, periods[3] = {0}, coords[3];
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_SELF, 3, sizes, periods, 0, &grid);
  MPI_Cart_coords(grid, 0, 3, few);           // some.few
  MPI_Cart_coords(grid, 0, 4, coords);        // MPI stores three
  MPI_Cart_get(grid, 3, sizes, periods, few); // some.few
  MPI_Comm_free(&grid);
  MPI_Group group;
  MPI_Comm_group(MPI_COMM_SELF, &group);
  const int zeros[10] = {0};
  MPI_Group_translate_ranks(group, 10, zeros, group, few); // some.few
  MPI_Group_free(&group);
  MPI_Request requests[4];
  MPI_Status statuses[4];
  for (int i = 0; i < 2; i++) {
    MPI_Irecv(&received[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
    MPI_Isend(&values[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 + i]);
  }
  for (int left = 4, done; left > 0; left -= done)
    MPI_Waitsome(4, requests, &done, few, statuses); // some.few
}

static void start(MPI_Request requests[4]) {
  for (int i = 0; i < 2; i++) {
    MPI_Irecv(&received[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
    MPI_Isend(&values[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &requests[2 + i]);
  }
}

static void send_self(MPI_Status *status) {
  MPI_Sendrecv(values, 1, MPI_INT, 0, 0, received, 1, MPI_INT, 0, 0, MPI_COMM_SELF, status);
}

static void all_of(int wrong) {
  MPI_Request requests[4];
  struct waiting waiting;
  start(requests);
  MPI_Waitall(4, requests, waiting.statuses + wrong); // waiting.statuses
  union {
    int few[3];
    MPI_Status status;
  } kept;
  MPI_Status status;
  send_self(wrong ? &status : &kept.status);
  struct {
    int tiny[20], others[20];
  } few = {{0}, {0}};
  send_self((MPI_Status *)(few.tiny + (wrong ? 18 : 0))); // few.tiny

  int counts[1] = {0}, displacements[1] = {0}, zero[3] = {1, 1, 1};
  long wide[1] = {0};
  MPI_Allgatherv(values, 0, MPI_INT, received, wrong ? (int *)wide : counts, displacements, MPI_INT,
                 MPI_COMM_SELF); // wide
  struct shape shape = {1, 1, 1, 0};
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_SELF, 3, &shape.x, wrong ? counts : zero, 0, &grid); // counts
  MPI_Comm_free(&grid);

  int lengths[2] = {1, 1}, narrow[2] = {0, 8};
  MPI_Aint places[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_INT, MPI_INT}, made;
  MPI_Type_create_struct(2, lengths, wrong ? (MPI_Aint *)narrow : places, types, &made); // narrow
  MPI_Type_free(&made);

  int *listed = malloc(sizeof *listed * (wrong ? 6 : 20)); // 24 bytes
  memset(listed, 0, sizeof *listed * (wrong ? 6 : 20));
  MPI_Type_indexed(7, listed, listed, MPI_INT, &made); // listed
  MPI_Type_free(&made);
  free(listed);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  results(!(argc > 1 && !strcmp(argv[1], "fixed")));
  all_of(!(argc > 1 && !strcmp(argv[1], "fixed")));
  MPI_Finalize();
  return 0;
}
