// Collective calls that disagree, on three processes, and the code that each returns if the error
// handler returns. No call has an effect: buffers stay unchanged, and no process gets ahead.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *path;
static int rank, values[12], counts[3] = {1, 1, 1}, starts[3] = {0, 3, 6};
static MPI_Datatype types[3];
static const MPI_Comm world = MPI_COMM_WORLD;

static const char *named(int code) {
  int class;
  MPI_Error_class(code, &class);
  if (class == MPI_ERR_ROOT) return "root";
  if (class == MPI_ERR_OP) return "op";
  if (class == MPI_ERR_TYPE) return "type";
  if (class == MPI_ERR_COUNT) return "count";
  if (class == MPI_ERR_ARG) return "arg";
  return code == MPI_SUCCESS ? "success" : "other";
}

// The first process prints the codes of all ranks in one line, and the values are reset.
static void tell(const char *what, int code) {
  char own[16] = "", all[3][16];
  strncpy(own, named(code), sizeof own - 1);
  for (int i = 0; i < 12; i++) {
    if (values[i] != 10 * rank + i) strcpy(own, "changed");
    values[i] = 10 * rank + i;
  }
  MPI_Gather(own, sizeof own, MPI_CHAR, all, sizeof own, MPI_CHAR, 0, world);
  if (rank == 0) printf("%s: %s, %s, %s\n", what, all[0], all[1], all[2]);
  fflush(stdout);
  for (int i = 0; i < 3; i++) counts[i] = 1, types[i] = MPI_INT;
}

static void calls(void) {
  tell("roots", MPI_Bcast(values, 1, MPI_INT, rank == 1, world));
  tell("calls", rank == 2 ? MPI_Barrier(world) : MPI_Bcast(values, 1, MPI_INT, 0, world));
  tell("ops", MPI_Allreduce(values, values + 3, 1, MPI_INT, rank ? MPI_MAX : MPI_SUM, world));
  tell("types", MPI_Bcast(values, 3, rank == 1 ? MPI_FLOAT : MPI_INT, 0, world));
  tell("lengths", MPI_Bcast(values, rank == 1 ? 2 : 3, MPI_INT, 0, world));
}

static void reductions(void) {
  tell("reduce", MPI_Reduce(values, values + 3, 1 + rank % 2, MPI_INT, MPI_SUM, 0, world));
  counts[1] = rank == 2 ? 2 : 1;
  tell("reduce_scatter", MPI_Reduce_scatter(values, values + 6, counts, MPI_INT, MPI_SUM, world));
  int block = 1 + (rank == 1);
  tell("block", MPI_Reduce_scatter_block(values, values + 9, block, MPI_INT, MPI_SUM, world));
  const void *place = MPI_IN_PLACE;
  tell("block in place", MPI_Reduce_scatter_block(place, values, block, MPI_INT, MPI_SUM, world));
  MPI_Datatype type = rank == 2 ? MPI_FLOAT : MPI_INT;
  tell("reduce_scatter in place", MPI_Reduce_scatter(place, values, counts, type, MPI_SUM, world));
  tell("scan", MPI_Scan(values, values + 3, 1, rank ? MPI_INT : MPI_UNSIGNED, MPI_SUM, world));
}

static void rooted(void) {
  tell("gather", MPI_Gather(values, 1 + (rank == 2), MPI_INT, values + 6, 1, MPI_INT, 0, world));
  if (rank == 0) counts[2] = 2;
  tell("gatherv", MPI_Gatherv(values, 1, MPI_INT, values + 2, counts, starts, MPI_INT, 0, world));
  if (rank == 0) counts[1] = 2;
  tell("scatterv", MPI_Scatterv(values, counts, starts, MPI_INT, values + 9, 1, MPI_INT, 0, world));
}

static void all_to_all(void) {
  if (rank == 1) counts[2] = 2;
  tell("allgatherv",
       MPI_Allgatherv(values + 9, 1, MPI_INT, values, counts, starts, MPI_INT, world));
  MPI_Datatype other = rank == 1 ? MPI_FLOAT : MPI_INT;
  tell("alltoall", MPI_Alltoall(values, 1, other, values + 6, 1, other, world));
  if (rank == 1) counts[2] = 2;
  int received[3] = {1, 1, 1};
  tell("alltoallv", MPI_Alltoallv(values, counts, starts, MPI_INT, values + 2, received, starts,
                                  MPI_INT, world));
  int bytes[3] = {0, 4, 8};
  MPI_Datatype expected[3] = {MPI_INT, MPI_INT, MPI_INT};
  if (rank == 2) types[0] = MPI_FLOAT;
  tell("alltoallw",
       MPI_Alltoallw(values, received, bytes, types, values + 6, received, bytes, expected, world));
}

static void arguments(void) {
  int dims = rank == 2 ? 2 : 3, periods = 0;
  MPI_Comm grid;
  MPI_File file;
  const void *sent = rank == 1 ? MPI_IN_PLACE : values;
  tell("in place", MPI_Allreduce(sent, values + 3, 1, MPI_INT, MPI_SUM, world));
  tell("dims", MPI_Cart_create(world, 1, &dims, &periods, 0, &grid));
  if (MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)) return;
  tell("size", MPI_File_set_size(file, rank ? 8 : 16));
  MPI_File_close(&file);
}

static void communicators(void) {
  MPI_Comm dup, inter, part;
  MPI_Comm_dup(world, &dup);
  MPI_Comm_set_errhandler(dup, MPI_ERRORS_RETURN);
  MPI_Comm freed = dup;
  tell("free", rank == 1 ? MPI_Comm_free(&freed) : MPI_Barrier(dup));
  MPI_Comm_split(world, rank == 0, rank, &part);
  MPI_Intercomm_create(part, 0, world, rank == 0, 5, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  tell("inter",
       rank == 2 ? MPI_Barrier(inter) : MPI_Bcast(values, 1, MPI_INT, rank ? 0 : MPI_ROOT, inter));
  int wrong_rank = rank == 1 ? MPI_ROOT : MPI_PROC_NULL, nobody = rank ? MPI_PROC_NULL : 0;
  tell("root's rank", MPI_Bcast(values, 1, MPI_INT, rank ? wrong_rank : 1, inter));
  tell("no root", MPI_Bcast(values, 1, MPI_INT, nobody, inter));
  MPI_Request request;
  MPI_Comm later;
  MPI_Comm_idup(world, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_set_errhandler(later, MPI_ERRORS_RETURN);
  tell("idup", rank == 1 ? MPI_Barrier(later) : MPI_Bcast(values, 1, MPI_INT, 0, later));
  MPI_Comm_free(&later);
  MPI_Comm_free(&inter), MPI_Comm_free(&part), MPI_Comm_free(&dup);
}

static void windows(void) {
  MPI_Win win, freed;
  MPI_Win_create(values, sizeof values, 1, MPI_INFO_NULL, world, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  freed = win;
  tell("assert", MPI_Win_fence(rank == 2 ? MPI_MODE_NOPRECEDE : 0, win));
  tell("windows", rank == 1 ? MPI_Win_free(&freed) : MPI_Win_fence(0, win));
  MPI_Win_free(&win);
}

// The processes form a ring, in which each has two neighbors.
static void edges(MPI_Comm ring) {
  int bytes[3] = {0, 4, 8};
  MPI_Datatype received[2] = {MPI_INT, MPI_INT};
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  tell("neighbor_allgather",
       MPI_Neighbor_allgather(values, 1 + (rank == 1), MPI_INT, values + 6, 1, MPI_INT, ring));
  if (rank == 1) counts[1] = 2;
  int expected[3] = {1, 1, 1};
  tell("neighbor_alltoallv", MPI_Neighbor_alltoallv(values, counts, starts, MPI_INT, values + 6,
                                                    expected, starts, MPI_INT, ring));
  MPI_Aint places[3] = {bytes[0], bytes[1], bytes[2]};
  if (rank == 2) types[0] = MPI_FLOAT;
  tell("neighbor_alltoallw", MPI_Neighbor_alltoallw(values, expected, places, types, values + 6,
                                                    expected, places, received, ring));
}

// Correct calls, with several edges between two processes, or none: they cause no query.
static void agreeing_edges(MPI_Comm comm, int edges) {
  int sent[4] = {1, 1, 1, 1}, at[4] = {0, 1, 2, 3}, all[16];
  MPI_Aint places[4] = {0, 4, 8, 12};
  MPI_Datatype pair, given[4], taken[4];
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Neighbor_allgather(values, 2, MPI_INT, all, 1, pair, comm);
  MPI_Neighbor_allgatherv(values, 1, MPI_INT, all, sent, at, MPI_INT, comm);
  MPI_Neighbor_alltoall(values, 1, pair, all, 2, MPI_INT, comm);
  MPI_Neighbor_alltoallv(values, sent, at, MPI_INT, all, sent, at, MPI_INT, comm);
  for (int i = 0; i < 4; i++) given[i] = taken[i] = MPI_INT;
  MPI_Neighbor_alltoallw(values, sent, places, given, all, sent, places, taken, comm);
  for (int i = 0; i < edges; i++) sent[i] = 0, taken[i] = MPI_FLOAT; // nothing, of any types
  MPI_Neighbor_alltoallw(values, sent, places, given, all, sent, places, taken, comm);
  MPI_Type_free(&pair);
}

// Two edges from each process to the next; their order does not matter.
static void double_edges(MPI_Comm comm) {
  int sent[2] = {1, 2}, received[2] = {1, 2}, code;
  MPI_Datatype type = rank ? MPI_INT : MPI_FLOAT;
  code = MPI_Neighbor_alltoall(values, 1, type, values + 6, 1, MPI_INT, comm);
  tell("double alltoall", code);
  if (rank == 1) received[0] = 3;
  code = MPI_Neighbor_alltoallv(values, sent, starts, MPI_INT, values + 6, received, starts,
                                MPI_INT, comm);
  tell("double alltoallv", code);
  received[0] = rank == 1 ? 2 : 1;
  received[1] = 1;
  code = MPI_Neighbor_allgatherv(values, 1, MPI_INT, values + 6, received, starts, MPI_INT, comm);
  tell("double allgatherv", code);
}

// Ranks 0 and 1 have two correct edges in each direction, and one edge with an error whose sum has
// the same value.
static void packed_edges(int edges) {
  int degree = rank < 2 ? edges : 0;
  int other[2] = {!rank, !rank}, sent[2] = {edges == 2 ? 4 : 1, 1}, received[2] = {1, 4}, into[2];
  MPI_Aint places[2] = {0, 4};
  MPI_Datatype given[2] = {edges == 2 ? MPI_PACKED : MPI_INT, MPI_INT};
  MPI_Datatype taken[2] = {MPI_FLOAT, MPI_PACKED};
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(world, degree, other, MPI_UNWEIGHTED, degree, other,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  int code =
      MPI_Neighbor_alltoallw(values, sent, places, given, into, received, places, taken, comm);
  if (edges == 1) tell("sum of packed", code);
  MPI_Comm_free(&comm);
}

// Rank 1 does not know of the edge from rank 0; no other process has an edge.
static void one_end(void) {
  int other = 1, all[1];
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(world, 0, &other, MPI_UNWEIGHTED, rank == 0, &other,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  tell("one end", MPI_Neighbor_alltoall(values, 1, MPI_INT, all, 1, MPI_INT, comm));
  MPI_Comm_free(&comm);
}

static void neighbors(void) {
  int size = 3, periodic = 1, dims[2] = {2, 1}, periods[2][2] = {{0, 0}, {1, 1}};
  MPI_Comm comm;
  MPI_Cart_create(world, 1, &size, &periodic, 0, &comm);
  edges(comm);
  agreeing_edges(comm, 2);
  MPI_Comm_free(&comm);
  for (int i = 0; i < 2; i++) {
    MPI_Cart_create(world, 2, dims, periods[i], 0, &comm);
    if (comm == MPI_COMM_NULL) continue;
    agreeing_edges(comm, 4);
    MPI_Comm_free(&comm);
  }
  int next[2] = {(rank + 1) % 3, (rank + 1) % 3}, last[2] = {(rank + 2) % 3, (rank + 2) % 3};
  for (int i = 1; i <= 2; i++) {
    MPI_Dist_graph_create_adjacent(world, i, last, MPI_UNWEIGHTED, i, next, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    agreeing_edges(comm, i);
    MPI_Datatype type = rank ? MPI_INT : MPI_FLOAT;
    if (i == 1) tell("graph", MPI_Neighbor_alltoall(values, 1, type, values + 6, 1, MPI_INT, comm));
    if (i == 2) double_edges(comm);
    MPI_Comm_free(&comm);
  }
}

// Two groups: rank 0, and the others. Each group sends the same data to the other one.
static void between_groups(MPI_Comm inter, int wrong) {
  int root = rank ? 0 : MPI_ROOT, others = rank ? 1 : 2, all[12], blocks[2] = {2, 2};
  int sent[2] = {1, 1}, bytes[2] = {0, 4};
  MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
  if (!rank) blocks[0] = 4;
  int differs = wrong && rank == 2;
  int code = MPI_Bcast(values, differs ? 2 : 1, MPI_INT, root, inter);
  if (wrong) tell("inter bcast", code);
  code = MPI_Allgather(values, 1, differs ? MPI_FLOAT : MPI_INT, all, 1, MPI_INT, inter);
  if (wrong) tell("inter allgather", code);
  if (differs) sent[0] = 2;
  int expected[2] = {1, 1};
  code = MPI_Alltoallv(values, sent, starts, MPI_INT, all, expected, starts, MPI_INT, inter);
  if (wrong) tell("inter alltoallv", code);
  if (wrong && !rank) blocks[0] = 5;
  code = MPI_Reduce_scatter(values, all, blocks, MPI_INT, MPI_SUM, inter);
  if (wrong) tell("inter reduce_scatter", code);
  if (differs) blocks[0] = 3, blocks[1] = 1;
  if (!rank) blocks[0] = 4;
  code = MPI_Reduce_scatter(values, all, blocks, MPI_INT, MPI_SUM, inter);
  if (wrong) tell("inter recvcounts", code);
  code = MPI_Gatherv(values, 1 + differs, MPI_INT, all, expected, starts, MPI_INT, root, inter);
  if (wrong) tell("inter gatherv", code);
  if (wrong) return;
  MPI_Gather(values, 1, MPI_INT, all, 1, MPI_INT, root, inter);
  MPI_Scatter(values, 1, MPI_INT, all, 1, MPI_INT, root, inter);
  MPI_Scatterv(values, sent, starts, MPI_INT, all, 1, MPI_INT, root, inter);
  MPI_Allgatherv(values, 1, MPI_INT, all, sent, starts, MPI_INT, inter);
  MPI_Alltoall(values, 1, MPI_INT, all, 1, MPI_INT, inter);
  MPI_Alltoallw(values, sent, bytes, ints, all, sent, bytes, ints, inter);
  MPI_Reduce(values, all, 1, MPI_INT, MPI_SUM, root, inter);
  MPI_Allreduce(values, all, 1, MPI_INT, MPI_SUM, inter);
  MPI_Reduce_scatter_block(values, all, others, MPI_INT, MPI_SUM, inter);
}

static void groups(void) {
  MPI_Comm part, inter;
  MPI_Comm_split(world, rank == 0, rank, &part);
  MPI_Intercomm_create(part, 0, world, rank == 0, 5, &inter);
  MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
  between_groups(inter, 1);
  between_groups(inter, 0);
  MPI_Comm_free(&inter), MPI_Comm_free(&part);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  path = argv[1];
  if (argc == 2) MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  for (int i = 0; i < 12; i++) values[i] = 10 * rank + i;
  for (int i = 0; i < 3; i++) types[i] = MPI_INT;
  calls();
  reductions();
  rooted();
  all_to_all();
  arguments();
  communicators();
  windows();
  neighbors();
  packed_edges(2);
  packed_edges(1);
  one_end();
  groups();
  MPI_Finalize();
  return 0;
}
