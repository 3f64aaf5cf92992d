// SPDX-License-Identifier: MIT
// Programs that use sessions and hang for the reason that the argument names: sessions NAME.
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static MPI_Session session;
static MPI_Group all;

static MPI_Group of(int count, const int *ranks) {
  MPI_Group made;
  MPI_Group_incl(all, count, ranks, &made);
  return made;
}

#define PLAIN MPI_INFO_NULL, MPI_ERRORS_RETURN

static void stringtag(void) {
  MPI_Comm comm;
  MPI_Comm_create_from_group(all, "first", PLAIN, &comm);
  MPI_Comm_create_from_group(all, rank == 1 ? "inner" : "outer", PLAIN, &comm);
}

// Three groups of two processes: each group passes another group than the others.
static void group(void) {
  MPI_Comm comm;
  MPI_Comm_create_from_group(of(2, (int[]){rank, (rank + 1) % 3}), "pair", PLAIN, &comm);
}

// One process waits for a message instead of making the collective call.
static void participant(void) {
  MPI_Comm comm, other;
  int in;
  MPI_Comm_create_from_group(all, "first", PLAIN, &comm);
  if (rank == 1) MPI_Recv(&in, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
  MPI_Comm_create_from_group(all, "second", PLAIN, &other);
}

// A group from which all processes make a communicator twice, except one.
static void again(void) {
  MPI_Comm comm;
  for (int i = 0; i < (rank == 2 ? 1 : 2); i++)
    MPI_Comm_create_from_group(all, "again", PLAIN, &comm);
  if (rank == 2) MPI_Barrier(comm);
}

static MPI_Group half(int of_first) {
  return of_first ? of(2, (int[]){0, 1}) : of(2, (int[]){2, 3});
}

static void between_stringtag(void) {
  MPI_Comm comm;
  MPI_Intercomm_create_from_groups(half(rank < 2), 0, half(rank >= 2), 0,
                                   rank < 2 ? "left" : "right", PLAIN, &comm);
}

// A process of the group that is not a leader does not take part.
static void between_participant(void) {
  MPI_Comm comm, other;
  int in;
  MPI_Comm_create_from_group(all, "first", PLAIN, &comm);
  if (rank == 3) MPI_Recv(&in, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
  MPI_Intercomm_create_from_groups(half(rank < 2), 0, half(rank >= 2), 0, "both", PLAIN, &other);
}

// A process has ended its session, and does something else.
static void left(void) {
  MPI_Comm comm;
  int in;
  MPI_Comm_create_from_group(all, "first", PLAIN, &comm);
  if (rank == 0) MPI_Recv(&in, 1, MPI_INT, 1, 5, comm, MPI_STATUS_IGNORE);
  MPI_Group_free(&all);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  pause();
}

static const struct {
  const char *name;
  void (*hang)(void);
} CASES[] = {{"left", left},
             {"stringtag", stringtag},
             {"group", group},
             {"participant", participant},
             {"again", again},
             {"between-stringtag", between_stringtag},
             {"between-participant", between_participant}};

int main(int argc, char **argv) {
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_rank(all, &rank);
  MPI_Group_size(all, &size);
  printf("%d %d %p\n", rank, (int)getpid(), dlsym(RTLD_DEFAULT, "mpipp_registry"));
  fflush(stdout);
  for (size_t i = 0; argc > 1 && i < sizeof CASES / sizeof *CASES; i++)
    if (strcmp(CASES[i].name, argv[1]) == 0) CASES[i].hang();
}
