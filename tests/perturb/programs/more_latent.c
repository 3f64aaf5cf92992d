// SPDX-License-Identifier: MIT
// Latent errors: buffers of pending operations are read, or changed; then the correct program. Two
// processes.
#include <mpi.h>
#include <stdio.h>

enum { N = 4, OLD = 3, PARTS = 4, ROUNDS = 20, EACH = 5 };
static int rank;

static void tell(const char *what, int is_as_before, int is_received) {
  int mine[2] = {is_as_before, is_received}, all[2];
  MPI_Reduce(mine, all, 2, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s: %s before, %s then\n", what, all[0] ? "fine" : "junk", all[1] ? "right" : "wrong");
}

static void fill(int *values, int count, int with) {
  for (int i = 0; i < count; i++) values[i] = with;
}

// The program's values, which are small. A fill pattern is large. Also called in a reduction.
static int is_one_of_ours(const volatile int *value) {
  int now = *value;
  return now >= 0 && now < 100;
}

static int has_only(const volatile int *values, int count, int value) {
  int found = 1;
  for (int i = 0; i < count; i++) found &= values[i] == value;
  return found;
}

// The receive writes every second element.
static void persistent_receive(void) {
  static int in[2 * N]; // the last message may come at any time
  int out[N], before = 1, then = 1;
  MPI_Request request;
  MPI_Datatype every_other;
  MPI_Type_vector(N, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_Recv_init(in, 1, every_other, 1 - rank, 1, MPI_COMM_WORLD, &request);
  for (int round = 0; round < ROUNDS; round++) {
    fill(in, 2 * N, OLD);
    fill(out, N, 10 + round);
    MPI_Start(&request);
    for (int i = 0; i < N; i++) {
      before &= is_one_of_ours(&in[2 * i]);
      then &= in[2 * i + 1] == OLD;
    }
    in[1] = 7; // not received
    MPI_Send(out, rank == 0 || round % 2 ? N : N - 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < N; i++)
      then &= in[2 * i] == (i == N - 1 && rank == 0 && round % 2 == 0 ? OLD : 10 + round);
    then &= in[1] == 7;
  }
  fill(in, 2 * N, OLD);
  if (rank == 0) MPI_Start(&request); // nobody sends
  if (rank == 0) MPI_Cancel(&request), MPI_Wait(&request, MPI_STATUS_IGNORE);
  then &= has_only(in, 2 * N, OLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Start(&request);
  MPI_Request_free(&request); // it is complete later
  fill(out, N, 99);
  MPI_Send(out, N, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Type_free(&every_other);
  tell("persistent", before, then);
}

static void with_counts(void) {
  int counts[2] = {1, 2}, gaps[2] = {0, 2}, own[2], at[2] = {0, 0}, in[5], out[2], before, then;
  MPI_Request request;
  own[0] = own[1] = counts[rank];
  fill(in, 5, OLD);
  fill(out, 2, 20 + rank);
  MPI_Ialltoallv(out, own, at, MPI_INT, in, counts, gaps, MPI_INT, MPI_COMM_WORLD, &request);
  before = is_one_of_ours(in) && is_one_of_ours(in + 2) && is_one_of_ours(in + 3);
  then = in[1] == OLD && in[4] == OLD;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  then &= in[0] == 20 && in[1] == OLD && in[2] == 21 && in[3] == 21 && in[4] == OLD;
  tell("counts", before, then);
}

static void with_types(void) {
  int counts[2] = {1, 1}, gaps[2] = {0, 2 * sizeof(int)}, in[6], out = 30 + rank, before, then;
  int at[2] = {0, 0};
  MPI_Datatype ints[2] = {MPI_INT, MPI_INT}, types[2] = {MPI_INT, MPI_INT};
  MPI_Request request;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &types[1]);
  MPI_Type_commit(&types[1]);
  fill(in, 6, OLD);
  MPI_Ialltoallw(&out, counts, at, ints, in, counts, gaps, types, MPI_COMM_WORLD, &request);
  before = is_one_of_ours(in) && is_one_of_ours(in + 2);
  then = in[1] == OLD && has_only(in + 3, 3, OLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  then &= in[0] == 30 && in[1] == OLD && in[2] == 31 && has_only(in + 3, 3, OLD);
  MPI_Type_free(&types[1]);
  tell("types", before, then);
}

static void in_place(void) {
  int counts[2] = {N, N}, all[2 * N], before = 1, then = 1;
  for (int blocks = 0; blocks < 2; blocks++) {
    MPI_Request request;
    fill(all, 2 * N, OLD);
    if (blocks)
      MPI_Ireduce_scatter_block(MPI_IN_PLACE, all, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    else
      MPI_Ireduce_scatter(MPI_IN_PLACE, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    before &= is_one_of_ours(&all[0]) && is_one_of_ours(&all[2 * N - 1]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    then &= has_only(all, N, 2 * OLD);
  }
  tell("in place", before, then);
}

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
static void persistent_reduction(void) {
  int in[N], out[N] = {0}, before = 1, then = 1;
  MPI_Request request;
  MPI_Allreduce_init(out, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < ROUNDS; round++) {
    fill(in, N, OLD);
    fill(out, N, round + rank);
    MPI_Start(&request);
    before &= is_one_of_ours(&in[N - 1]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    then &= has_only(in, N, 2 * round + 1);
  }
  MPI_Request_free(&request);
  tell("reduction", before, then);
}

static void replaced(void) {
  int values[N], before;
  MPI_Request request;
  fill(values, N, 50 + rank);
  MPI_Isendrecv_replace(values, N, MPI_INT, 1 - rank, 4, 1 - rank, 4, MPI_COMM_WORLD, &request);
  before = is_one_of_ours(values) && is_one_of_ours(&values[N - 1]);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  tell("replaced", before, has_only(values, N, 51 - rank));
}
#endif

// Not with Open MPI 5.0, also without mpipp: its MPI_Wait for a partitioned send sometimes never
// returns, on a busy machine (open-mpi/ompi pull request 12935).
#if MPI_VERSION >= 4 && !defined OMPI_MAJOR_VERSION
#define HAVE_PARTITIONS

// The program changes a partition that is marked as ready; "junk" means changed values.
static void partitions(int is_right) {
  int values[PARTS * EACH] = {0}, as_sent = 1, then = 1;
  MPI_Request request;
  if (rank == 0)
    MPI_Psend_init(values, PARTS, EACH, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(values, PARTS, EACH, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < ROUNDS; round++) {
    int listed[] = {3, 1};
    if (rank == 0) fill(values, PARTS * EACH, 40 + round);
    MPI_Start(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      MPI_Pready(2, request);
      MPI_Pready_range(0, 0, request);
      MPI_Pready_list(2, listed, request);
      if (!is_right) fill(values, PARTS * EACH, 41 + round);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      for (int i = 0; i < PARTS; i++) {
        int flag = 0;
        while (!flag) MPI_Parrived(request, i, &flag);
        for (int k = 0; k < EACH; k++) {
          as_sent &= values[EACH * i + k] == 40 + round;
          then &= values[EACH * i + k] >= 40 + round && values[EACH * i + k] <= 41 + round;
        }
        for (int k = 0; k <= i; k++) {
          MPI_Parrived(request, k, &flag);
          then &= flag; // it is, as before
        }
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  MPI_Request_free(&request);
  tell(is_right ? "partitions" : "changed partitions", as_sent, then);
}
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  persistent_receive();
  with_counts();
  with_types();
  in_place();
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
  persistent_reduction();
  replaced();
#endif
#ifdef HAVE_PARTITIONS
  partitions(0);
  partitions(1);
#endif
  MPI_Finalize();
  return 0;
}
