// SPDX-License-Identifier: MIT
// Shared by the programs of this directory: each process prints its rank, and the address of its
// registry.
#ifndef BEGIN_H
#define BEGIN_H
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#define IGNORED MPI_STATUS_IGNORE

enum { LARGE = 1 << 21 }; // number of ints: a message too large for any library's buffers

static int rank, size;
static int in, out[LARGE];
static int large[LARGE];

static void begin(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  printf("%d %d %p\n", rank, (int)getpid(), dlsym(RTLD_DEFAULT, "mpipp_registry"));
  fflush(stdout);
}

// These are macros, so that findings show the line in the program.
#define SEND(dest, tag) MPI_Send(out, 1, MPI_INT, dest, tag, WORLD)
#define SSEND(dest, tag) MPI_Ssend(out, 1, MPI_INT, dest, tag, WORLD)
#define RECEIVE(source, tag) MPI_Recv(&in, 1, MPI_INT, source, tag, WORLD, IGNORED)

static MPI_Comm named(MPI_Comm comm, const char *name) {
  MPI_Comm made;
  MPI_Comm_dup(comm, &made);
  MPI_Comm_set_name(made, name);
  return made;
}

// Splits MPI_COMM_WORLD into even and odd ranks, and connects the two groups.
static MPI_Comm between(void) {
  MPI_Comm half, both;
  MPI_Comm_split(WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 99, &both);
  return both;
}

static MPI_Win window(void) {
  MPI_Win win;
  int *memory;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &win);
  MPI_Win_set_name(win, "halo");
  return win;
}

#endif
