// SPDX-License-Identifier: MIT
// The program jumps into its receive buffer, which is not executable: the SIGSEGV is the program's
// own error. One process.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { N = 1 << 16 };

static _Alignas(4096) char out[N], in[N];

static void handle(int number) {
  (void)number;
  _exit(write(STDOUT_FILENO, "not allowed\n", 12) != 12);
}

int main(int argc, char **argv) {
  MPI_Request request;
  MPI_Init(&argc, &argv);
  signal(SIGSEGV, handle);
  MPI_Irecv(in, N, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  MPI_Send(out, N, MPI_CHAR, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  ((void (*)(void))(void *)in)();
  return 1;
}
