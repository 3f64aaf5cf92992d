// SPDX-License-Identifier: MIT
// Conditions that hinder the guard, and then a store that comes too early. One process.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 2 * PAGE, ROWS = 80, MANY = 300 };

static _Alignas(4096) char rows[ROWS][BYTES], in[BYTES], other[BYTES], held[MANY][2][PAGE];
static _Alignas(4096) char initial[BYTES] = {1};
static char large[16 << 20];

static void end(int count, MPI_Request *requests) {
  for (int i = 0; i < count; i++)
    MPI_Recv(in, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void posts(char *data, MPI_Request *request) {
  MPI_Issend(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, request);
}

static void stores_early(char *data) {
  MPI_Request request;
  MPI_Issend(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  data[5] = 1;
  end(1, &request);
}

// Stores to all rows, which one line has posted, and to a buffer that another line has posted.
static void touches(void) {
  MPI_Request requests[ROWS + 1];
  for (int i = 0; i < ROWS; i++) posts(rows[i], &requests[i]);
  MPI_Issend(other, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[ROWS]);
  for (int i = 0; i < ROWS; i++) rows[i][5] = 1;
  other[5] = 1;
  end(ROWS + 1, requests);
}

static void makes_windows(void) {
  MPI_Win windows[MANY];
  for (int i = 0; i < MANY; i++)
    MPI_Win_create(rows[0], 16, 1, MPI_INFO_NULL, MPI_COMM_SELF, &windows[i]);
  for (int i = 0; i < MANY; i++) MPI_Win_free(&windows[i]);
}

static void locks(int pages) {
  for (int i = 0; i < MANY; i++)
    for (int j = 0; j < pages; j++) mlock(held[i][j], PAGE);
}

static void closes(void) {
  char name[32], target[64];
  for (int file = 0; file < 1024; file++) {
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    memset(target, 0, sizeof target);
    if (readlink(name, target, sizeof target - 1) > 0 && strstr(target, "mpipp-guard")) close(file);
  }
}

static void forks(void) {
  MPI_Request requests[2];
  struct rlimit all, now;
  long pages = 0;
  MPI_Isend(large, sizeof large, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Irecv(malloc(sizeof large), sizeof large, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  FILE *status = fopen("/proc/self/statm", "r");
  if (fscanf(status, "%ld", &pages) != 1) pages = 0;
  fclose(status);
  getrlimit(RLIMIT_AS, &all);
  now = (struct rlimit){(rlim_t)pages * PAGE + (4 << 20), all.rlim_max};
  setrlimit(RLIMIT_AS, &now);
  pid_t child = fork();
  if (!child) _exit(large[0]);
  setrlimit(RLIMIT_AS, &all);
  waitpid(child, NULL, 0);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (!strcmp(argv[1], "touches")) touches();
  if (!strcmp(argv[1], "windows")) makes_windows();
  if (!strcmp(argv[1], "row")) locks(2);
  if (!strcmp(argv[1], "held")) locks(1);
  if (!strcmp(argv[1], "fork")) forks();
  if (!strcmp(argv[1], "file")) {
    MPI_Request request;
    posts(rows[0], &request);
    end(1, &request);
    closes();
  }
  if (strcmp(argv[1], "touches") != 0) stores_early(strcmp(argv[1], "initial") ? other : initial);
  fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
