// SPDX-License-Identifier: MIT
// Objects of every kind but datatypes and requests, made in every way, on two processes.
#include "probe.h"

static MPI_Comm world = MPI_COMM_WORLD;
static int rank, other;

// Both processes must have ended their calls: in a stopped process MPI makes no progress.
static void stop(const char *what) {
  MPI_Barrier(world);
  look(what);
}

static void communicators(void) {
  MPI_Comm reversed, dup, between, cart, graph, dist_graph, group_comm, created, idup, merged,
      shared;
  MPI_Comm none, named, half;
  MPI_Request request;
  MPI_Group group;
  MPI_Comm_split(world, 7, -rank, &reversed); // ranks in reverse order
  MPI_Comm_split(world, rank ? MPI_UNDEFINED : 1, 0, &none);
  MPI_Comm_dup(reversed, &dup);
  MPI_Comm_split(world, rank, 0, &half);
  MPI_Intercomm_create(half, 0, world, other, 3, &between);
  MPI_Intercomm_merge(between, rank == 0, &merged);
  MPI_Cart_create(world, 2, (int[]){2, 1}, (int[]){1, 0}, 0, &cart);
  MPI_Graph_create(world, 2, (int[]){1, 3}, (int[]){1, 0, 1}, 0, &graph);
  int from[] = {other, rank}, weights[] = {1, 1};
  MPI_Dist_graph_create_adjacent(world, 1 + rank, from, weights, 2 - rank, from, weights,
                                 MPI_INFO_NULL, 0, &dist_graph);
  MPI_Comm_group(reversed, &group);
  MPI_Comm_create_group(world, group, 4, &group_comm);
  MPI_Comm_create(world, group, &created);
  MPI_Group_free(&group);
  MPI_Comm_idup(reversed, &idup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_dup(MPI_COMM_SELF, &named);
  MPI_Comm_set_name(named, "first name");
  MPI_Comm_set_name(named, "second name");
  SAY(reversed), SAY(none), SAY(dup), SAY(between), SAY(merged), SAY(cart), SAY(graph);
  SAY(dist_graph), SAY(group_comm), SAY(created), SAY(idup), SAY(shared), SAY(named);
  stop("communicators");
  MPI_Comm_free(&dup);
  MPI_Comm_disconnect(&named);
  stop("communicators freed");
}

static void groups(void) {
  MPI_Group all, again, incl, excl, both, common, rest, range;
  MPI_Comm_group(world, &all);
  MPI_Comm_group(world, &again);
  MPI_Group_incl(all, 2, (int[]){1, 0}, &incl);
  MPI_Group_excl(all, 1, (int[]){0}, &excl);
  MPI_Group_range_incl(all, 1, (int[][3]){{1, 0, -1}}, &range);
  MPI_Group_union(excl, all, &both);
  MPI_Group_intersection(incl, excl, &common);
  MPI_Group_difference(all, excl, &rest);
  SAY(all), SAY(again), SAY(incl), SAY(excl), SAY(both), SAY(common), SAY(rest), SAY(range);
  say("shared", all == again);
  SAY(MPI_GROUP_EMPTY);
  stop("groups");
  MPI_Group_free(&again);
  stop("one of two freed");
  MPI_Group_free(&all);
  stop("both freed");
}

static void windows(void) {
  static int memory[64];
  int *allocated, *shared_memory;
  MPI_Win made, alloc, dynamic, shared;
  MPI_Group peer, all;
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, world, &made);
  MPI_Win_allocate(128, 8, MPI_INFO_NULL, world, &allocated, &alloc);
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &dynamic);
  MPI_Win_allocate_shared(64, 2, MPI_INFO_NULL, world, &shared_memory, &shared);
  MPI_Win_set_name(made, "my win");
  SAY(made), SAY(alloc), SAY(dynamic), SAY(shared), ADDRESS(memory);
  ADDRESS(allocated), ADDRESS(shared_memory);
  stop("windows");
  MPI_Win_fence(MPI_MODE_NOPRECEDE, alloc);
  stop("fence");
  MPI_Win_fence(MPI_MODE_NOSUCCEED, alloc);
  stop("last fence");
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, &other, &peer);
  SAY(peer);
  MPI_Win_post(peer, 0, alloc);
  stop("post");
  MPI_Win_start(peer, 0, alloc);
  stop("start");
  MPI_Win_complete(alloc);
  stop("complete");
  MPI_Win_wait(alloc);
  stop("wait");
  MPI_Win_lock(rank ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, rank, 0, alloc);
  stop("lock");
  MPI_Win_unlock(rank, alloc);
  MPI_Win_lock_all(0, alloc);
  stop("lock_all");
  MPI_Win_unlock_all(alloc);
  stop("unlock_all");
  MPI_Win_free(&made), MPI_Win_free(&alloc), MPI_Win_free(&dynamic), MPI_Win_free(&shared);
  MPI_Group_free(&all), MPI_Group_free(&peer);
  stop("windows freed");
}

static void add(void *in, void *inout, int *length, MPI_Datatype *datatype) {}

static void on_error(MPI_Comm *comm, int *code, ...) {}

static void small_ones(void) {
  MPI_Op op, other_op;
  MPI_Info info, copy;
  MPI_Errhandler handler, same;
  MPI_Op_create(add, 0, &op);
  MPI_Op_create(add, 1, &other_op);
  MPI_Op_free(&other_op);
  MPI_Info_create(&info);
  MPI_Info_set(info, "first", "1");
  MPI_Info_set(info, "second", "two words");
  MPI_Info_set(info, "first", "changed");
  MPI_Info_dup(info, &copy);
  MPI_Info_delete(info, "second");
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(world, handler);
  MPI_Comm_get_errhandler(world, &same);
  say("handler", KEY(handler)), say("same", KEY(same)), SAY(op), SAY(info), SAY(copy);
  ADDRESS(add), ADDRESS(on_error), SAY(world);
  stop("small ones");
  MPI_Errhandler_free(&same);
  stop("one errhandler left");
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  MPI_Info_free(&info), MPI_Info_free(&copy), MPI_Op_free(&op);
  stop("small ones freed");
#ifdef MPIPP_HAVE_Session_init
  MPI_Session session;
  MPI_Group group;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  SAY(session), SAY(MPI_ERRORS_RETURN);
  MPI_Group_from_session_pset(session, "mpi://SELF", &group);
  SAY(group);
  stop("session");
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  stop("session over");
#endif
}

static void files(const char *path) {
  static int data[16];
  MPI_File file;
  MPI_Datatype vector;
  MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  MPI_File_open(world, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  NUMBER(MPI_MODE_CREATE | MPI_MODE_RDWR), SAY(file), SAY(vector), SAY(MPI_INT), SAY(MPI_BYTE),
      ADDRESS(data);
  stop("file");
  MPI_File_set_view(file, 32, MPI_INT, vector, "native", MPI_INFO_NULL);
  stop("view");
  MPI_File_write_all_begin(file, data, 4, MPI_INT);
  stop("begun");
  MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
  stop("ended");
  MPI_File_close(&file);
  MPI_Type_free(&vector);
  stop("closed");
}

static void messages(void) {
  int number = 5;
  MPI_Message message;
  MPI_Status status;
  MPI_Request request;
  MPI_Isend(&number, 1, MPI_INT, other, 9, world, &request);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &message, &status);
  SAY(message);
  stop("matched");
  MPI_Mrecv(&number, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  stop("received");
  MPI_Isend(&number, 1, MPI_INT, other, 9, world, &request);
  MPI_Mprobe(MPI_ANY_SOURCE, 9, world, &message, MPI_STATUS_IGNORE);
  SAY(message);
  stop("matched without a status");
  MPI_Request receive;
  MPI_Imrecv(&number, 1, MPI_INT, &message, &receive);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
  stop("received, too");
}

int main(int argc, char **argv) {
  MPI_Init(NULL, NULL);
  MPI_Comm_rank(world, &rank);
  other = 1 - rank;
  NUMBER(rank);
  SAY(world);
  communicators();
  groups();
  windows();
  small_ones();
  files(argv[1]);
  messages();
  stop("end");
  MPI_Finalize();
  return 0;
}
