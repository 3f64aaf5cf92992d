// SPDX-License-Identifier: MIT
// The content of guarded pages after the program's advice to the system (madvise). "wiped": in a
// child. "dropped": between blocks that are being sent. "dropped_by_number": by syscall. One
// process.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BLOCK = 4 * PAGE };

static _Alignas(4096) char data[4][BLOCK], in[4 * BLOCK];

static void end(MPI_Request *request, int bytes) {
  MPI_Recv(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void sends(void) {
  MPI_Request request;
  MPI_Isend(data, sizeof data, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  end(&request, sizeof data);
}

static void is_wiped(void) {
  int status;
  madvise(data, sizeof data, MADV_WIPEONFORK);
  sends();
  pid_t child = fork();
  if (!child) _exit(data[1][0]);
  waitpid(child, &status, 0);
  printf("%d\n", WEXITSTATUS(status));
}

static void is_dropped(int by_number) {
  MPI_Datatype type;
  MPI_Request request;
  MPI_Type_vector(2, BLOCK, 2 * BLOCK, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  sends();
  MPI_Issend(data, 1, type, 0, 0, MPI_COMM_SELF, &request);
  if (by_number)
    syscall(SYS_madvise, data[1], BLOCK, MADV_DONTNEED);
  else
    madvise(data[1], BLOCK, MADV_DONTNEED);
  int after = data[1][0];
  end(&request, 2 * BLOCK);
  printf("%d, sent %d\n", after, in[0] + in[2 * BLOCK - 1]);
  MPI_Type_free(&type);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  memset(data, 7, sizeof data);
  if (strcmp(argv[1], "wiped") == 0)
    is_wiped();
  else
    is_dropped(strcmp(argv[1], "dropped") != 0);
  MPI_Finalize();
  return 0;
}
