// SPDX-License-Identifier: MIT
// Persistent operations that one call starts. Usage: persistent CASE ..., with "fixed" for the
// correct case. With THREADS another thread has called MPI before.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MANY = 200, ROWS = 64, ROUNDS = 5 };
static int rank, other, sends_first, fixed, in[4096], out[4096];
static double matrix[ROWS][MANY];
static MPI_Request requests[MANY];

// The requests are created here,
static void receive(int which, void *buffer, int count, MPI_Datatype type) {
  MPI_Recv_init(buffer, count, type, other, which, MPI_COMM_WORLD, &requests[which]);
}

// and started here.
static void start(int count) {
  MPI_Startall(count, requests);
}

static void finish(int count, int ints) {
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; i++) MPI_Send(out, ints, MPI_INT, other, i, MPI_COMM_WORLD);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

static void free_all(int count) {
  for (int i = 0; i < count; i++) MPI_Request_free(&requests[i]);
}

// Two receives share five elements.
static void two(void) {
  receive(0, in, 10, MPI_INT);
  receive(1, in + (fixed ? 10 : 5), 10, MPI_INT);
  start(2);
  finish(2, 10);
  free_all(2);
}

// The last two of many buffers share an element.
static void many(void) {
  for (int i = 0; i < MANY; i++) receive(i, in + 4 * i - (i == MANY - 1 && !fixed), 4, MPI_INT);
  for (int round = 0; round < ROUNDS; round++) {
    start(MANY);
    finish(MANY, 4);
  }
  free_all(MANY);
}

// The bounding boxes of a matrix's columns overlap. With `wrong`, one column occurs twice.
static void columns(void) {
  MPI_Datatype column;
  MPI_Type_vector(ROWS, 1, MANY, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < MANY; i++) receive(i, &matrix[0][i == MANY - 1 && !fixed ? 7 : i], 1, column);
  for (int round = 0; round < ROUNDS; round++) {
    start(MANY);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MANY; i++) MPI_Send(out, ROWS, MPI_DOUBLE, other, i, MPI_COMM_WORLD);
    MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
  }
  free_all(MANY);
  MPI_Type_free(&column);
}

// Other requests of the same places are started later, and their buffers overlap.
static void later(void) {
  for (int i = 0; i < 4; i++) receive(i, in + 10 * i - 5 * (i == 3 && !fixed), 10, MPI_INT);
  start(2);
  finish(2, 10);
  start(4);
  finish(4, 10);
  free_all(4);
}

// Several sends only read the same buffer.
static void sends(void) {
  for (int i = 0; i < 4; i++)
    MPI_Send_init(out + i, 10, MPI_INT, other, i, MPI_COMM_WORLD, &requests[i]);
  if (!fixed) receive(4, out + 12, 10, MPI_INT);
  start(fixed ? 4 : 5);
  if (!fixed) MPI_Send(in, 10, MPI_INT, other, 4, MPI_COMM_WORLD);
  for (int i = 0; i < 4; i++)
    MPI_Recv(in, 10, MPI_INT, other, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Waitall(fixed ? 4 : 5, requests, MPI_STATUSES_IGNORE);
  free_all(fixed ? 4 : 5);
}

static void collective(void) {
#if MPI_VERSION >= 4
  MPI_Bcast_init(in, 10, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Allreduce_init(out, in + (fixed ? 10 : 9), 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD,
                     MPI_INFO_NULL, &requests[1]);
  start(2);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  free_all(2);
#endif
}

static void partitioned(void) {
#if MPI_VERSION >= 4
  MPI_Precv_init(in, 4, 10, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
  MPI_Psend_init(in + (fixed ? 40 : 39), 4, 10, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                 &requests[1]);
  for (int round = 0; round < ROUNDS; round++) {
    start(2);
    MPI_Pready_range(0, 3, requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  free_all(2);
#endif
}

// The types sent do not match those received.
static void types(void) {
  if (sends_first)
    MPI_Send_init(out, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[0]);
  else
    receive(0, in, 4, fixed ? MPI_INT : MPI_FLOAT);
  for (int round = 0; round < ROUNDS; round++) {
    start(1);
    MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  }
  free_all(1);
}

// The same from any source: the message is known when the receive is complete.
static void any(void) {
  if (sends_first)
    MPI_Send_init(out, 4, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[0]);
  else
    MPI_Recv_init(in, 4, fixed ? MPI_INT : MPI_FLOAT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, requests);
  start(1);
  MPI_Waitall(1, requests, MPI_STATUSES_IGNORE);
  free_all(1);
}

// The sends of the second round have no receiver.
static void lost(void) {
  if (rank == 0) {
    MPI_Send_init(out, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
    for (int round = 0; round < 1 + !fixed; round++) {
      MPI_Start(&requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    free_all(1);
  } else {
    MPI_Recv(in, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void *call(void *argument) {
  MPI_Barrier(MPI_COMM_SELF);
  return argument;
}

static void initialize(void) {
  int size;
#ifdef THREADS
  pthread_t thread;
  int given;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &given);
  pthread_create(&thread, NULL, call, NULL);
  pthread_join(thread, NULL);
#else
  MPI_Init(NULL, NULL);
  (void)call;
#endif
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  other = (rank + size / 2) % size;
  sends_first = rank < size / 2;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"two", two},
               {"many", many},
               {"columns", columns},
               {"later", later},
               {"sends", sends},
               {"collective", collective},
               {"partitioned", partitioned},
               {"types", types},
               {"any", any},
               {"lost", lost}};
  initialize();
  fixed = !strcmp(argv[argc - 1], "fixed");
  for (int word = 1; word < argc; word++)
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
      if (!strcmp(argv[word], cases[i].name)) cases[i].run();
  if (rank == 0) fputs("done\n", stdout);
  MPI_Finalize();
  return 0;
}
