// SPDX-License-Identifier: MIT
// Dies, or calls MPI, according to its argument, outside the watched time. That is before MPI_Init
// and after MPI_Finalize. Or dies beside a process with an error in its call.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm copy;
static MPI_Group group;
static MPI_Op op;
static const char *how;

static int is(const char *what) {
  return strcmp(how, what) == 0;
}

// Removes the signal handler of the MPI library or its transport.
static void die(int number) {
  signal(number, SIG_DFL);
  raise(number);
}

static void add(void *in, void *inout, int *length, MPI_Datatype *datatype) {
  (void)in, (void)inout, (void)length, (void)datatype;
}

static void free_late(void) {
  if (is("comm")) MPI_Comm_free(&copy);
  if (is("group")) MPI_Group_free(&group);
  if (is("op")) MPI_Op_free(&op);
}

// Rank 0 receives into the buffer of a pending receive, and waits there. MPI finds no error in it;
// rank 1 dies, and the launcher ends rank 0.
static void beside_a_wrong_call(int rank, const char *told) {
  MPI_Request request;
  int buffer[4];
  if (rank == 0) {
    MPI_Irecv(buffer, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    MPI_Recv(buffer, 2, MPI_INT, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    while (access(told, F_OK)) usleep(1000);
    die(SIGSEGV);
  }
}

int main(int argc, char **argv) {
  int rank, flag;
  how = argv[1];
  if (is("uncalled")) return 0;
  if (is("asked")) return MPI_Initialized(&flag);
  if (is("early")) die(SIGSEGV);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_group(copy, &group);
  MPI_Op_create(add, 1, &op);
  if (is("beside")) beside_a_wrong_call(rank, argv[2]);
  if (!is("comm")) MPI_Comm_free(&copy);
  if (!is("group")) MPI_Group_free(&group);
  if (!is("op")) MPI_Op_free(&op);
  MPI_Finalize();
  if (is("late") && rank == 1) die(SIGSEGV);
  atexit(free_late);
}
