// SPDX-License-Identifier: MIT
// Two processes whose calls do not match, selected by the first argument; with "right" after it
// they match. Both stop while their operations are pending.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank, right;
// A buffer for data of any type.
static _Alignas(16) char first[256], second[512];
static int *const integers = (int *)first;
static double *const doubles = (double *)second;
static MPI_Comm world = MPI_COMM_WORLD;
static MPI_Request requests[4];

static void is_truncated(void) {
  if (rank == 0)
    MPI_Isend(integers, 10, MPI_INT, 1, 3, world, &requests[0]);
  else
    MPI_Irecv(integers, right ? 12 : 5, MPI_INT, 0, 3, world, &requests[0]);
}

// Header and body have the same tag, and the header may still be on its way when the body starts.
static void header_and_body(void) {
  if (rank == 0) {
    MPI_Send(integers, 1, MPI_INT, 1, 3, world);
    MPI_Isend(doubles, 8, MPI_DOUBLE, 1, 3, world, &requests[0]);
  } else {
    MPI_Irecv(integers, 1, MPI_INT, 0, 3, world, &requests[0]);
    if (!right) MPI_Irecv(doubles, 8, MPI_FLOAT, 0, 3, world, &requests[1]);
  }
}

// A receive from any source with any tag is certain if there is no other message.
static void any_message(void) {
  if (rank == 0) {
    if (right) MPI_Send(integers, 1, MPI_INT, 1, 2, world);
    MPI_Isend(doubles, 1, MPI_DOUBLE, 1, 3, world, &requests[0]);
  } else {
    MPI_Irecv(integers, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);
  }
}

static void on_a_duplicate(void) {
  MPI_Comm one, other;
  MPI_Comm_dup(world, &one);
  MPI_Comm_dup(world, &other);
  if (rank == 0)
    MPI_Isend(doubles, 2, MPI_DOUBLE, 1, 3, right ? one : other, &requests[0]);
  else
    MPI_Irecv(integers, 2, MPI_INT, 0, 3, other, &requests[0]);
}

static void persistent(void) {
  if (rank == 0) {
    MPI_Send_init(integers, 4, right ? MPI_INT : MPI_BYTE, 1, 3, world, &requests[0]);
    MPI_Start(&requests[0]);
  } else {
    MPI_Recv_init(integers, 4, MPI_INT, 0, 3, world, &requests[0]);
    MPI_Start(&requests[0]);
  }
}

static void roots(void) {
  MPI_Ibcast(integers, 4, MPI_INT, right ? 1 : rank, world, &requests[0]);
}

static void amounts(void) {
  MPI_Ibcast(integers, rank || right ? 4 : 5, MPI_INT, 0, world, &requests[0]);
}

static void without_root(void) {
  MPI_Ibcast(integers, 4 + rank, MPI_INT, 2, world, &requests[0]);
}

static void operations(void) {
  MPI_Op op = right || rank ? MPI_SUM : MPI_MAX;
  MPI_Iallreduce(integers, integers + 8, 4, MPI_INT, op, world, &requests[0]);
}

static void procedures(void) {
  if (rank == 0 || right)
    MPI_Ibarrier(world, &requests[0]);
  else
    MPI_Ibcast(integers, 4, MPI_INT, 0, world, &requests[0]);
  if (rank == 0 || right) // the following calls are out of step
    MPI_Ibcast(integers + 8, 4, MPI_INT, 0, world, &requests[1]);
  else
    MPI_Iallreduce(integers + 8, integers + 16, 4, MPI_INT, MPI_SUM, world, &requests[1]);
}

// Each process sends to the other and receives in the same buffer: the arrays differ.
static void all_to_all(void) {
  int counts[] = {1, right ? 2 : 1 + rank}, places[] = {0, 4};
  int taken[] = {1, right ? 2 : 2};
  if (right && rank) counts[0] = taken[0] = 2;
  MPI_Ialltoallv(integers, counts, places, MPI_INT, integers + 16, taken, places, MPI_INT, world,
                 &requests[0]);
}

// The root expects one element of each process, but the second process sends 2.
static void gathered(void) {
  MPI_Igatherv(integers, rank && !right ? 3 : 1 + rank, MPI_INT, integers + 16, (int[]){1, 2},
               (int[]){0, 4}, MPI_INT, 0, world, &requests[0]);
}

static void in_place(void) {
  const void *from = rank ? (void *)integers : MPI_IN_PLACE;
  MPI_Ireduce(from, integers + 16, 4, rank && !right ? MPI_UNSIGNED : MPI_INT, MPI_SUM, 0, world,
              &requests[0]);
}

static void repeated(void) {
  for (int i = 0; i < 3; i++) {
    if (rank == 0)
      MPI_Isend(doubles, 2, MPI_DOUBLE, 1, 3, world, &requests[i]);
    else
      MPI_Irecv(doubles + 2 * i, 2, right ? MPI_DOUBLE : MPI_FLOAT, 0, 3, world, &requests[i]);
  }
}

#if MPI_VERSION >= 4
static void partitioned(void) {
  if (rank == 0)
    MPI_Psend_init(integers, 4, 3, MPI_INT, 1, 3, world, MPI_INFO_NULL, &requests[0]);
  else
    MPI_Precv_init(integers, 2, right ? 6 : 5, MPI_INT, 0, 3, world, MPI_INFO_NULL, &requests[0]);
  MPI_Start(&requests[0]);
}
#else
static void partitioned(void) {}
#endif

// A request and a window outlive their communicator, whose handle then belongs to a smaller one.
static void outlived(void) {
  MPI_Comm pair, other_pair, alone[2];
  MPI_Win window;
  int *base;
  MPI_Comm_dup(world, &pair);
  MPI_Comm_dup(world, &other_pair);
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, other_pair, &base, &window);
  MPI_Isend(integers, 1, MPI_INT, 1 - rank, 3, pair, &requests[0]);
  MPI_Recv(integers + 8, 1, MPI_INT, 1 - rank, 3, pair, MPI_STATUS_IGNORE);
  MPI_Comm_free(&pair);
  MPI_Comm_free(&other_pair);
  for (int i = 0; i < 2; i++) MPI_Comm_dup(MPI_COMM_SELF, &alone[i]);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(world); // the lock may need both processes in MPI
  MPI_Rput(integers, 1, MPI_INT, 1, 0, 1, MPI_INT, window, &requests[1]);
}

static void tell(void) {
  printf("%d %d\n", rank, (int)getpid());
  fflush(stdout);
}

// The second process waits for the first one forever.
static void forms(void) {
  if (rank && !right) tell();
  if (rank && !right)
    MPI_Barrier(world);
  else
    MPI_Ibarrier(world, &requests[0]);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {
      {"truncated", is_truncated},   {"header", header_and_body},   {"any", any_message},
      {"duplicate", on_a_duplicate}, {"persistent", persistent},    {"roots", roots},
      {"amounts", amounts},          {"operations", operations},    {"procedures", procedures},
      {"all-to-all", all_to_all},    {"gathered", gathered},        {"repeated", repeated},
      {"in-place", in_place},        {"partitioned", partitioned},  {"forms", forms},
      {"outlived", outlived},        {"without-root", without_root}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  right = argc > 2;
  for (unsigned i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++) {
    if (strcmp(cases[i].name, argv[1]) == 0) cases[i].run();
  }
  tell();
  pause();
  return 0;
}
