// SPDX-License-Identifier: MIT
// Origin buffers that are changed too early, with every operation, window and synchronization.
// Prints for each whether MPI sent the data at the time of the call, or later data. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4, OLD = 1, MEANT = 5, LATER = 6 };
enum flavor { ALLOCATED, CREATED, SHARED, DYNAMIC, FLAVORS };
enum way { FENCE, START, LOCK, LOCK_ALL, FLUSH, FLUSH_ALL, WAYS };
static const char *const flavors[] = {"allocated", "created", "shared", "dynamic"};
static const char *const ways[] = {"fence", "start", "lock", "lock_all", "flush", "flush_all"};
static const char *const operations[] = {
    "Put",  "Accumulate",  "Get_accumulate",  "Fetch_and_op", "Compare_and_swap",
    "Rput", "Raccumulate", "Rget_accumulate", "Get",          "Rget"};
enum { OPERATIONS = sizeof operations / sizeof *operations, GET = 8, RGET };
static int rank, *memory;
static MPI_Win window;
static MPI_Aint there; // displacement in the other process

static void make(enum flavor flavor) {
  MPI_Aint bytes = N * sizeof(int), first = 0;
  int unit = sizeof(int);
  if (flavor == ALLOCATED)
    MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  else if (flavor == SHARED)
    MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  else
    memory = malloc((size_t)bytes);
  if (flavor == CREATED)
    MPI_Win_create(memory, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (flavor == DYNAMIC) {
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_attach(window, memory, bytes);
    MPI_Get_address(memory, &first);
  }
  MPI_Sendrecv(&first, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void drop(enum flavor flavor) {
  if (flavor == DYNAMIC) MPI_Win_detach(window, memory);
  MPI_Win_free(&window);
  if (flavor == CREATED || flavor == DYNAMIC) free(memory);
}

static void operate(int operation, int *out, int *result) {
  int to = 1 - rank, old = OLD;
  MPI_Request request = MPI_REQUEST_NULL;
  if (operation == 0) MPI_Put(out, 1, MPI_INT, to, there, 1, MPI_INT, window);
  if (operation == 1) MPI_Accumulate(out, 1, MPI_INT, to, there, 1, MPI_INT, MPI_REPLACE, window);
  if (operation == 2)
    MPI_Get_accumulate(out, 1, MPI_INT, result, 1, MPI_INT, to, there, 1, MPI_INT, MPI_REPLACE,
                       window);
  if (operation == 3) MPI_Fetch_and_op(out, result, MPI_INT, to, there, MPI_REPLACE, window);
  if (operation == 4) {
    static int compare;
    compare = old;
    MPI_Compare_and_swap(out, &compare, result, MPI_INT, to, there, window);
  }
  if (operation == 5) MPI_Rput(out, 1, MPI_INT, to, there, 1, MPI_INT, window, &request);
  if (operation == 6)
    MPI_Raccumulate(out, 1, MPI_INT, to, there, 1, MPI_INT, MPI_REPLACE, window, &request);
  if (operation == 7)
    MPI_Rget_accumulate(out, 1, MPI_INT, result, 1, MPI_INT, to, there, 1, MPI_INT, MPI_REPLACE,
                        window, &request);
  if (operation == GET) MPI_Get(result, 1, MPI_INT, to, there, 1, MPI_INT, window);
  if (operation == RGET) MPI_Rget(result, 1, MPI_INT, to, there, 1, MPI_INT, window, &request);
  *out = LATER;
  if (operation == GET || operation == RGET) *result = LATER; // later data stays in the buffer
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int attempt(int operation, enum way way) {
  int out = MEANT, result = 0, other = 1 - rank, found;
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &other, &group);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window);
  memory[0] = OLD;
  MPI_Win_unlock(rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  if (way == FENCE) MPI_Win_fence(0, window);
  if (way == START) MPI_Win_post(group, 0, window), MPI_Win_start(group, 0, window);
  if (way == LOCK || way == FLUSH) MPI_Win_lock(MPI_LOCK_SHARED, other, 0, window);
  if (way == LOCK_ALL || way == FLUSH_ALL) MPI_Win_lock_all(0, window);
  operate(operation, &out, &result);
  if (way == FENCE) MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
  if (way == START) MPI_Win_complete(window), MPI_Win_wait(window);
  if (way == FLUSH) MPI_Win_flush(other, window);
  if (way == FLUSH_ALL) MPI_Win_flush_all(window);
  if (way == LOCK || way == FLUSH) MPI_Win_unlock(other, window);
  if (way == LOCK_ALL || way == FLUSH_ALL) MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  found = memory[0];
  MPI_Win_unlock(rank, window);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return operation == GET || operation == RGET ? result == OLD : found == LATER;
}

// Prints for example "allocated fence", and which operations sent later data.
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int flavor = 0; flavor < FLAVORS; flavor++) {
    make((enum flavor)flavor);
    for (int way = 0; way < WAYS; way++) {
      if (rank == 0) printf("%s %s:", flavors[flavor], ways[way]);
      for (int operation = 0; operation < OPERATIONS; operation++) {
        int with_request = operations[operation][0] == 'R', late, all;
        if (with_request && (way == FENCE || way == START)) continue;
        late = attempt(operation, (enum way)way);
        MPI_Reduce(&late, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
        if (rank == 0 && all) printf(" %s", operations[operation]);
      }
      if (rank == 0) printf("\n");
    }
    drop((enum flavor)flavor);
  }
  MPI_Finalize();
  return 0;
}
