// SPDX-License-Identifier: MIT
// On a system that has memory ready for all that may be stored to (vm.overcommit_memory = 2): no
// more of it can be mapped than there is. A store comes too early. One process.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N = 8 };

// It is called before there is a shadow to look at.
#ifdef __clang__
#define PLAIN __attribute__((no_sanitize("thread")))
#else
#define PLAIN __attribute__((no_sanitize("kernel-address")))
#endif

PLAIN void *mmap(void *at, size_t bytes, int may, int flags, int file, off_t offset) {
  if (may & PROT_WRITE && bytes >> 40) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, at, bytes, may, flags, file, offset);
}

__attribute__((noinline)) static void stores(double *data, int count) {
  for (int i = 1; i < count; i++) data[i] = i;
}

int main(int argc, char **argv) {
  double data[N] = {0}, in[N];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Issend(data, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  stores(data, N);
  MPI_Recv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  puts("done");
  MPI_Finalize();
  return 0;
}
