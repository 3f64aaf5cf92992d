// SPDX-License-Identifier: MIT
// Two processes spawn two others, and make calls on the intercommunicator. "types", "lost" and
// "bcast" make an error on it. "twice" creates two, and makes an error on one. "merged" and "dup"
// make it on a communicator of all processes, the parents last; "split" on its halves. "chain": one
// process spawns another, which spawns a third. The first receives a message when the others have
// ended.
#include <mpi.h>
#include <string.h>
#include <unistd.h>

static int rank, values[4];
static const char *how;

static int makes_others(void) {
  return !strcmp(how, "merged") || !strcmp(how, "dup") || !strcmp(how, "split");
}

static void on_others(MPI_Comm between, int is_parent) {
  MPI_Comm all, another;
  MPI_Intercomm_merge(between, is_parent, &all);
  if (strcmp(how, "split") == 0)
    MPI_Comm_split(all, rank, is_parent, &another);
  else
    MPI_Comm_dup(all, &another);
  MPI_Comm on = strcmp(how, "merged") ? another : all;
  MPI_Bcast(values, 2, is_parent && on == all ? MPI_FLOAT : MPI_INT, 0, on);
  if (is_parent && rank == 1 && strcmp(how, "dup") == 0) MPI_Send(values, 4, MPI_FLOAT, 0, 5, on);
  if (!is_parent && rank == 0 && strcmp(how, "dup") == 0)
    MPI_Recv(values, 4, MPI_INT, 3, 5, on, MPI_STATUS_IGNORE);
  MPI_Comm_free(&another);
  MPI_Comm_free(&all);
}

static void child(MPI_Comm parents) {
  MPI_Recv(values, 4, strcmp(how, "types") ? MPI_INT : MPI_FLOAT, rank, 1, parents,
           MPI_STATUS_IGNORE);
  if (rank == 1) {
    MPI_Send(values, 3, MPI_INT, 0, 2, parents);
    MPI_Send(values, 0, MPI_INT, 0, 3, parents); // sent second, so both have arrived when it has
  }
  MPI_Bcast(values, 2, strcmp(how, "bcast") ? MPI_INT : MPI_FLOAT, 1, parents);
}

static void parent(MPI_Comm children) {
  MPI_Send(values, 4, strcmp(how, "twice") ? MPI_INT : MPI_FLOAT, rank, 1, children);
  if (rank == 0 && strcmp(how, "lost"))
    MPI_Recv(values, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, children, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Recv(values, 0, MPI_INT, 1, 3, children, MPI_STATUS_IGNORE);
  MPI_Bcast(values, 2, MPI_INT, rank == 1 ? MPI_ROOT : MPI_PROC_NULL, children);
}

static void start(char **argv) {
  char *arguments[] = {argv[1], NULL};
  MPI_Comm children;
  MPI_Comm_spawn(argv[0], arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                 MPI_ERRCODES_IGNORE);
  if (makes_others())
    on_others(children, 1);
  else
    parent(children);
  MPI_Comm_free(&children);
}

// A letter for each process that exists from this point on.
static void chain(char **argv, MPI_Comm parents) {
  const char *left = argv[2];
  char *arguments[] = {argv[1], argv[2] + 1, NULL};
  MPI_Comm next;
  if (!left[1]) return;
  MPI_Comm_spawn(argv[0], arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &next,
                 MPI_ERRCODES_IGNORE);
  if (left[2]) {
    MPI_Send(values, 1, MPI_INT, 0, 1, next);
  } else {
    sleep(3);
    MPI_Recv(values, 1, MPI_INT, 0, 1, parents, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&next);
}

int main(int argc, char **argv) {
  MPI_Comm parents;
  MPI_Init(&argc, &argv);
  how = argv[1];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parents);
  if (strcmp(how, "chain") == 0) {
    chain(argv, parents);
  } else if (parents != MPI_COMM_NULL) {
    if (makes_others())
      on_others(parents, 0);
    else
      child(parents);
    MPI_Comm_free(&parents);
  } else
    for (int i = 0; i < (strcmp(how, "twice") ? 1 : 2); i++) start(argv);
  MPI_Finalize();
  return 0;
}
