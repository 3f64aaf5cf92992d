// SPDX-License-Identifier: MIT
// Ways to start, load and end: processes WAY. Stops for the debugger in mark().
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) void mark(void) {
  __asm__ volatile("" ::: "memory");
}

static MPI_Datatype vector;
static double matrix[3][4];

static void vfork_and_exec(void) {
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/echo", "echo", "from echo", (char *)NULL);
    _exit(9);
  }
  int status;
  waitpid(child, &status, 0);
  printf("ended with %d\n", status);
  status = system("echo from a shell | cat");
  printf("ended with %d\n", status);
}

static void complain(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  abort();
}

static void abort_in_handler(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(complain, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Send(matrix, 1, vector, 77, 5, MPI_COMM_SELF);
}

int main(int argc, char **argv) {
  const char *way = argc > 1 ? argv[1] : "";
  int number;
  MPI_Init(&argc, &argv);
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &vector);
  MPI_Type_commit(&vector);
  if (!strcmp(way, "exec")) vfork_and_exec();
  if (!strcmp(way, "abort")) abort_in_handler();
  MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &(MPI_Request){0});
  mark();
  MPI_Send(&(int){7}, 1, MPI_INT, 0, 7, MPI_COMM_SELF);
  MPI_Finalize();
  mark();
  return 0;
}
