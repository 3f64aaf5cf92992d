// SPDX-License-Identifier: MIT
// Accesses to a buffer before its "persistent" operation is started, or its "partitioned" send is
// ready. The program may still use it. One process. The second argument is the access. "reads":
// another thread reads a file into it. "stores": another thread, which no signal reaches, stores to
// it. "handler": a signal handler does.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { BYTES = 16 << 20, PAGE = 4096, TIMES = 4 };

static _Alignas(PAGE) char out[TIMES][BYTES], in[BYTES];
static char *volatile now = out[0];
static volatile int is_over, has_begun, failed;

static void *reads(void *nothing) {
  int zeros = open("/dev/zero", O_RDONLY);
  for (; !is_over; has_begun = 1) failed += read(zeros, now + 2 * PAGE, PAGE) != PAGE;
  return nothing;
}

static void *stores(void *nothing) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  for (; !is_over; has_begun = 1) now[2 * PAGE]++;
  return nothing;
}

static void handle(int number) {
  (void)number;
  now[2 * PAGE]++;
  has_begun = 1;
}

static void every(int microseconds) {
  const struct itimerval time = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &time, NULL);
}

static void make(int is_partitioned, char *of, MPI_Request *request) {
#if MPI_VERSION >= 4
  if (is_partitioned)
    MPI_Psend_init(of, 4, BYTES / 4, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_INFO_NULL, request);
#endif
  if (!is_partitioned) MPI_Send_init(of, BYTES, MPI_CHAR, 0, 1, MPI_COMM_SELF, request);
}

int main(int argc, char **argv) {
  int provided, is_partitioned = strcmp(argv[1], "partitioned") == 0, is_handled = *argv[2] == 'h';
  MPI_Request made[TIMES], received;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  memset(out, 1, sizeof out);
  signal(SIGALRM, handle);
  if (is_handled)
    every(100);
  else
    pthread_create(&thread, NULL, *argv[2] == 'r' ? reads : stores, NULL);
  while (!has_begun) continue;
  for (int i = 0; i < TIMES; i++) {
    now = out[i];
    make(is_partitioned, out[i], &made[i]);
  }
  is_over = 1;
  if (is_handled)
    every(0);
  else
    pthread_join(thread, NULL);
  for (int i = 0; !is_partitioned && i < TIMES; i++) {
    MPI_Irecv(in, BYTES, MPI_CHAR, 0, 1, MPI_COMM_SELF, &received);
    MPI_Start(&made[i]);
    if (argc > 3) out[i][4 * PAGE] = 2;
    MPI_Wait(&received, MPI_STATUS_IGNORE);
    MPI_Wait(&made[i], MPI_STATUS_IGNORE);
    out[i][4 * PAGE] = in[4 * PAGE];
    if (memcmp(in, out[i], BYTES) != 0) fputs("not what was sent\n", stdout);
  }
  printf("%d failed\n", failed);
  fflush(stdout);
  for (int i = 0; i < TIMES; i++) MPI_Request_free(&made[i]);
  MPI_Finalize();
  return 0;
}
