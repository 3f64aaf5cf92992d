// SPDX-License-Identifier: MIT
// Buffers that need many mappings. "sparse": many such buffers, which may leave no mappings for the
// program. "full": the process has as many mappings as the system allows. "wrong": then a store.
// One process.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 512, BLOCKS = 512, LENGTH = 2 * PAGE, STRIDE = 4 * PAGE }; // in doubles
enum { BUFFERS = 100, AT_ONCE = 20, PAGES = 1 << 17, BYTES = 4096 };

static _Alignas(4096) double data[BLOCKS * STRIDE + BUFFERS], in[BLOCKS * LENGTH];
static int wrong;

static void need(int is_true, int line) {
  if (is_true) return;
  printf("line %d\n", line);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NEED(x) need(x, __LINE__)

static void check(int first) {
  for (int i = 0; i < BLOCKS * LENGTH; i++) NEED(in[i] == first + i / LENGTH * STRIDE + i % LENGTH);
}

static void *nothing(void *unused) {
  return unused;
}

// The program also needs mappings.
static void use_some(void) {
  void *maps[1000];
  pthread_t thread;
  for (int i = 0; i < 1000; i++) {
    maps[i] = mmap(NULL, BYTES, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(maps[i] != MAP_FAILED);
  }
  for (int i = 0; i < 1000; i++) munmap(maps[i], BYTES);
  NEED(pthread_create(&thread, NULL, nothing, NULL) == 0);
  pthread_join(thread, NULL);
}

static void sparse(void) {
  MPI_Request requests[BUFFERS];
  MPI_Datatype rows;
  MPI_Type_vector(BLOCKS, LENGTH, STRIDE, MPI_DOUBLE, &rows);
  MPI_Type_commit(&rows);
  for (int i = 0; i < BUFFERS; i += i < BUFFERS - AT_ONCE ? 1 : AT_ONCE) {
    int count = i < BUFFERS - AT_ONCE ? 1 : AT_ONCE;
    for (int k = 0; k < count; k++)
      MPI_Isend(&data[i + k], 1, rows, 0, 0, MPI_COMM_SELF, &requests[k]);
    for (int k = 0; k < count; k++) {
      MPI_Recv(in, BLOCKS * LENGTH, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      check(i + k);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  use_some();
  MPI_Type_free(&rows);
}

static char *fill(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  char *all = mmap(NULL, (size_t)PAGES * BYTES, PROT_NONE, flags, -1, 0);
  NEED(all != MAP_FAILED);
  int i = 1;
  while (i < PAGES && !mprotect(all + (size_t)i * BYTES, BYTES, PROT_READ)) i += 2;
  NEED(i < PAGES);
  // No mapping is left: a buffer at the end of this one would need one more.
  mprotect(all + (size_t)(PAGES - 1) * BYTES, BYTES, PROT_READ);
  return all;
}

// The buffer is a part of the pages of an earlier, longer one.
static void exchange(int pages) {
  int first = pages == 16 ? 0 : 4 * PAGE;
  MPI_Request both[2];
  MPI_Irecv(in, pages * PAGE, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &both[0]);
  MPI_Isend(data + first, pages * PAGE, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  for (int i = 0; i < pages * PAGE; i++) NEED(in[i] == first + i);
  data[first + 1] = first + 1;
}

static void full(void) {
  char *all;
  for (int i = 0; i < 3; i++) exchange(16);
  for (int i = 0; i < 3; i++) exchange(8);
  if (wrong) {
    MPI_Request request;
    MPI_Isend(data + 4 * PAGE, 8 * PAGE, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    all = fill();
    data[6 * PAGE + 7] = 6 * PAGE + 7;
    MPI_Recv(in, 8 * PAGE, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 8 * PAGE; i++) NEED(in[i] == 4 * PAGE + i);
  } else {
    all = fill();
    for (int i = 0; i < 3; i++) exchange(8);
    for (int i = 4; i < 8; i++) exchange(i);
  }
  munmap(all, (size_t)PAGES * BYTES);
  exchange(16);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (size_t i = 0; i < sizeof data / sizeof *data; i++) data[i] = (double)i;
  wrong = strcmp(argv[1], "wrong") == 0;
  if (strcmp(argv[1], "sparse") == 0)
    sparse();
  else
    full();
  printf("done\n");
  MPI_Finalize();
  return 0;
}
