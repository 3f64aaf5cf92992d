// SPDX-License-Identifier: MIT
// Loops to compare the cost of MPI calls with and without the wrapper. Usage: recorder LOOP COUNT
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICES = 500 };

static void datatypes(long count) {
  for (long i = 0; i < count; i++) {
    MPI_Datatype vector;
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
    MPI_Type_commit(&vector);
    MPI_Type_free(&vector);
  }
}

static void self_messages(long count) {
  double in, out = 1;
  for (long i = 0; i < count; i++) {
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
}

static void ping_pong(long count) {
  int rank;
  double data = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (long i = 0; i < count; i++) {
    if (rank == 0) MPI_Send(&data, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(&data, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&data, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
  }
}

static void allreduce(long count) {
  double part = 1, sum;
  for (long i = 0; i < count; i++)
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void bcast(long count) {
  double data = 1;
  for (long i = 0; i < count; i++) MPI_Bcast(&data, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void barrier(long count) {
  for (long i = 0; i < count; i++) MPI_Barrier(MPI_COMM_WORLD);
}

static void live_datatypes(long count) {
  for (long i = 0; i < count; i++) {
    MPI_Datatype vector;
    MPI_Type_vector(3, 2, 4 + (int)i, MPI_DOUBLE, &vector);
  }
}

// The resident memory of this process in bytes.
static long resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file && fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
  if (file) fclose(file);
  return pages * 4096;
}

// Seconds of one round: the minimum of several slices, because other load only adds time.
static double best(void (*run)(long), long count) {
  double least = 1e9;
  for (int i = 0; i < SLICES; i++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    run(count / SLICES);
    double seconds = (MPI_Wtime() - start) / (double)(count / SLICES);
    if (seconds < least) least = seconds;
  }
  return least;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(long);
  } loops[] = {{"datatypes", datatypes}, {"self", self_messages}, {"ping-pong", ping_pong},
               {"allreduce", allreduce}, {"bcast", bcast},        {"barrier", barrier},
               {"live", live_datatypes}};
  MPI_Init(&argc, &argv);
  long count = argc > 2 ? atol(argv[2]) : 0;
  for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++) {
    if (argc < 3 || strcmp(loops[i].name, argv[1])) continue;
    loops[i].run(count / 10 + 1000); // fills the caches, the tables and the library's pools
    long before = resident();
    double seconds = best(loops[i].run, count);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%.12f %ld\n", seconds, resident() - before);
  }
  MPI_Finalize();
  return 0;
}
