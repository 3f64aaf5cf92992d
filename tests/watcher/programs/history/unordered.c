// SPDX-License-Identifier: MIT
// Two threads of rank 0 send to two threads of rank 1, all with one tag: any receive may get any
// message. Usage: `unordered ROUNDS WORD ...`, where each word names an error or a correct case, on
// a communicator of its own.
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 7 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static const char *what;
static MPI_Comm comm = MPI_COMM_WORLD;
static int rank, rounds, turn;

static int is(const char *word) {
  return strcmp(what, word) == 0;
}

static void send(int number) {
  double values[2] = {0};
  if (number && (is("sent") || is("turns")))
    MPI_Send(values, 2, MPI_INT, 1, TAG, comm);
  else
    MPI_Send(values, 1, MPI_DOUBLE, 1, TAG, comm);
}

static void receive(int number) {
  double values[2];
  if (number && is("received"))
    MPI_Recv(values, 2, MPI_FLOAT, 0, TAG, comm, MPI_STATUS_IGNORE);
  else if (number && is("turns"))
    MPI_Recv(values, 2, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
  else
    MPI_Recv(values, 1 + number, MPI_DOUBLE, 0, TAG, comm, MPI_STATUS_IGNORE);
}

static void exchange(int number) {
  if (rank == 0)
    send(number);
  else
    receive(number);
}

// Enforces an order that only the threads know.
static void exchange_in_turn(int number) {
  pthread_mutex_lock(&lock);
  while (turn != number) pthread_cond_wait(&passed, &lock);
  exchange(number);
  turn = !number;
  pthread_cond_broadcast(&passed);
  pthread_mutex_unlock(&lock);
}

static void *work(void *given) {
  int number = given != NULL;
  for (int i = 0; i < rounds; i++) {
    if (is("turns"))
      exchange_in_turn(number);
    else
      exchange(number);
  }
  return NULL;
}

// The same channel has a canceled receive, and a receive that the wrapper does not record.
static void cancel(void) {
  float values[2];
  MPI_Request request;
  MPI_Irecv(values, 2, MPI_FLOAT, 0, TAG, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_in_another_way(void) {
  int value;
  MPI_Message message;
  if (is("any")) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, TAG, comm, MPI_STATUS_IGNORE);
  if (is("probed")) {
    MPI_Mprobe(0, TAG, comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  }
}

// One thread makes all calls, although several may call MPI.
static void exchange_alone(void) {
  double value;
  int values[2] = {0};
  if (rank == 0) MPI_Send(values, 2, MPI_INT, 1, TAG, comm);
  if (rank == 1)
    MPI_Recv(&value, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
}

static void run(void) {
  pthread_t other;
  if (is("alone")) {
    exchange_alone();
    return;
  }
  pthread_create(&other, NULL, work, &other);
  work(NULL);
  pthread_join(other, NULL);
  if (rank == 0 && (is("any") || is("probed")))
    MPI_Send(&rank, 1, MPI_INT, 1, TAG, comm);
  else if (rank == 1)
    receive_in_another_way();
  if (rank == 1 && is("cancelled")) cancel();
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  rounds = atoi(argv[1]);
  for (int i = 2; i < argc; i++) {
    what = argv[i];
    if (i > 2) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    run();
    if (i > 2) MPI_Comm_free(&comm);
  }
  MPI_Finalize();
}
