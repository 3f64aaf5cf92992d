// SPDX-License-Identifier: MIT
// The program returns memory to the system during an operation, with a function, or with a system
// call that mpipp does not intercept. This operation is the first that mpipp compares.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BYTES = 4096, N = 64 };

static void *memory;

static char *from_the_system(void) {
  memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memset(memory, 7, BYTES);
}

static void (*give_back)(void);

static void by_munmap(void) {
  munmap(memory, BYTES);
}

static void by_mremap(void) {
  void *other = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mremap(memory, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, other);
}

static void by_itself(void) {
  syscall(SYS_munmap, memory, BYTES);
}

static void in_place(void) {
  if (munmap((char *)memory + 1, BYTES) == 0) fputs("munmap\n", stdout);
  if (mremap(memory, BYTES, BYTES, 0) != memory) fputs("mremap\n", stdout);
}

static void sends(void) {
  MPI_Request request;
  MPI_Isend(from_the_system(), N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
  give_back();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receives(void) {
  MPI_Request request;
  MPI_Irecv(from_the_system(), N, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
  give_back();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  char other[N] = {0};
  int rank, is_sent;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  switch (argv[2][1]) {
  case 'u':
    give_back = by_munmap;
    break;
  case 'r':
    give_back = by_mremap;
    break;
  case 'y':
    give_back = by_itself;
    break;
  default:
    give_back = in_place;
  }
  is_sent = strcmp(argv[1], "send") == 0;
  if (rank == 0)
    is_sent ? sends() : receives();
  else if (is_sent)
    MPI_Recv(other, N, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(other, N, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
