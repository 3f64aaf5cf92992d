// SPDX-License-Identifier: MIT
// Read-only memory replaces a buffer while it is sent: by "mmap", or "mremap". It must stay
// read-only. One process.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, BYTES = 16 * PAGE, PART = 4 * PAGE };

static _Alignas(4096) char data[BYTES], in[BYTES];

static void by_mmap(void) {
  mmap(data + PART, PART, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

static void by_mremap(void) {
  void *other = mmap(NULL, PART, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mremap(other, PART, PART, MREMAP_MAYMOVE | MREMAP_FIXED, data + PART);
}

static void say(const char *at) {
  char line[256], mode[8];
  unsigned long low, high;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%lx-%lx %7s", &low, &high, mode) != 3) continue;
    if (low <= (uintptr_t)at && (uintptr_t)at < high) puts(mode);
  }
  fclose(maps);
}

int main(int argc, char **argv) {
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Isend(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  if (strcmp(argv[1], "mmap") == 0)
    by_mmap();
  else
    by_mremap();
  MPI_Recv(in, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  say(data + PART);
  MPI_Finalize();
  return 0;
}
