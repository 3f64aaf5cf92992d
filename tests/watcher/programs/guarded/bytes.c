// SPDX-License-Identifier: MIT
// Buffers that share all their pages: correct accesses, and with "wrong" errors, too. Two
// processes, which print their data at the end.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { N = 16, ROWS = 40, COLUMNS = 1000, LONG = 3000, PAGE = 4096 };

static int rank, other;
static double matrix[ROWS][COLUMNS];
static double small[N];
static MPI_Datatype column, record;
static MPI_Request request;
static MPI_Status status;
struct record {
  char kind; // three bytes behind it are a hole
  int number[2];
  double x;
};

static void need(int is_true, int line) {
  if (is_true) return;
  fprintf(stderr, "rank %d: line %d\n", rank, line);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NEED(x) need(x, __LINE__)

static void fill(double *row, int count, double with) {
  for (int i = 0; i < count; i++) row[i] = with + i;
}

static void go(void) {
  MPI_Send(NULL, 0, MPI_INT, other, 9, MPI_COMM_WORLD);
}

static void await(void) {
  MPI_Recv(NULL, 0, MPI_INT, other, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// This file uses the functions above.
#include "correct_bytes.h"

static double *edges(int number) { // whole pages, and parts of two others
  enum { BYTES = 12 * PAGE };
  static double *memory[2];
  if (!memory[number]) memory[number] = memset(aligned_alloc(PAGE, BYTES), 0, BYTES);
  return memory[number] + 1;
}

// Errors.

static void early_store(double *at) {
  MPI_Issend(at, N, MPI_DOUBLE, other, 20, MPI_COMM_WORLD, &request);
  at[0] = 17;
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void in_a_column(void) {
  MPI_Issend(&matrix[0][3], 1, column, other, 21, MPI_COMM_WORLD, &request);
  matrix[ROWS - 1][2] = matrix[ROWS - 1][4] = 4; // beside it
  matrix[ROWS - 1][3] = 42;
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void last_byte(void) {
  struct record out[2] = {{'a', {1, 2}, 3}, {'b', {4, 5}, 6}};
  MPI_Issend(out, 2, record, other, 22, MPI_COMM_WORLD, &request);
  (&out[1].kind)[1] = 3; // a hole
  out[1].number[1] = 7;
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void in_a_receive(void) {
  double in[N];
  MPI_Irecv(in, N, MPI_DOUBLE, other, 23, MPI_COMM_WORLD, &request);
  in[N - 1] = 0.5;
  go();
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  NEED(in[N - 1] == small[N - 1]);
}

static void at_an_edge(void) {
  MPI_Issend(edges(0), LONG, MPI_DOUBLE, other, 24, MPI_COMM_WORLD, &request);
  edges(0)[-1] = 3; // beside it
  edges(0)[1] = -1;
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void at_the_other_edge(void) {
  MPI_Irecv(edges(1), LONG, MPI_DOUBLE, other, 25, MPI_COMM_WORLD, &request);
  edges(1)[LONG] = 3; // beside it
  edges(1)[LONG - 1] = 2;
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void *of_a_thread(void *memory) {
  ((double *)memory)[2] = 9;
  return NULL;
}

static void by_a_thread(void) {
  static double out[N];
  pthread_t thread;
  MPI_Issend(out, N, MPI_DOUBLE, other, 26, MPI_COMM_WORLD, &request);
  pthread_create(&thread, NULL, of_a_thread, out);
  pthread_join(thread, NULL);
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void posts(void) {
  double out[N];
  fill(out, N, 1);
  MPI_Issend(out, N, MPI_DOUBLE, other, 27, MPI_COMM_WORLD, &request);
}

static void gone(void) {
  posts();
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void puts_from_stack(MPI_Win window) {
  double out[N];
  fill(out, N, 1);
  MPI_Put(out, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, window);
}

static void freed(void) { // its memory, without a known function: the comparison ends
  double *out = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fill(out, N, 1);
  MPI_Isend(out, N, MPI_DOUBLE, other, 28, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  syscall(SYS_munmap, out, PAGE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void wrong(void) {
  MPI_Win window;
  static double exposed[N];
  MPI_Win_create(exposed, sizeof exposed, sizeof *exposed, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  if (rank == 0) puts_from_stack(window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  if (rank == 0) {
    double here[N];
    fill(here, N, 0);
    early_store(here);
    in_a_column();
    last_byte();
    in_a_receive();
    at_an_edge();
    at_the_other_edge();
    by_a_thread();
    gone();
    freed();
    return;
  }
  double *in = edges(0);
  struct record got[2];
  for (int tag = 20; tag < 28; tag++) {
    await();
    if (tag == 23 || tag == 25)
      MPI_Send(tag == 23 ? small : in, tag == 23 ? N : LONG, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
    else if (tag == 22)
      MPI_Recv(got, 2, record, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Recv(in, LONG, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Irecv(in, LONG, MPI_DOUBLE, 0, 28, MPI_COMM_WORLD, &request);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void make_types(void) {
  int lengths[3] = {1, 2, 1};
  MPI_Aint places[3] = {offsetof(struct record, kind), offsetof(struct record, number),
                        offsetof(struct record, x)};
  MPI_Datatype types[3] = {MPI_CHAR, MPI_INT, MPI_DOUBLE}, unsized;
  MPI_Type_create_struct(3, lengths, places, types, &unsized);
  MPI_Type_create_resized(unsized, 0, sizeof(struct record), &record);
  MPI_Type_commit(&record);
  MPI_Type_free(&unsized);
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  other = 1 - rank;
  fill(small, N, 50);
  make_types();
  exchanges();
  columns();
  records();
  shapes();
  partly();
  truncated();
  given_up();
  asked_after();
  absolute();
  together();
  mixed();
  left();
  coroutines();
  persistent();
  exchange(edges(0), edges(1), LONG, MPI_DOUBLE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) wrong();
  MPI_Type_free(&column);
  MPI_Type_free(&record);
  free(edges(0) - 1);
  free(edges(1) - 1);
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
