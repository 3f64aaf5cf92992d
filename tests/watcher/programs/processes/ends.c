// SPDX-License-Identifier: MIT
// Rank 1 ends, or continues, as the argument says, and the other ranks wait for it.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int is(const char *how, const char *what) {
  return strcmp(how, what) == 0;
}

// The child makes objects that it never frees: they are not the parent's.
static void fork_a_child(void) {
  MPI_Datatype type;
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 100; i++) MPI_Type_contiguous(3, MPI_INT, &type);
    _exit(4);
  }
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
}

// More objects than the records' file can hold.
static void limit(void) {
  const struct rlimit most = {1 << 20, 1 << 20};
  MPI_Datatype types[20000];
  setrlimit(RLIMIT_FSIZE, &most);
  for (int i = 0; i < 20000; i++) MPI_Type_contiguous(i, MPI_INT, &types[i]);
  for (int i = 0; i < 20000; i++) MPI_Type_free(&types[i]);
}

// No process sends this message; the handles lie on the stack.
static void wait_for_all(int peer) {
  int values[2];
  MPI_Request requests[2];
  prctl(PR_SET_DUMPABLE, 0); // others may not read this process's memory
  for (int i = 0; i < 2; i++)
    MPI_Irecv(&values[i], 1, MPI_INT, peer, 5 + i, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void end(const char *how) {
  if (is(how, "segv")) signal(SIGSEGV, SIG_DFL), raise(SIGSEGV);
  if (is(how, "kill")) kill(getpid(), SIGKILL);
  if (is(how, "abort")) signal(SIGABRT, SIG_DFL), abort();
  if (is(how, "exit")) exit(3);
  if (is(how, "_exit")) _exit(3);
  // With MPICH 5, MPI_Abort may return before the launcher has ended the process.
  if (is(how, "MPI_Abort")) MPI_Abort(MPI_COMM_WORLD, 7), pause();
}

int main(int argc, char **argv) {
  const char *how = argv[1];
  int rank, value = 0;
  MPI_Datatype column;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%s\n", how);
  if (rank == 0 && is(how, "fork")) fork_a_child();
  if (rank == 0 && is(how, "limit")) limit();
  fflush(stdout);
  // Rank 0 cannot leave its call before rank 1 receives. If rank 1 has probed, rank 0 is inside.
  if (rank == 1) {
    MPI_Probe(0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    end(how);
    MPI_Recv(&value, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    MPI_Ssend(&value, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
  }
  if (is(how, "waitall")) wait_for_all(1 - rank);
  MPI_Type_vector(3, 2, 4, MPI_INT, &column);
  if (!is(how, "leak")) MPI_Type_free(&column);
  if (is(how, "hang")) MPI_Recv(&value, 1, MPI_INT, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return is(how, "three") ? 3 : 0;
}
