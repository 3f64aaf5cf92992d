// SPDX-License-Identifier: MIT
// Conflicts of loads and stores that instrumented code detects, with any number of buffers and
// windows. The first argument names the case; "right" after it: no conflict. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 1000, ROWS = 10, FAR = 300, APART = 1 << 17, LARGE = 150 << 20 };
static int rank, right, memory[N], from[2 * N];
static char far[FAR][APART];
static MPI_Win win;

__attribute__((noinline)) static void set(int *at) {
  *(volatile int *)at = 5;
}

static void put(const int *origin, MPI_Aint at) {
  MPI_Put(origin, 1, MPI_INT, 1, at, 1, MPI_INT, win);
}

static void make(MPI_Win *made) {
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, made);
}

static void attached(void) {
  MPI_Aint there;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory, sizeof memory);
  MPI_Get_address(memory, &there);
  MPI_Bcast(&there, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  MPI_Win_fence(0, win);
  if (rank == 0) put(from, there);
  if (rank == 1) set(&memory[right]);
  MPI_Win_fence(0, win);
  MPI_Win_detach(win, memory);
}

// An earlier window with the same memory is freed before.
static void two_windows(void) {
  MPI_Win other;
  make(&other);
  make(&win);
  MPI_Win_free(&other);
  MPI_Win_fence(0, win);
  if (rank == 0) put(from, 3);
  if (rank == 1) set(&memory[right ? 4 : 3]);
  MPI_Win_fence(0, win);
}

static void many_buffers(void) {
  make(&win);
  MPI_Win_fence(0, win);
  for (int i = 0; rank == 0 && i < N; i++) put(&from[2 * (i * 7 % N)], i);
  if (rank == 0) set(&from[2 * (900 * 7 % N) + right]);
  MPI_Win_fence(0, win);
}

// The two buffers lie between each other's elements.
static void columns(void) {
  MPI_Datatype column;
  make(&win);
  MPI_Type_vector(ROWS, 1, ROWS, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(&from[0], 1, column, 1, 0, ROWS, MPI_INT, win);
  if (rank == 0) MPI_Put(&from[1], 1, column, 1, ROWS, ROWS, MPI_INT, win);
  if (rank == 0) set(&from[ROWS + (right ? 2 : 1)]);
  MPI_Win_fence(0, win);
  MPI_Type_free(&column);
}

static void far_apart(void) {
  make(&win);
  MPI_Win_fence(0, win);
  for (int i = 0; rank == 0 && i < FAR; i++) put((int *)(void *)far[i], i);
  MPI_Win_fence(0, win);
}

// Large parts of rank 1 in windows of shared memory: one window at a time, then two at once.
static void large_parts(void) {
  MPI_Win first;
  int *part;
  for (int i = 0; i < 3; i++) {
    MPI_Win_allocate_shared(rank * LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &win);
    if (i == 0) MPI_Win_free(&win);
    if (i == 1) first = win;
  }
  MPI_Win_free(&first);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"attached", attached}, {"two_windows", two_windows}, {"many_buffers", many_buffers},
               {"columns", columns},   {"far_apart", far_apart},     {"large_parts", large_parts}};
  right = argc > 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (argc > 1 && !strcmp(argv[1], cases[i].name)) cases[i].run();
  MPI_Win_free(&win);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
