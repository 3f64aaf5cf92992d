// SPDX-License-Identifier: MIT
// Prints the size in MiB of the guard's file while a buffer is sent, and after it is freed. "many":
// the largest number of small buffers, twice, at other addresses. One process.
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIB = 1 << 20, BYTES = 32 * MIB, SMALL = 16384, BLOCKS = 3000 };

static char in[BYTES];

static long held(void) {
  char name[32], target[64];
  for (int file = 0; file < 1024; file++) {
    struct stat now;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    memset(target, 0, sizeof target);
    if (readlink(name, target, sizeof target - 1) < 0 || !strstr(target, "mpipp-guard")) continue;
    if (!fstat(file, &now)) return (now.st_blocks * 512 + MIB / 2) / MIB;
  }
  return 0;
}

static void sends(char *data, int bytes) {
  MPI_Request request;
  memset(data, 5, (size_t)bytes);
  MPI_Isend(data, bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  MPI_Recv(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void large(void) {
  for (int i = 0; i < 3; i++) {
    char *data = malloc(BYTES);
    sends(data, BYTES);
    long before = held();
    if (i == 2) data = realloc(data, 100);
    free(data);
    printf("%ld, then %ld\n", before, held());
  }
}

static void many(void) {
  static char *all[BLOCKS];
  mallopt(M_MMAP_THRESHOLD, SMALL);
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < BLOCKS; i++) {
      all[i] = malloc(SMALL);
      sends(all[i], SMALL);
    }
    for (int i = 0; i < BLOCKS; i++) free(all[i]);
    mmap(NULL, (size_t)BLOCKS * 2 * SMALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  fputs("done\n", stdout);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (strcmp(argv[1], "many") == 0)
    many();
  else
    large();
  MPI_Finalize();
  return 0;
}
