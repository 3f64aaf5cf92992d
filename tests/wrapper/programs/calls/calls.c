// SPDX-License-Identifier: MIT
// Two processes stop inside calls of every class: a hook of the wrapper stops them there.
#include "intercept/hooks.h"
#include "probe.h"

static int in[64], out[64], rank, other;
static MPI_Comm world = MPI_COMM_WORLD, ring, between;
static MPI_Datatype vector;
static const char *watching;

static int enter(struct mpipp_passage *passage) {
  if (watching) look(watching);
  return MPIPP_GO_ON;
}
static struct mpipp_hook hook = {.enter = enter};

// Stops inside the call, before MPI gets the call.
#define INSIDE(name, call) (watching = name, call, watching = NULL)
// This argument is not significant in the call: no code may follow the pointer.
#define GARBAGE ((void *)16)

static void point_to_point(void) {
  MPI_Message message;
  MPI_Request requests[2];
  if (rank == 0) {
    INSIDE("send", MPI_Send(out, 3, MPI_INT, 1, 5, world));
    INSIDE("ssend", MPI_Ssend(out + 1, 1, vector, 1, 5, world));
    INSIDE("probe", MPI_Probe(1, MPI_ANY_TAG, world, MPI_STATUS_IGNORE));
    INSIDE("mprobe", MPI_Mprobe(1, 6, world, &message, MPI_STATUS_IGNORE));
    SAY(message);
    INSIDE("mrecv", MPI_Mrecv(in, 4, MPI_INT, &message, MPI_STATUS_IGNORE));
  } else {
    INSIDE("recv", MPI_Recv(in, 4, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE));
    INSIDE("recv 2", MPI_Recv(in + 2, 1, vector, 0, 5, world, MPI_STATUS_IGNORE));
    INSIDE("send 2", MPI_Send(out, 0, MPI_INT, 0, 6, world));
    MPI_Barrier(MPI_COMM_SELF);
    INSIDE("barrier", MPI_Barrier(MPI_COMM_SELF));
    INSIDE("null", MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, 5, world, MPI_STATUS_IGNORE));
  }
  INSIDE("sendrecv", MPI_Sendrecv(out, 2, MPI_INT, other, 7, in, 3, MPI_INT, other, 7, world,
                                  MPI_STATUS_IGNORE));
  INSIDE("sendrecv_replace",
         MPI_Sendrecv_replace(in, 2, MPI_INT, other, 8, other, 8, world, MPI_STATUS_IGNORE));
  MPI_Irecv(in, 1, MPI_INT, other, 9, world, &requests[0]);
  MPI_Isend(out, 1, MPI_INT, other, 9, world, &requests[1]);
  ADDRESS(requests);
  INSIDE("waitall", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  INSIDE("wait", MPI_Wait(requests, MPI_STATUS_IGNORE));
}

static void rooted(void) {
  int counts[] = {2, 3}, places[] = {1, 4};
  void *nothing = rank ? GARBAGE : NULL;
  INSIDE("bcast", MPI_Bcast(in, 4, MPI_INT, 1, world));
  if (rank == 0) {
    INSIDE("gather", MPI_Gather(out, 2, MPI_INT, in, 2, MPI_INT, 0, world));
    INSIDE("gatherv", MPI_Gatherv(out, 2, MPI_INT, in, counts, places, MPI_INT, 0, world));
    INSIDE("gather in place", MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, 0, world));
    INSIDE("scatter", MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, 0, world));
    INSIDE("scatterv", MPI_Scatterv(out, counts, places, MPI_INT, in, 2, MPI_INT, 0, world));
    INSIDE("reduce", MPI_Reduce(out, in, 5, MPI_INT, MPI_MAX, 0, world));
  } else {
    INSIDE("gather", MPI_Gather(out, 2, MPI_INT, nothing, -7, MPI_INT, 0, world));
    INSIDE("gatherv", MPI_Gatherv(out, 3, MPI_INT, nothing, nothing, nothing, MPI_INT, 0, world));
    INSIDE("gather in place", MPI_Gather(out, 2, MPI_INT, nothing, -7, MPI_INT, 0, world));
    INSIDE("scatter", MPI_Scatter(nothing, -7, MPI_INT, in, 2, MPI_INT, 0, world));
    INSIDE("scatterv", MPI_Scatterv(nothing, nothing, nothing, MPI_INT, in, 3, MPI_INT, 0, world));
    INSIDE("reduce", MPI_Reduce(out, nothing, 5, MPI_INT, MPI_MAX, 0, world));
  }
}

static void all_to_all(void) {
  int counts[] = {2, 3}, places[] = {1, 4}, ones[] = {1, 1}, bytes[] = {8, 80}, own = counts[rank];
  MPI_Datatype types[] = {MPI_INT, vector};
  INSIDE("allgather", MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, world));
  INSIDE("allgatherv", MPI_Allgatherv(out, own, MPI_INT, in, counts, places, MPI_INT, world));
  INSIDE("alltoall", MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, world));
  INSIDE("alltoallv", MPI_Alltoallv(out, ones, places, MPI_INT, in, ones, places, MPI_INT, world));
  int same[] = {rank, rank};
  MPI_Datatype mine[] = {types[rank], types[rank]};
  INSIDE("alltoallw",
         MPI_Alltoallw(out, same, bytes, mine, in, (int[]){0, 1}, bytes, types, world));
  INSIDE("alltoallv in place",
         MPI_Alltoallv(MPI_IN_PLACE, GARBAGE, GARBAGE, MPI_INT, in, ones, places, MPI_INT, world));
  INSIDE("allreduce", MPI_Allreduce(out, in, 5, MPI_INT, MPI_SUM, world));
  INSIDE("allreduce in place", MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, world));
  INSIDE("reduce_scatter", MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, world));
  INSIDE("reduce_scatter_block", MPI_Reduce_scatter_block(out, in, 3, MPI_INT, MPI_SUM, world));
  INSIDE("scan", MPI_Scan(out, in, 2, MPI_INT, MPI_SUM, world));
  INSIDE("exscan", MPI_Exscan(out, in, 2, MPI_INT, MPI_SUM, world));
  INSIDE("reduce_local", MPI_Reduce_local(out, in, 2, MPI_INT, MPI_SUM));
}

static void neighbors(void) {
  int dims[] = {2}, periods[] = {1}, counts[] = {1, 1}, places[] = {2, 5};
  MPI_Aint bytes[] = {4, 40};
  MPI_Datatype types[] = {MPI_INT, MPI_INT};
  MPI_Cart_create(world, 1, dims, periods, 0, &ring);
  SAY(ring);
  INSIDE("neighbor_allgather", MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring));
  INSIDE("neighbor_alltoallv",
         MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, ring));
  INSIDE("neighbor_alltoallw",
         MPI_Neighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, ring));
}

static void between_groups(void) {
  int root = rank == 0 ? MPI_ROOT : 0;
  MPI_Intercomm_create(MPI_COMM_SELF, 0, world, other, 11, &between);
  SAY(between);
  INSIDE("inter bcast", MPI_Bcast(rank ? in : out, 4, MPI_INT, root, between));
  INSIDE("inter gather", MPI_Gather(rank ? (void *)out : GARBAGE, 3, MPI_INT,
                                    rank ? GARBAGE : (void *)in, 3, MPI_INT, root, between));
  INSIDE("inter allgather", MPI_Allgather(out, 3, MPI_INT, in, 3, MPI_INT, between));
}

static void one_sided(void) {
  int *memory;
  MPI_Win win;
  MPI_Win_allocate(256, sizeof(int), MPI_INFO_NULL, world, &memory, &win);
  SAY(win);
  INSIDE("fence", MPI_Win_fence(0, win));
  INSIDE("put", MPI_Put(out, 6, MPI_INT, other, 8, 1, vector, win));
  MPI_Win_fence(0, win);
  INSIDE("get", MPI_Get(in, 3, MPI_INT, other, 9, 3, MPI_INT, win));
  MPI_Win_fence(0, win);
  INSIDE("accumulate", MPI_Accumulate(out, 2, MPI_INT, other, 1, 2, MPI_INT, MPI_SUM, win));
  MPI_Win_fence(0, win);
  INSIDE("get_accumulate",
         MPI_Get_accumulate(out, 2, MPI_INT, in, 2, MPI_INT, other, 1, 2, MPI_INT, MPI_SUM, win));
  MPI_Win_fence(0, win);
  INSIDE("fetch_and_op", MPI_Fetch_and_op(out, in, MPI_INT, other, 4, MPI_SUM, win));
  MPI_Win_fence(0, win);
  INSIDE("compare_and_swap", MPI_Compare_and_swap(out, out + 1, in, MPI_INT, other, 4, win));
  INSIDE("fence that ends", MPI_Win_fence(0, win));
  INSIDE("fence that ends none", MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
  MPI_Win_free(&win);
}

static void files(const char *path) {
  MPI_File file;
  MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  SAY(file);
  INSIDE("write_at_all",
         MPI_File_write_at_all(file, 16 * rank, out, 4, MPI_INT, MPI_STATUS_IGNORE));
  INSIDE("read", MPI_File_read(file, in, 4, MPI_INT, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
}

static void packing(void) {
  char packed[256];
  int position = 0;
  ADDRESS(packed);
  INSIDE("pack", MPI_Pack(out, 2, vector, packed, sizeof packed, &position, world));
  position = 0;
  INSIDE("unpack", MPI_Unpack(packed, sizeof packed, &position, in, 2, vector, world));
}

static void absolute(void) {
  MPI_Datatype type;
  MPI_Aint address;
  int one = 1;
  MPI_Get_address(in, &address);
  MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &type);
  MPI_Type_commit(&type);
  INSIDE("bottom", MPI_Bcast(MPI_BOTTOM, 1, type, 0, world));
  MPI_Type_free(&type);
}

static void large(void) {
#ifdef MPIPP_HAVE_Allgatherv_c
  MPI_Count counts[] = {2, 3}, same[] = {rank, rank};
  MPI_Aint places[] = {1, 4}, bytes[] = {8, 80};
  MPI_Datatype types[] = {MPI_INT, vector}, mine[] = {types[rank], types[rank]};
  INSIDE("bcast_c", MPI_Bcast_c(in, 4, MPI_INT, 1, world));
  INSIDE("allgatherv_c",
         MPI_Allgatherv_c(out, counts[rank], MPI_INT, in, counts, places, MPI_INT, world));
  INSIDE("alltoallw_c",
         MPI_Alltoallw_c(out, same, bytes, mine, in, (MPI_Count[]){0, 1}, bytes, types, world));
#endif
}

int main(int argc, char **argv) {
  void (*hook_in)(struct mpipp_hook *) = dlsym(RTLD_DEFAULT, "mpipp_hook_in");
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(world, &rank);
  other = 1 - rank;
  MPI_Type_vector(3, 2, 4, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  MPI_Type_set_name(vector, "vector");
  SAY(world), ADDRESS(in), ADDRESS(out), NUMBER(rank);
  SAY(MPI_SUM), SAY(MPI_MAX), SAY(MPI_COMM_SELF);
  look("start");
  hook_in(&hook);
  point_to_point();
  rooted();
  all_to_all();
  neighbors();
  between_groups();
  one_sided();
  files(argv[1]);
  packing();
  absolute();
  large();
  look("end");
  MPI_Finalize();
  return 0;
}
