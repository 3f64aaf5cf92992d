// SPDX-License-Identifier: MIT
// Functions with variables that a pending operation uses, while other frames come and go. With the
// argument "wrong" the program uses them by name meanwhile. One process.
#define _GNU_SOURCE
#include <alloca.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 65536, MOST = 8 };
#define OWN __attribute__((noinline)) static

struct large {
  char room[40];
  int value;
};

static int wrong, sum;
static jmp_buf back;
static volatile sig_atomic_t seen;

OWN MPI_Request receive(void *at, int count, int tag) {
  MPI_Request request;
  MPI_Irecv(at, count, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
  return request;
}

OWN void complete(MPI_Request request, int count, int tag) {
  int values[MOST] = {1, 2, 3};
  MPI_Send(values, count, MPI_INT, 0, tag, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

OWN int deep(int depth) {
  int room[8];
  memset(room, depth, sizeof room);
  if (depth > 0) room[3] += deep(depth - 1);
  return room[3] & 1;
}

OWN void jumps(int depth) {
  int room[16];
  memset(room, 1, sizeof room);
  sum += deep(1);
  if (depth > 0) jumps(depth - 1);
  longjmp(back, 1 + (room[2] & 1));
}

OWN void calls_deep(void) {
  int value = 0;
  MPI_Request request = receive(&value, 1, 0);
  sum += deep(50);
  if (wrong) value = 1;
  complete(request, 1, 0);
  sum += value;
}

OWN void recurs(int depth) {
  int value = 0;
  MPI_Request request = receive(&value, 1, depth);
  if (depth > 0) recurs(depth - 1);
  if (wrong && depth == 3) value = 1;
  complete(request, 1, depth);
  sum += value;
}

OWN void jumps_over(void) {
  int value = 0;
  MPI_Request request = receive(&value, 1, 0);
  if (!setjmp(back)) jumps(9);
  if (wrong) value = 1;
  complete(request, 1, 0);
  sum += value;
}

OWN void of_any_length(int count) {
  int values[count];
  if (!setjmp(back)) jumps(9);
  MPI_Request request = receive(values, count, 0);
  if (wrong) values[count - 1] = 1;
  complete(request, count, 0);
  sum += values[0];
}

OWN void allocates(int count) {
  int *values = alloca((size_t)count * sizeof *values);
  MPI_Request request = receive(values, count, 0);
  sum += deep(4);
  if (wrong) values[0] = 1;
  complete(request, count, 0);
  sum += values[0];
}

OWN void has_much(void) {
  double much[LARGE];
  int value;
  MPI_Request request = receive(&value, 1, 0);
  for (int i = 0; i < LARGE; i++) much[i] = i;
  sum += (int)much[sum & 7];
  if (wrong) value = 1;
  complete(request, 1, 0);
  sum += value;
}

OWN void receives_into_much(void) {
  int values[LARGE];
  values[5] = 0;
  MPI_Request request = receive(values, MOST, 0);
  sum += deep(3);
  if (wrong) values[5] = 1;
  complete(request, MOST, 0);
  sum += values[5];
}

OWN struct large returns(void) {
  struct large result;
  memset(&result, 0, sizeof result);
  MPI_Request request = receive(&result.value, 1, 0);
  if (wrong) result.value = 1;
  complete(request, 1, 0);
  return result;
}

OWN void has_argument(struct large given) {
  MPI_Request request = receive(&given.value, 1, 0);
  if (wrong) given.value = 1;
  complete(request, 1, 0);
  sum += given.value;
}

static void handle(int number) {
  int values[4] = {number};
  for (int i = 0; i < 4; i++) {
    int *at = &values[i];
    __asm__ volatile("" : "+r"(at));
    seen += *at;
  }
}

OWN void is_interrupted(void) {
  int value;
  MPI_Request request = receive(&value, 1, 0);
  raise(SIGUSR1);
  if (wrong) value = 1;
  complete(request, 1, 0);
  sum += value;
}

OWN void forks(void) {
  int value = 0;
  MPI_Request request = receive(&value, 1, 0);
  pid_t child = fork();
  if (!child) _exit(deep(20) > 1);
  waitpid(child, NULL, 0);
  if (wrong) value = 1;
  complete(request, 1, 0);
  sum += value;
}

static void *leaves(void *argument) {
  int room[9];
  memset(room, 1, sizeof room);
  sum += deep(1) + room[3];
  pthread_exit(argument);
}

static void *in_thread(void *argument) {
  int value;
  MPI_Request request = receive(&value, 1, 0);
  sum += deep(20);
  if (wrong) value = 1;
  complete(request, 1, 0);
  sum += value;
  return argument;
}

static void start(void *(*run)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  static char room[65536];
  int given;
  wrong = argc > 1 && !strcmp(argv[1], "wrong");
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &given);
  sigaltstack(&(stack_t){.ss_sp = room, .ss_size = sizeof room}, NULL);
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle, .sa_flags = SA_ONSTACK}, NULL);
  calls_deep();
  recurs(5);
  jumps_over();
  of_any_length(7);
  allocates(7);
  has_much();
  receives_into_much();
  has_argument(returns());
  is_interrupted();
  forks();
  for (int i = 0; i < 20; i++) start(leaves);
  start(in_thread);
  puts(sum > 0 ? "done" : "");
  MPI_Finalize();
  return 0;
}
