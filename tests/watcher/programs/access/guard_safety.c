// SPDX-License-Identifier: MIT
// A correct program with several threads that call MPI stays correct while buffers are guarded. Two
// processes. With an argument there may be two huge pages for each.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, N = 5 * PAGE / 8, THREADS = 2, ROUNDS = 20, LARGE = 2 << 20 };

static int rank, rounds_done;
// Buffers that begin and end within pages that also have counters.
static struct {
  long before;
  double out[N];
  long between;
  double in[N];
  long after;
} _Alignas(PAGE) shared[THREADS];

static void need(int is_true, int line) {
  if (is_true) return;
  fprintf(stderr, "rank %d: line %d\n", rank, line);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NEED(x) need(x, __LINE__)

static void *exchange(void *number) {
  int tag = (int)(long)number;
  for (int round = 0; round < ROUNDS; round++) {
    MPI_Request both[2];
    for (int i = 0; i < N; i++) shared[tag].out[i] = round + i;
    MPI_Irecv(shared[tag].in, N, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(shared[tag].out, N, MPI_DOUBLE, 1 - rank, tag, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++) NEED(shared[tag].in[i] == round + i);
  }
  __atomic_fetch_add(&rounds_done, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

// A thread that never calls MPI, and uses the memory beside the buffers.
static void *count(void *nothing) {
  long n = 0;
  (void)nothing;
  for (; __atomic_load_n(&rounds_done, __ATOMIC_SEQ_CST) < THREADS; n++) {
    for (int i = 0; i < THREADS; i++) shared[i].before++, shared[i].between++, shared[i].after++;
  }
  return (void *)n;
}

static void with_threads(void) {
  pthread_t threads[THREADS], counting;
  void *n = NULL;
  pthread_create(&counting, NULL, count, NULL);
  for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, exchange, (void *)i);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  pthread_join(counting, &n);
  for (int i = 0; i < THREADS; i++)
    NEED(shared[i].before == (long)n && shared[i].between == (long)n && shared[i].after == (long)n);
}

static MPI_Request requests[2];

static void start(double *out, double *in, int n) {
  for (int i = 0; i < n; i++) out[i] = i;
  MPI_Irecv(in, n, MPI_DOUBLE, 1 - rank, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Issend(out, n, MPI_DOUBLE, 1 - rank, 7, MPI_COMM_WORLD, &requests[1]);
}

static void end(const double *in, int n) {
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < n; i++) NEED(in[i] == i);
}

// The system may read send buffers. It may use the memory beside send buffers and beside receive
// buffers.
static void system_calls(void) {
  int pipes[2], sockets[2];
  char back[2 * PAGE];
  NEED(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  start(shared[0].out, shared[0].in, N);
  NEED(write(pipes[1], shared[0].out + 100, 2 * PAGE) == 2 * PAGE);
  NEED(read(pipes[0], back, 2 * PAGE) == 2 * PAGE);
  NEED(memcmp(back, shared[0].out + 100, 2 * PAGE) == 0);
  long values[2] = {17, 18};
  NEED(write(pipes[1], values, sizeof values) == sizeof values);
  NEED(read(pipes[0], &shared[0].before, sizeof(long)) == sizeof(long));
  NEED(read(pipes[0], &shared[0].after, sizeof(long)) == sizeof(long));
  NEED(shared[0].before == 17 && shared[0].after == 18);
  struct iovec parts[] = {{&shared[0].before, sizeof(long)},
                          {shared[0].out, 2 * PAGE},
                          {&shared[0].after, sizeof(long)}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
  NEED(sendmsg(sockets[0], &message, 0) == 2 * PAGE + 2 * (long)sizeof(long));
  NEED(recv(sockets[1], back, sizeof(long), 0) == sizeof(long) && memcmp(back, values, 8) == 0);
  end(shared[0].in, N);
  for (int i = 0; i < 2; i++) close(pipes[i]), close(sockets[i]);
}

// The program's own signal handlers run on a separate stack while buffers are guarded.
static char *own_page;
static volatile sig_atomic_t segvs, buses;
static void handler(int number, siginfo_t *info, void *context) {
  (void)context;
  if (number == SIGBUS) {
    buses++;
    mmap(own_page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
    return;
  }
  if ((char *)info->si_addr != own_page + 9) _exit(7);
  segvs++;
  mprotect(own_page, PAGE, PROT_READ | PROT_WRITE);
}

static void own_handlers(void) {
  stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, off = {.ss_flags = SS_DISABLE};
  struct sigaction now = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK}, before[2];
  NEED(sigaltstack(&stack, NULL) == 0);
  sigaction(SIGSEGV, &now, &before[0]);
  sigaction(SIGBUS, &now, &before[1]);
  start(shared[0].out, shared[0].in, N);
  own_page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  own_page[9] = 1;
  FILE *empty = tmpfile();
  own_page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(empty), 0);
  own_page[9] = 1;
  end(shared[0].in, N);
  NEED(segvs == 1 && buses == 1);
  sigaction(SIGSEGV, &before[0], NULL);
  sigaction(SIGBUS, &before[1], NULL);
  sigaltstack(&off, NULL);
  free(stack.ss_sp);
  fclose(empty);
}

static void large_pages(void) {
  double *out = aligned_alloc(LARGE, 2 * LARGE), *in = aligned_alloc(LARGE, 2 * LARGE);
  madvise(out, 2 * LARGE, MADV_HUGEPAGE);
  madvise(in, 2 * LARGE, MADV_HUGEPAGE);
  for (int i = 0; i < 2; i++) {
    start(out, in, LARGE / 4);
    end(in, LARGE / 4);
  }
  free(out);
  free(in);
}

// Allocates huge pages from the system's pool.
static void huge_pages(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB;
  double *out = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, flags, -1, 0);
  double *in = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, flags, -1, 0);
  int mine = out != MAP_FAILED && in != MAP_FAILED, all;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all && rank == 0) fputs("no huge pages\n", stdout); // other programs have taken them
  for (int i = 0; all && i < 2; i++) {
    start(out, in, LARGE / 8);
    end(in, LARGE / 8);
  }
  if (out != MAP_FAILED) NEED(munmap(out, LARGE) == 0);
  if (in != MAP_FAILED) NEED(munmap(in, LARGE) == 0);
}

// Acts like a network card with which the program has registered memory: it keeps the pages that
// existed then.
static void registered(void) {
  enum { COUNT = 64 * PAGE / 8, AT = 30 * PAGE / 8 };
  for (int how = 0; how < 2; how++) {
    double *out = aligned_alloc(PAGE, 8 * COUNT), *in = aligned_alloc(PAGE, 8 * COUNT), seen[8];
    int pipes[2];
    memset(in, 1, 8 * COUNT);
    NEED((how ? madvise(in, 8 * COUNT, MADV_DONTFORK) : mlock(in, 8 * COUNT)) == 0);
    struct iovec page = {in + AT, sizeof seen};
    NEED(pipe(pipes) == 0 && vmsplice(pipes[1], &page, 1, 0) == sizeof seen);
    for (int i = 0; i < 2; i++) {
      start(out, in, COUNT);
      end(in, COUNT);
    }
    NEED(read(pipes[0], seen, sizeof seen) == sizeof seen);
    NEED(memcmp(seen, in + AT, sizeof seen) == 0);
    for (int i = 0; i < 2; i++) close(pipes[i]);
    free(out);
    free(in);
  }
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  NEED(provided == MPI_THREAD_MULTIPLE);
  with_threads();
  system_calls();
  own_handlers();
  large_pages();
  if (argc > 1) huge_pages();
  registered();
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
