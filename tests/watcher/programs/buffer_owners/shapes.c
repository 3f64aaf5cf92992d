// SPDX-License-Identifier: MIT
// Buffers that run past their object, or have another type, in the lines marked "wrong"; "fixed":
// no errors. On a communicator of one process MPI_Bcast moves nothing.
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BCAST(P, N, T) MPI_Bcast((void *)(P), N, T, 0, MPI_COMM_SELF)

struct inner {
  float values[3];
  int count;
};
struct mesh {
  int size;
  double *heap, local[5];
};
static int more;
static double grid[4][6];
static long longs[4];
static uint64_t wide[4];
static bool flags[6];
static char name[16];
static unsigned char bytes[16];
static float _Complex complexes[4];
static struct inner inners[3];

static void counts(int n) {
  double u[20] = {0}, *block = malloc((size_t)n * sizeof *block);
  int **rows = malloc((size_t)n * sizeof *rows);
  rows[0] = malloc((size_t)n * sizeof **rows);
  BCAST(u, more ? 20 * sizeof *u : 20, MPI_DOUBLE);                // wrong: bytes
  BCAST(more ? (void *)rows : rows[0], more ? n * n : n, MPI_INT); // wrong: pointers
  BCAST(more ? (void *)&block : block, n, MPI_DOUBLE);             // wrong: the pointer itself
  BCAST(block + 3, more ? n : n - 3, MPI_DOUBLE);                  // wrong
  BCAST(&grid[more][5], 1, MPI_DOUBLE);
  BCAST(&grid[3][0], 6 + more, MPI_DOUBLE); // wrong: one too many
  BCAST(name, 16 + more, MPI_CHAR);         // wrong
  free(rows[0]);
  free(rows);
  free(block);
}

static void types(void) {
  BCAST(longs, 4, more ? MPI_INT : MPI_LONG);                                  // wrong
  BCAST(wide, 4, more ? MPI_UNSIGNED : MPI_UINT64_T);                          // wrong
  BCAST(flags, more ? 1 : 6, more ? MPI_INT : MPI_C_BOOL);                     // wrong
  BCAST(complexes, more ? 2 : 4, more ? MPI_DOUBLE_INT : MPI_C_FLOAT_COMPLEX); // wrong
  BCAST(inners[1].values, more ? 4 : 3, MPI_FLOAT);                            // wrong
  BCAST(&inners[1].count, 1, more ? MPI_LONG : MPI_INT);                       // wrong
  BCAST(bytes, 4, MPI_FLOAT);
}

static void members(void) {
  struct mesh own = {5, NULL, {0}}, *other = malloc(sizeof *other);
  other->heap = malloc(5 * sizeof *other->heap);
  BCAST(own.local, 5 + more, MPI_DOUBLE);        // wrong
  BCAST(other->heap, 5 + more, MPI_DOUBLE);      // wrong
  BCAST(other->local, 5 + 2 * more, MPI_DOUBLE); // wrong
  free(other->heap);
  free(other);
}

static void lengths(int n) {
  double row[n], table[n][3];
  memset(row, 0, sizeof row);
  memset(table, 0, sizeof table);
  BCAST(row, n + more, MPI_DOUBLE);             // wrong
  BCAST(table, 3 * n + more, MPI_DOUBLE);       // wrong
  BCAST(row, n, more ? MPI_FLOAT : MPI_DOUBLE); // wrong
}

static void *allocate(void *bytes_) {
  return malloc((size_t)bytes_);
}

static void memory(void) {
  pthread_t thread;
  void *of_thread, *aligned, *grown = realloc(malloc(64), 808);
  double own[8], *base;
  MPI_Win win, of_own = MPI_WIN_NULL;
  pthread_create(&thread, NULL, allocate, (void *)(uintptr_t)200);
  pthread_join(thread, &of_thread);
  if (posix_memalign(&aligned, 4096, 8008)) abort();
  BCAST(of_thread, 25 + more, MPI_DOUBLE); // wrong
  BCAST(grown, 101 + more, MPI_DOUBLE);    // wrong
  BCAST(aligned, 1001 + more, MPI_DOUBLE); // wrong
  MPI_Win_allocate(800, 8, MPI_INFO_NULL, MPI_COMM_SELF, &base, &win);
  BCAST(base + 1, 99 + more, MPI_DOUBLE); // wrong
  int size = more ? 80 : 64;
#ifndef OPEN_MPI // 4.1 makes none for one process
  MPI_Win_create(own, size, 8, MPI_INFO_NULL, MPI_COMM_SELF, &of_own); // wrong: MPICH
  MPI_Win_free(&of_own);
#endif
  MPI_Win_free(&win);
  free(of_thread);
  free(grown);
  free(aligned);
}

static void parts(void) {
  double all[12], mine[12] = {0};
  int four = 4, whole = 12, start = 0, beyond = 64;
  MPI_Datatype type = MPI_DOUBLE;
  MPI_Comm self = MPI_COMM_SELF;
  int *at = more ? &beyond : &start;
  MPI_Request request;
  MPI_Send_init(mine, 12 + more, type, MPI_PROC_NULL, 0, self, &request);
  MPI_Request_free(&request);
  MPI_Scatterv(all, &four, at, type, MPI_IN_PLACE, 0, type, 0, self);              // wrong
  MPI_Scatterv(mine + more, &whole, &start, type, MPI_IN_PLACE, 0, type, 0, self); // wrong
}

int main(int argc, char **argv) {
  more = !(argc > 1 && strcmp(argv[1], "fixed") == 0);
  MPI_Init(&argc, &argv);
  counts(9);
  types();
  members();
  lengths(6);
  memory();
  parts();
  MPI_Finalize();
}
