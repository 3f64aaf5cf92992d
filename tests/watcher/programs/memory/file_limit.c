// SPDX-License-Identifier: MIT
// The program may open few files. When one buffer has been guarded, it limits the size of files,
// and sends another buffer. One process.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

enum { N = 1 << 16 };

static _Alignas(4096) double first[N], second[N], in[N];

static void send(double *out, MPI_Request *request) {
  MPI_Recv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  out[N / 2] = 1;
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  const struct rlimit few = {500, 500}, limit = {N, N};
  MPI_Request request;
  setrlimit(RLIMIT_NOFILE, &few);
  MPI_Init(&argc, &argv);
  MPI_Isend(first, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  send(first, &request);
  setrlimit(RLIMIT_FSIZE, &limit);
  MPI_Isend(second, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  send(second, &request);
  fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
