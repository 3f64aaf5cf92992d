// SPDX-License-Identifier: MIT
// For a system that reserves memory for all writable pages (vm.overcommit_memory = 2), and so
// cannot map more than it has. A store comes too early. One process.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { N = 8, PAGE = 4096 };
#define END ((uintptr_t)0x7ffffffff000)

// MPI calls this function before the shadow memory exists.
#ifdef __clang__
#define PLAIN __attribute__((no_sanitize("thread")))
#else
#define PLAIN __attribute__((no_sanitize("kernel-address")))
#endif

PLAIN void *mmap(void *at, size_t bytes, int may, int flags, int file, off_t offset) {
  if (may & PROT_WRITE && flags & MAP_PRIVATE && bytes >> 40) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, at, bytes, may, flags, file, offset);
}

// MAP_FAILED means that the stack is mapped already.
static void *last_page(void) {
  int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  return mmap((void *)(END - PAGE), PAGE, PROT_READ | PROT_WRITE, how, -1, 0);
}

__attribute__((noinline)) static void stores(double *data, int count) {
  for (int i = 1; i < count; i++) data[i] = i;
}

int main(int argc, char **argv) {
  double room[N] = {0}, in[N];
  void *last = last_page();
  double *data = last == MAP_FAILED ? room : last;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Issend(data, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  stores(data, N);
  MPI_Recv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
