// SPDX-License-Identifier: MIT
// Rank 0 puts to rank 1, then rank 2 does. Rank 0 marks the partitions of a message as ready after
// its put, which orders the puts. With an argument, it marks one earlier. Three processes.
#include <mpi.h>
#include <stdio.h>

enum { SENDER = 0, TARGET = 1, RECEIVER = 2, MOST = 4 };
static MPI_Win win;
static int rank, wrong, one = 1, memory[4], data[MOST];

#define put_1()                                                                                    \
  do {                                                                                             \
    MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);                                                 \
    MPI_Put(&one, 1, MPI_INT, TARGET, 0, 1, MPI_INT, win);                                         \
    MPI_Win_unlock(TARGET, win);                                                                   \
  } while (0)

// A request for one message with this number of partitions on either side.
static MPI_Request made(int tag, int sent, int received) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == SENDER)
    MPI_Psend_init(data, sent, MOST / sent, MPI_INT, RECEIVER, tag, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
  if (rank == RECEIVER)
    MPI_Precv_init(data, received, MOST / received, MPI_INT, SENDER, tag, MPI_COMM_WORLD,
                   MPI_INFO_NULL, &request);
  return request;
}

static void arrives(int partition, MPI_Request request) {
  for (int flag = 0; !flag;) MPI_Parrived(request, partition, &flag);
}

static void all_of_a_message(void) {
  MPI_Request request = made(1, 4, 4);
  if (rank == SENDER) {
    MPI_Start(&request);
    MPI_Pready_range(0, wrong ? 3 : 2, request);
    put_1();
    if (!wrong) MPI_Pready(3, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == RECEIVER) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    put_1();
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

static void one_that_arrives(void) {
  MPI_Request request = made(2, 2, 2);
  if (rank == SENDER) {
    MPI_Start(&request);
    if (!wrong) MPI_Pready(0, request);
    if (wrong) MPI_Pready(1, request);
    put_1();
    MPI_Pready(wrong ? 0 : 1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == RECEIVER) {
    MPI_Start(&request);
    arrives(1, request);
    put_1();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

static void of_other_numbers(void) { // the second half is two quarters
  MPI_Request request = made(3, 4, 2);
  int first[] = {0, 1, 3};
  if (rank == SENDER) {
    MPI_Start(&request);
    MPI_Pready_list(2, wrong ? &first[1] : first, request);
    if (wrong) MPI_Pready(2, request);
    put_1();
    if (!wrong) MPI_Pready_range(2, 3, request);
    if (wrong) MPI_Pready(0, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == RECEIVER) {
    MPI_Start(&request);
    arrives(1, request);
    put_1();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

static void the_second_time(void) {
  MPI_Request request = made(4, 1, 4);
  for (int i = 0; i < 2; i++) {
    if (rank != TARGET) MPI_Start(&request);
    if (rank == SENDER && i) put_1();
    if (rank == SENDER) MPI_Pready(0, request);
    if (rank == RECEIVER && i && wrong) put_1();
    if (rank != TARGET) MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == RECEIVER && i && !wrong) put_1();
  }
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

static void two_messages(void) { // requests match in the order in which they are created
  MPI_Request requests[] = {made(5, 1, 1), made(5, 1, 1)};
  if (rank != TARGET) MPI_Startall(2, requests);
  if (rank == SENDER) MPI_Pready(0, requests[wrong]);
  if (rank == SENDER) put_1();
  if (rank == SENDER) MPI_Pready(0, requests[!wrong]);
  if (rank == RECEIVER) MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  if (rank == RECEIVER) put_1();
  if (rank != TARGET) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; rank != TARGET && i < 2; i++) MPI_Request_free(&requests[i]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  wrong = argc > 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  void (*const cases[])(void) = {all_of_a_message, one_that_arrives, of_other_numbers,
                                 the_second_time, two_messages};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
    cases[i]();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
  if (rank == 0) fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
