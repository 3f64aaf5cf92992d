// SPDX-License-Identifier: MIT
// Rank 0 and rank 2 put to the same bytes of rank 1, one after the other. In each function, another
// call orders the puts. With an argument, this call is missing, or has the opposite direction.
// Three processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define EARLY (rank == 0)
#define LATE (rank == 2)
// The two puts, each in its own epoch, with the call that orders them in between.
#define ORDERED(NAME)                                                                              \
  static void NAME##_order(void);                                                                  \
  static void NAME(void) {                                                                         \
    if (EARLY) put_1();                                                                            \
    NAME##_order();                                                                                \
    if (LATE) put_1();                                                                             \
    MPI_Barrier(all);                                                                              \
  }                                                                                                \
  static void NAME##_order(void)
#define put_1()                                                                                    \
  do {                                                                                             \
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);                                                      \
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);                                              \
    MPI_Win_unlock(1, win);                                                                        \
  } while (0)

static MPI_Request broadcasts = MPI_REQUEST_NULL; // persistent
static MPI_Comm all, ring, in_line, forwards, side, both;
static MPI_Win win, other, never_locked;
static int rank, wrong, one = 1, memory[4], memory_of_other[4], data[4], more[4];

static int from(void) {
  return wrong ? 2 : 0;
} // who is first
static int to(void) {
  return wrong ? 0 : 2;
}

ORDERED(message) {
  if (rank == from()) MPI_Send(&one, 1, MPI_INT, to(), 1, all);
  if (rank == to()) MPI_Recv(data, 1, MPI_INT, from(), 1, all, MPI_STATUS_IGNORE);
}
ORDERED(any_message) {
  MPI_Status status;
  if (rank == from()) MPI_Ssend(&one, 1, MPI_INT, to(), 2, all);
  if (rank == to()) MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, all, &status);
}
ORDERED(nonblocking_message) {
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = 0;
  if (rank == from()) MPI_Isend(&one, 1, MPI_INT, to(), 3, all, &request);
  if (rank == to()) MPI_Irecv(data, 1, MPI_INT, MPI_ANY_SOURCE, 3, all, &request);
  while (!flag) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}
ORDERED(several_messages) { // posted in one order, completed in the other
  MPI_Request requests[2];
  if (rank == from()) {
    MPI_Send(&one, 1, MPI_INT, to(), 4, all);
    MPI_Send(&one, 1, MPI_INT, to(), 5, all);
  } else if (rank == to()) {
    MPI_Irecv(data, 1, MPI_INT, from(), MPI_ANY_TAG, all, &requests[0]);
    MPI_Irecv(more, 1, MPI_INT, from(), MPI_ANY_TAG, all, &requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }
}
ORDERED(persistent_message) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == from()) MPI_Send_init(&one, 1, MPI_INT, to(), 6, all, &request);
  if (rank == to()) MPI_Recv_init(data, 1, MPI_INT, from(), 6, all, &request);
  for (int i = 0; request != MPI_REQUEST_NULL && i < 3; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}
ORDERED(both_ways) {
  int peer = to() + from() - rank;
  if (rank == 1 || wrong) return;
  MPI_Sendrecv(&one, 1, MPI_INT, peer, 7, data, 1, MPI_INT, peer, 7, all, MPI_STATUS_IGNORE);
}
ORDERED(probed_message) {
  MPI_Message message;
  if (rank == from()) MPI_Send(&one, 1, MPI_INT, to(), 8, all);
  if (rank != to()) return;
  MPI_Mprobe(MPI_ANY_SOURCE, 8, all, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}
ORDERED(probed_later) {
  MPI_Message message;
  MPI_Request request;
  int flag = 0;
  if (rank == from()) MPI_Send(&one, 1, MPI_INT, to(), 9, all);
  if (rank != to()) return;
  while (!flag) MPI_Improbe(from(), MPI_ANY_TAG, all, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(data, 1, MPI_INT, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
ORDERED(seen_message) { // before it is received
  if (rank == from()) MPI_Send(&one, 1, MPI_INT, to(), 11, all);
  if (rank != to()) return;
  MPI_Probe(MPI_ANY_SOURCE, 11, all, MPI_STATUS_IGNORE);
  if (LATE) put_1();
  MPI_Recv(data, 1, MPI_INT, from(), 11, all, MPI_STATUS_IGNORE);
}
ORDERED(seen_in_a_loop) {
  MPI_Request request;
  int flag = 0;
  if (rank == from()) MPI_Send(&one, 1, MPI_INT, to(), 12, all);
  if (rank == from()) MPI_Send(&one, 1, MPI_INT, to(), 12, all);
  if (rank != to()) return;
  MPI_Irecv(more, 1, MPI_INT, from(), 12, all, &request); // takes the first of two messages
  while (!flag) MPI_Iprobe(from(), MPI_ANY_TAG, all, &flag, MPI_STATUS_IGNORE);
  if (LATE) put_1();
  MPI_Recv(data, 1, MPI_INT, from(), 12, all, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
ORDERED(taken_message) { // before it is received
  MPI_Message message;
  if (rank == from()) MPI_Send(&one, 1, MPI_INT, to(), 13, all);
  if (rank != to()) return;
  MPI_Mprobe(from(), 13, all, &message, MPI_STATUS_IGNORE);
  if (LATE) put_1();
  MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}
ORDERED(nobodys_message) {
  MPI_Message message;
  MPI_Probe(MPI_PROC_NULL, 14, all, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 14, all, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  if (!wrong) MPI_Barrier(all);
}
ORDERED(waited_for_later) { // the synchronous send is complete before the receive is
  MPI_Request request;
  if (rank == 2) MPI_Irecv(data, 1, MPI_INT, 0, 15, all, &request);
  if (rank == 0) MPI_Ssend(&one, 1, MPI_INT, 2, 15, all);
  if (!wrong) MPI_Barrier(all);
  if (LATE) put_1();
  if (rank == 2) MPI_Wait(&request, MPI_STATUS_IGNORE);
}
ORDERED(never_waited_for) {
  MPI_Request request;
  if (rank == 2) MPI_Irecv(data, 1, MPI_INT, 0, 16, all, &request);
  if (rank == 2) MPI_Request_free(&request);
  if (rank == 0) MPI_Ssend(&one, 1, MPI_INT, 2, 16, all);
  if (!wrong) MPI_Barrier(all);
}
ORDERED(by_way_of_another) {
  if (rank == from()) MPI_Send(NULL, 0, MPI_INT, 1, 10, all);
  if (rank == 1) MPI_Recv(NULL, 0, MPI_INT, from(), 10, all, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(NULL, 0, MPI_INT, to(), 10, all);
  if (rank == to()) MPI_Recv(NULL, 0, MPI_INT, 1, 10, all, MPI_STATUS_IGNORE);
}
ORDERED(other_communicator) {
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 1, -rank, &pair);
  if (rank != 1) MPI_Bcast(data, 1, MPI_INT, 2 / 2, pair); // from rank 0: this orders the puts
  MPI_Comm_free(&pair);
}
ORDERED(broadcast) {
  MPI_Bcast(data, 1, MPI_INT, from(), all);
}
ORDERED(persistent_broadcast) { // started a second time
  if (broadcasts == MPI_REQUEST_NULL) return (void)MPI_Bcast(data, 1, MPI_INT, from(), all);
  MPI_Start(&broadcasts);
  MPI_Wait(&broadcasts, MPI_STATUS_IGNORE);
}
ORDERED(reduction) {
  MPI_Reduce(&one, data, 1, MPI_INT, MPI_SUM, to(), all);
}
ORDERED(gathering) {
  int counts[] = {1, 1, 1}, places[] = {0, 1, 2};
  MPI_Gatherv(&one, 1, MPI_INT, data, counts, places, MPI_INT, to(), all);
}
ORDERED(gathering_of_some) {
  MPI_Request request;
  int counts[] = {1, 0, 1}, places[] = {0, 1, 2};
  MPI_Igatherv(&one, counts[rank], MPI_INT, data, counts, places, MPI_INT, to(), all, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
ORDERED(gathering_to_all) {
  int counts[] = {!wrong, 1, 1}, places[] = {0, 1, 2};
  MPI_Allgatherv(&one, counts[rank], MPI_INT, data, counts, places, MPI_INT, all);
}
ORDERED(one_pair) {
  int given[3] = {0}, taken[3] = {0}, places[] = {0, 1, 2};
  if (rank == from()) given[to()] = 1;
  if (rank == to()) taken[from()] = 1;
  MPI_Alltoallv(data, given, places, MPI_INT, more, taken, places, MPI_INT, all);
}
ORDERED(reduction_to_all) {
  MPI_Allreduce(&one, data, !wrong, MPI_INT, MPI_SUM, all);
}
ORDERED(prefix) {
  if (!wrong) MPI_Scan(&one, data, 1, MPI_INT, MPI_SUM, all);
}
ORDERED(nonblocking_barrier) {
  MPI_Request request;
  MPI_Ibarrier(all, &request);
  if (wrong && rank == 2) put_1(); // before it is complete
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
ORDERED(neighbors) {
  if (!wrong) MPI_Neighbor_allgather(&one, 1, MPI_INT, data, 1, MPI_INT, ring);
}
ORDERED(line) { // two steps
  for (int i = 0; i < 2 - wrong; i++)
    MPI_Neighbor_allgather(&one, 1, MPI_INT, data, 1, MPI_INT, in_line);
}
ORDERED(arrow) {
  MPI_Request request;
  MPI_Ineighbor_allgather(&one, 1, MPI_INT, data, 1, MPI_INT, forwards, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
ORDERED(message_across) {
  int peer = rank == 0; // rank 2 is the second of its group
  if (rank == from()) MPI_Send(&one, 1, MPI_INT, peer, 17, both);
  if (rank == to()) MPI_Recv(data, 1, MPI_INT, peer, 17, both, MPI_STATUS_IGNORE);
}
ORDERED(broadcast_across) {
  int root = wrong ? 1 : 0;
  if (rank == from()) root = MPI_ROOT;
  if (wrong && rank == 1) root = MPI_PROC_NULL;
  MPI_Bcast(data, 1, MPI_INT, root, both);
}
ORDERED(reduction_across) {
  int root = wrong ? 0 : 1;
  if (rank == to()) root = MPI_ROOT;
  if (!wrong && rank == 1) root = MPI_PROC_NULL;
  MPI_Reduce(&one, data, 1, MPI_INT, MPI_SUM, root, both);
}
ORDERED(barrier_across) {
  if (!wrong) MPI_Barrier(both);
}
ORDERED(fences) {
  int nothing = wrong ? MPI_MODE_NOPRECEDE : 0;
  MPI_Win_fence(nothing, other);
  MPI_Win_fence(MPI_MODE_NOSUCCEED | nothing, other);
}
ORDERED(exposure) {
  MPI_Group world, group;
  int peer = rank == 0 ? 2 : 0, flag = 0;
  MPI_Comm_group(all, &world);
  MPI_Group_incl(world, 1, &peer, &group);
  if (rank == from()) MPI_Win_start(group, 0, other);
  if (rank == from()) MPI_Win_complete(other);
  if (rank == to()) MPI_Win_post(group, 0, other);
  while (rank == to() && !flag) MPI_Win_test(other, &flag);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}
ORDERED(window) {
  MPI_Win third;
  if (wrong) return;
  MPI_Win_create(data, 4, 1, MPI_INFO_NULL, all, &third);
  MPI_Win_free(&third);
}

ORDERED(freed_window) {
  MPI_Win_free(&never_locked);
}

static void make_windows(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", wrong ? "true" : "false");
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, all, &win);
  MPI_Win_create(memory_of_other, sizeof memory_of_other, 4, MPI_INFO_NULL, all, &other);
  MPI_Win_create(more, sizeof more, 4, info, all, &never_locked);
  MPI_Info_free(&info);
}

static void make_communicators(void) {
  int three = 3, periodic = 1, alone = 0, peer = 2 - rank;
  MPI_Cart_create(all, 1, &three, &periodic, 0, &ring);
  MPI_Cart_create(all, 1, &three, &alone, 0, &in_line);
  MPI_Dist_graph_create_adjacent(all, rank == to(), &peer, MPI_UNWEIGHTED, rank == from(), &peer,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &forwards);
  MPI_Comm_split(all, rank == 0, rank, &side);
  MPI_Intercomm_create(side, 0, all, rank == 0, 18, &both);
}

static void begin_broadcasts(void) {
#if MPI_VERSION >= 4
  MPI_Bcast_init(data, 1, MPI_INT, from(), all, MPI_INFO_NULL, &broadcasts);
  MPI_Start(&broadcasts);
  MPI_Wait(&broadcasts, MPI_STATUS_IGNORE);
#endif
}

int main(int argc, char **argv) {
  (void)argv;
  wrong = argc > 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_rank(all, &rank);
  make_communicators();
  begin_broadcasts();
  make_windows();
  message();
  any_message();
  nonblocking_message();
  several_messages();
  persistent_message();
  both_ways();
  probed_message();
  probed_later();
  seen_message();
  seen_in_a_loop();
  taken_message();
  nobodys_message();
  waited_for_later();
  never_waited_for();
  by_way_of_another();
  if (!wrong) other_communicator();
  broadcast();
  persistent_broadcast();
  reduction();
  gathering();
  gathering_of_some();
  gathering_to_all();
  one_pair();
  reduction_to_all();
  prefix();
  nonblocking_barrier();
  neighbors();
  line();
  arrow();
  message_across();
  broadcast_across();
  reduction_across();
  barrier_across();
  fences();
  exposure();
  window();
  freed_window();
  MPI_Win_free(&other);
  MPI_Win_free(&win);
  if (broadcasts != MPI_REQUEST_NULL) MPI_Request_free(&broadcasts);
  MPI_Comm_free(&both);
  MPI_Comm_free(&side);
  MPI_Comm_free(&forwards);
  MPI_Comm_free(&in_line);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&all);
  MPI_Finalize();
  if (rank == 0) printf("done\n");
}
