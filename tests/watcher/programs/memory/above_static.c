// SPDX-License-Identifier: MIT
// A store comes too early to a block with a mapping of its own, as malloc makes them. The block
// begins where static memory ends, so that the system makes one mapping of both; with "further" a
// page later. One process.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, HEAD = 16, BYTES = 16 * PAGE, N = BYTES - HEAD, IS_MAPPED = 2 };

static char in[N], other[N];
extern char end[]; // the linker's: of all static memory

// Use other memory if the heap, whose start is random, is already there.
static char *block(int below) {
  uintptr_t at = ((uintptr_t)end + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  char *first = mmap((void *)at, BYTES + below, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (first == MAP_FAILED) return other;
  memset(first, 1, below);
  uint64_t *head = (uint64_t *)(first + below);
  head[1] = BYTES | IS_MAPPED;
  return (char *)head + HEAD;
}

int main(int argc, char **argv) {
  MPI_Request request;
  MPI_Init(&argc, &argv);
  int is_further = argc > 1 && !strcmp(argv[1], "further");
  // The guard finds malloc's header of the block only from the block's first page.
  int from = is_further ? 0 : 2 * PAGE;
  char *data = block(is_further ? PAGE : 0) + from;
  MPI_Issend(data, N - from, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  data[N / 2] = 1;
  MPI_Recv(in, N, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
