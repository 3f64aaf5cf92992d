// SPDX-License-Identifier: MIT
// Signals come at any time. "lock": their handler returns memory to the system and uses memory
// beside a pending operation's buffer, while the thread protects other memory. "again": a system
// call that a SIGSEGV interrupts continues, as the program's handler requests. One process.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum { PAGE = 4096, N = 4 * PAGE, TIMES = 20000 };

static _Alignas(PAGE) struct { char first[N], beside[PAGE], last[N]; } all;
static _Alignas(8) char in[N], pending[8];
static char *volatile beside = &pending[4];
static volatile int handled;

static void soon(void) {
  const struct itimerval time = {.it_value = {0, 10}};
  setitimer(ITIMER_REAL, &time, NULL);
}

// Sends the next signal when this one is handled, so that the thread continues in between.
static void advise(int number) {
  (void)number;
  madvise(all.beside, PAGE, MADV_DONTNEED);
  *(volatile char *)beside = 1;
  if (++handled < TIMES) soon();
}

static void send(char *out, int bytes) {
  MPI_Request request;
  MPI_Isend(out, bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  MPI_Recv(in, bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void hear(int number) {
  (void)number;
  handled++;
}

static int pipes[2];
static pthread_t reader;

static void *interrupt(void *nothing) {
  struct timespec moment = {0, 20000000};
  for (int i = 0; i < 5; i++) {
    nanosleep(&moment, NULL);
    pthread_kill(reader, SIGSEGV);
  }
  nanosleep(&moment, NULL);
  if (write(pipes[1], "x", 1) != 1) perror("write");
  return nothing;
}

static void read_on(void) {
  pthread_t thread;
  char byte = 0;
  reader = pthread_self();
  signal(SIGSEGV, hear);
  if (pipe(pipes)) perror("pipe");
  pthread_create(&thread, NULL, interrupt, NULL);
  if (read(pipes[0], &byte, 1) != 1) perror("read");
  pthread_join(thread, NULL);
}

int main(int argc, char **argv) {
  MPI_Request request;
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  send(all.first, N);
  send(all.last, N);
  MPI_Irecv(pending, 4, MPI_CHAR, 0, 1, MPI_COMM_SELF, &request);
  signal(SIGALRM, advise);
  if (*argv[1] == 'a') read_on();
  if (*argv[1] == 'l') soon();
  while (*argv[1] == 'l' && handled < TIMES) mprotect(all.last, PAGE, PROT_READ | PROT_WRITE);
  MPI_Send(in, 4, MPI_CHAR, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("%d\n", handled > 0);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
