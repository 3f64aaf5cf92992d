// SPDX-License-Identifier: MIT
// Correct: threads send small messages to themselves, each from a place of its own; the argument is
// the number of messages. Prints how many messages were not complete when their receive was. Then
// starts persistent requests, one with a shared buffer, which cannot be guarded. Then creates many
// requests at one place, the last of each kind with whole pages. With a second argument it stores
// to the last send buffer but one during each operation.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { THREADS = 2, INTEGERS = 16 };

static int rounds, lost[THREADS];

static int exchange(int number, int round) {
  int to[INTEGERS] = {0}, from[INTEGERS];
  MPI_Request requests[2];
  for (int i = 0; i < INTEGERS; i++) from[i] = 1000 * number + round + i;
  MPI_Irecv(to, INTEGERS, MPI_INT, 0, number, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(from, INTEGERS, MPI_INT, 0, number, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return memcmp(to, from, sizeof to) != 0;
}

static void *exchanges(void *given) {
  int number = (int)((int *)given - lost);
  for (int i = 0; i < rounds; i++) lost[number] += exchange(number, i);
  return NULL;
}

static void starts(void) {
  MPI_Request requests[2];
  int from[INTEGERS] = {0}, bytes = 4096, flags = MAP_SHARED | MAP_ANONYMOUS;
  int *to = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  for (int twice = 0; twice < 2; twice++) {
    MPI_Recv_init(to, INTEGERS, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Send_init(from, INTEGERS, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
    for (int i = 0; i < 3; i++) {
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }
  munmap(to, (size_t)bytes);
}

enum { MANY = 8, EACH = 16, LONG = 20000 };

static int length_of(int i) {
  return i == MANY - 1 ? LONG : EACH;
}

static int start_many(int wrong) {
  static int to[MANY][LONG], from[MANY][LONG];
  MPI_Request received[MANY], sent[MANY];
  int made = 0, missed = 0;
  for (int round = 0; round < 4 * rounds; round++) {
    if (made < MANY) {
      int n = length_of(made);
      MPI_Recv_init(to[made], n, MPI_INT, 0, made, MPI_COMM_SELF, &received[made]);
      MPI_Ssend_init(from[made], n, MPI_INT, 0, made, MPI_COMM_SELF, &sent[made]);
      made++;
    }
    for (int i = 0; i < made; i++) from[i][length_of(i) - 1] = round;
    MPI_Startall(made, sent);
    if (wrong) from[MANY - 2][0]++;
    MPI_Startall(made, received);
    MPI_Waitall(made, received, MPI_STATUSES_IGNORE);
    MPI_Waitall(made, sent, MPI_STATUSES_IGNORE);
    for (int i = 0; i < made; i++) missed += to[i][length_of(i) - 1] != round;
  }
  for (int i = 0; i < MANY; i++) {
    MPI_Request_free(&received[i]);
    MPI_Request_free(&sent[i]);
  }
  return missed;
}

int main(int argc, char **argv) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  rounds = atoi(argv[1]);
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, exchanges, &lost[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  starts();
  printf("lost %d\n", lost[0] + lost[1] + start_many(argc > 2));
  MPI_Finalize();
}
