// SPDX-License-Identifier: MIT
// Uses buffers of operations: with the argument "wrong" while they are pending, else afterwards.
// Each function is one access. Built by a compiler that mpipp calls.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef double pair __attribute__((vector_size(16)));
struct cell {
  double value[5];
};

static int rank, wrong, tag;
static double sum;

static void done(MPI_Request *request, int receives, void *buffer, MPI_Datatype type, int count) {
  // The other process does its part after the barrier.
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && receives) MPI_Send(buffer, count, type, 0, tag, MPI_COMM_WORLD);
  if (rank == 1 && !receives)
    MPI_Recv(buffer, count, type, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Wait(request, MPI_STATUS_IGNORE);
}

typedef void access_type(void *at);

__attribute__((noinline)) static void one(int receives, void *buffer, MPI_Datatype type, int count,
                                          access_type *access, access_type *allowed, void *at) {
  MPI_Request request = MPI_REQUEST_NULL;
  tag++;
  if (rank == 0 && receives) MPI_Irecv(buffer, count, type, 1, tag, MPI_COMM_WORLD, &request);
  if (rank == 0 && !receives) MPI_Issend(buffer, count, type, 1, tag, MPI_COMM_WORLD, &request);
  if (allowed && rank == 0) allowed(at);
  if (wrong && rank == 0) access(at);
  done(&request, receives, buffer, type, count);
  if (!wrong) access(at);
}

__attribute__((noinline)) static void stores_int(void *at) {
  *(volatile int *)at = 7;
}
__attribute__((noinline)) static void loads_int(void *at) {
  sum += *(int *)at;
}
__attribute__((noinline)) static void stores_byte(void *at) {
  *(char *)at = 1;
}
__attribute__((noinline)) static void straddles(void *at) {
  long eight = 8;
  *(long *)((char *)at - 4) = eight;
}
__attribute__((noinline)) static void stores_double(void *at) {
  *(double *)at = 2.5;
}
__attribute__((noinline)) static void in_holes(void *at) {
  double *column = at;
  for (int i = 0; i < 8; i++) column[4 * i + 1] = column[4 * i + 3] = i;
}
__attribute__((noinline)) static void stores_vector(void *at) {
  *(pair *)at = (pair){1, 2};
}
__attribute__((noinline)) static void adds_atomically(void *at) {
  __atomic_fetch_add((long *)at, 1, __ATOMIC_RELAXED);
}
__attribute__((noinline)) static void copies(void *at) {
  static char zeros[64];
  memcpy(at, zeros, (size_t)(56 + rank));
}
__attribute__((noinline)) static void copies_struct(void *at) {
  static struct cell cell;
  *(struct cell *)at = cell;
}
__attribute__((noinline)) static void loops(void *at) {
  double *values = at, total = 0;
  for (int i = 0; i < 1000; i++) total += values[i];
  sum += total;
}
static void *stores_there(void *at) {
  *(double *)at = 3;
  return NULL;
}
static void in_thread(void *at) {
  pthread_t thread;
  pthread_create(&thread, NULL, stores_there, at);
  pthread_join(thread, NULL);
}

// The same accesses to a receive buffer.
__attribute__((noinline)) static void loads_byte(void *at) {
  sum += *(char *)at;
}
__attribute__((noinline)) static void loads_straddling(void *at) {
  sum += (double)*(long *)((char *)at - 4);
}
__attribute__((noinline)) static void loads_vector(void *at) {
  pair two = *(pair *)at;
  sum += two[0] + two[1];
}
__attribute__((noinline)) static void adds_to_received(void *at) {
  __atomic_fetch_add((long *)at, 2, __ATOMIC_RELAXED);
}
__attribute__((noinline)) static void copies_from(void *at) {
  static char copied[64];
  memcpy(copied, at, (size_t)(56 + rank));
  sum += copied[tag];
}
static void *loads_there(void *at) {
  sum += *(double *)at;
  return NULL;
}
static void loads_in_thread(void *at) {
  pthread_t thread;
  pthread_create(&thread, NULL, loads_there, at);
  pthread_join(thread, NULL);
}

#if MPI_VERSION >= 4
// Correct: partitions are filled while the operation is started, until they are ready.
__attribute__((noinline)) static void in_partitions(void) {
  enum { PARTITIONS = 4 };
  double values[PARTITIONS] = {0};
  MPI_Request request;
  if (rank == 0)
    MPI_Psend_init(values, PARTITIONS, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  else
    MPI_Precv_init(values, PARTITIONS, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  MPI_Start(&request);
  for (int i = 0; i < PARTITIONS && rank == 0; i++) {
    stores_double(&values[i]);
    MPI_Pready(i, request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}
#endif

int main(int argc, char **argv) {
  int small = 1, neighbor[3] = {1, 2, 3}, provided;
  char bytes[24] __attribute__((aligned(8))) = {0};
  double row[8] = {0};
  static double grid[64], large[1000];
  wrong = argc > 1;
  (void)argv;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype column;
  MPI_Type_vector(8, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  one(1, &small, MPI_INT, 1, stores_int, NULL, &small);
  one(1, &neighbor[1], MPI_INT, 1, loads_int, NULL, &neighbor[1]);
  one(0, &neighbor[1], MPI_INT, 1, stores_int, loads_int, &neighbor[1]);
  one(0, bytes, MPI_BYTE, 24, stores_byte, NULL, bytes);
  one(0, bytes, MPI_BYTE, 24, stores_byte, NULL, bytes + 23);
  one(0, bytes + 13, MPI_BYTE, 3, straddles, NULL, bytes + 12);
  one(1, grid, column, 1, stores_double, in_holes, grid + 12);
  one(0, row, MPI_DOUBLE, 8, stores_vector, NULL, row + 2);
  one(0, row, MPI_DOUBLE, 8, adds_atomically, NULL, row + 7);
  one(0, row + 3, MPI_DOUBLE, 1, copies, NULL, row);
  one(0, row + 4, MPI_DOUBLE, 1, copies_struct, NULL, row);
  one(1, large, MPI_DOUBLE, 1000, loops, NULL, large);
  one(0, row, MPI_DOUBLE, 8, in_thread, NULL, row + 1);
  one(1, bytes, MPI_BYTE, 24, loads_byte, NULL, bytes + 23);
  one(1, bytes + 13, MPI_BYTE, 3, loads_straddling, NULL, bytes + 12);
  one(1, row, MPI_DOUBLE, 8, loads_vector, NULL, row + 2);
  one(1, row, MPI_DOUBLE, 8, adds_to_received, NULL, row + 7);
  one(1, row + 3, MPI_DOUBLE, 1, copies_from, NULL, row);
  one(1, row, MPI_DOUBLE, 8, loads_in_thread, NULL, row + 1);
#if MPI_VERSION >= 4
  in_partitions();
#endif
  MPI_Type_free(&column);
  MPI_Finalize();
  if (rank == 0) printf("%d %g\n", small, row[7]);
  return 0;
}
