// SPDX-License-Identifier: MIT
// Waits for input; then rank 1 damages the run in the way that its argument selects.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Overwrites all memory that the watcher sees, except the first page: the list of regions.
static void scribble(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long from, to, first = 1;
  while (maps && fgets(line, sizeof line, maps)) {
    if (!strstr(line, "memfd:mpipp") || sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
    memset((char *)from + (first ? 4096 : 0), 0xa5, to - from - (first ? 4096 : 0));
    first = 0;
  }
  kill(getpid(), SIGKILL);
}

static void spawn(char *program) {
  MPI_Comm children;
  char *arguments[] = {"child", NULL};
  MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                 MPI_ERRCODES_IGNORE);
  MPI_Comm_disconnect(&children);
}

// A datatype with this many blocks causes a query, because its elements may overlap.
static void ask(int count) {
  static char memory[1];
  for (int i = 1; i <= count; i++) {
    MPI_Datatype type;
    MPI_Type_vector(5000, 1, i + 1, MPI_CHAR, &type);
    MPI_Type_commit(&type);
    MPI_Recv(memory, 1, type, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
  }
}

// Makes more records than the watcher has mapped so far.
static void record(void) {
  MPI_Datatype type;
  for (int i = 0; i < 20000; i++) MPI_Type_contiguous(i, MPI_INT, &type);
}

// The records' file is full, and a call with long arguments needs a query.
static void die(void) {
  static int dims[3000], periods[3000];
  const struct rlimit most = {1 << 20, 1 << 20};
  MPI_Comm grid;
  setrlimit(RLIMIT_FSIZE, &most);
  record();
  for (int i = 0; i < 3000; i++) dims[i] = 1;
  MPI_Cart_create(MPI_COMM_SELF, 3000, dims, periods, 0, &grid);
  kill(getpid(), SIGKILL);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "well";
  int rank;
  MPI_Comm parent;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (strcmp(how, "child") == 0) {
    MPI_Comm_get_parent(&parent);
    MPI_Comm_disconnect(&parent);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      fputs("ready\n", stdout);
      fflush(stdout);
      getchar();
    }
    if (strcmp(how, "spawn") == 0) spawn(argv[0]);
    if (strcmp(how, "asks") == 0) ask(200); // more queries than can wait for an answer
    if (strcmp(how, "records") == 0) record();
    if (strcmp(how, "aborts") == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "aborts") == 0 && rank == 1) {
      ask(5);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 1) {
      MPI_Recv(&rank, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (strcmp(how, "scribble") == 0) scribble();
      if (strcmp(how, "dies") == 0) die();
      if (strcmp(how, "exec") == 0) execl("/bin/sh", "sh", "-c", "sleep 2; exit 3", (char *)NULL);
    } else {
      MPI_Send(&rank, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (strcmp(how, "late") == 0) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Finalize();
  if (strcmp(how, "late") == 0) MPI_Comm_free(&parent);
  return strcmp(how, "three") == 0 || strcmp(how, "records") == 0 ? 3 : 0;
}
