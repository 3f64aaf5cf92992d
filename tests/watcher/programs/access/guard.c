// SPDX-License-Identifier: MIT
// Buffers of pending operations: correct accesses, and with "wrong" errors, too. Two processes.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 4096, PAGE = 4096, ROWS = 8 };

static int rank;
static double fixed[N];          // static memory
static double grid[ROWS][2 * N]; // their left halves are sent
static MPI_Request request;
static volatile double sink;

static void need(int is_true, int line) {
  if (is_true) return;
  fprintf(stderr, "rank %d: line %d\n", rank, line);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NEED(x) need(x, __LINE__)

static void fill(double *row, int count, double with) {
  for (int i = 0; i < count; i++) row[i] = with + i;
}

static void go(void) {
  MPI_Send(NULL, 0, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD);
}

static void await(void) {
  MPI_Recv(NULL, 0, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Correct accesses to the buffers of pending operations.

static void exchange(double *out, double *in, double with) {
  MPI_Request both[2];
  int flag = 0;
  fill(out, N, with);
  in[-1] = in[N] = -7;
  MPI_Irecv(in, N, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &both[0]);
  MPI_Isend(out, N, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &both[1]);
  sink += out[N / 2]; // a send buffer may be read
  in[-1] = in[N] = -8;
  while (!flag) MPI_Test(&both[0], &flag, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) NEED(in[i] == with + i);
  NEED(in[-1] == -8 && in[N] == -8);
  MPI_Wait(&both[1], MPI_STATUS_IGNORE);
  out[0] = out[N / 2] = out[N - 1] = 1;
}

static double *apart(int number) { // in memory of its own
  static double *memory[2];
  if (!memory[number]) memory[number] = calloc(N + 2, sizeof(double));
  return memory[number] + 1;
}

static void exchanges(void) {
  double on_stack[N + 2];
  for (int i = 0; i < 3; i++) {
    exchange(apart(0), apart(1), i);
    exchange(fixed, apart(1), i);
    exchange(apart(0), on_stack + 1, i);
  }
}

// A message that is shorter than the buffer leaves the rest unchanged.
static void partly(void) {
  double *in = apart(1);
  fill(in, N, 0);
  MPI_Irecv(in, N, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, &request);
  MPI_Send(apart(0), 10, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 10; i < N; i++) NEED(in[i] == i);
}

// Requests that are freed: the data is still received.
static void given_up(void) {
  double *out = apart(0), *in = apart(1);
  fill(out, N, 5);
  MPI_Irecv(in, N, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  NEED(request == MPI_REQUEST_NULL);
  MPI_Isend(out, N, MPI_DOUBLE, 1 - rank, 3, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  for (volatile double *last = &in [N - 1]; *last != N + 4;) {
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < N; i++) NEED(in[i] == 5 + i);
  MPI_Barrier(MPI_COMM_WORLD);
}

// A child process has its own memory, also while operations are pending.
static void forks(void) {
  double *out = apart(0), *in = apart(1);
  fill(out, N, 1);
  MPI_Irecv(in, N, MPI_DOUBLE, 1 - rank, 4, MPI_COMM_WORLD, &request);
  int status = 0;
  pid_t child = fork();
  if (child == 0) {
    fill(out, N, 100);
    fill(in, N, 100);
    _exit(out[N / 2] == 100 + N / 2 ? 0 : 1);
  }
  NEED(waitpid(child, &status, 0) == child && status == 0);
  NEED(out[N / 2] == 1 + N / 2);
  MPI_Send(out, N, MPI_DOUBLE, 1 - rank, 4, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < N; i++) NEED(in[i] == 1 + i);
}

// If the system drops memory that was a buffer, the memory is zero afterwards.
static void reset(char *own, size_t bytes) {
  memset(own, 1, bytes);
  MPI_Isend(own, (int)bytes, MPI_BYTE, rank, 5, MPI_COMM_WORLD, &request);
  MPI_Recv(grid, (int)bytes, MPI_BYTE, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(madvise(own + PAGE, PAGE, MADV_DONTNEED) == 0);
  NEED(own[0] == 1 && own[PAGE] == 0 && own[2 * PAGE - 1] == 0 && own[2 * PAGE] == 1);
  NEED(madvise(own + 4 * PAGE, PAGE, MADV_FREE) == 0);
  NEED(own[5 * PAGE] == 1);
}

static void reset_buffers(void) {
  static char own[64 * PAGE] __attribute__((aligned(PAGE)));
  char *allocated = aligned_alloc(PAGE, sizeof own), *large = aligned_alloc(PAGE, 256 * PAGE);
  for (int round = 0; round < 2; round++) {
    reset(own, sizeof own);
    reset(allocated, sizeof own);
    reset(large, sizeof grid);
  }
  free(allocated);
  free(large);
}

// Former buffers whose memory was freed, moved, or has another use.
static void give_back(void) {
  size_t bytes = 64 * PAGE;
  char *own = malloc(bytes);
  memset(own, 1, bytes);
  for (int round = 0; round < 3; round++) {
    MPI_Isend(own, (int)bytes, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, &request);
    char *in = malloc(bytes);
    MPI_Recv(in, (int)bytes, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    NEED(memcmp(own, in, bytes) == 0);
    free(in);
    if (round == 1) continue;
    own = realloc(own, 2 * bytes);
    NEED(own[0] == 1 && own[bytes - 1] == 1);
    free(own);
    own = calloc(1, bytes);
    for (size_t i = 0; i < bytes; i++) NEED(own[i] == 0);
    memset(own, 1, bytes);
  }
  free(own);
  own = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(own, 1, bytes);
  MPI_Isend(own, (int)bytes, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(own, (int)bytes, MPI_BYTE, rank, 5, MPI_COMM_WORLD, &request);
  MPI_Recv(grid, (int)bytes, MPI_BYTE, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(madvise(own + PAGE, PAGE, MADV_DONTNEED) == 0);
  NEED(own[0] == 1 && own[PAGE] == 0 && own[2 * PAGE - 1] == 0 && own[2 * PAGE] == 1);
  own = mremap(own, bytes, 2 * bytes, MREMAP_MAYMOVE);
  NEED(own != MAP_FAILED && own[0] == 1 && own[bytes] == 0);
  munmap(own, 2 * bytes);
}

// The program has a protected page and a signal handler of its own.
static char *own_page;
static int own_faults;
static void handler(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  NEED((char *)info->si_addr == own_page + 5);
  own_faults++;
  mprotect(own_page, PAGE, PROT_READ | PROT_WRITE);
}

static void own_handler(int after) {
  struct sigaction now = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO}, before;
  own_page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  sigaction(SIGSEGV, &now, &before);
  if (after) exchange(apart(0), apart(1), 9);
  own_page[5] = 1;
  NEED(own_faults == 1 + after);
  sigaction(SIGSEGV, &before, NULL);
}

// Errors. The sender has sent nothing yet when the receiver reads.

static void stores_to_send(double *row) {
  row[N / 2] = 0;
}

static void early_store(void) {
  MPI_Issend(apart(0), N, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, &request);
  stores_to_send(apart(0));
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#define INLINED static inline __attribute__((always_inline))

INLINED double loads(const double *row) {
  return row[N - 600];
}

INLINED void adds(const double *row) {
  sink += loads(row);
}

INLINED void receives(double *row) {
  MPI_Irecv(row, N, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, &request);
}

static void early_load(void) {
  receives(fixed);
  adds(fixed);
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void by_the_library(void) {
  char *buffer = (char *)(((uintptr_t)apart(1) + PAGE) & ~(uintptr_t)(PAGE - 1));
  MPI_Irecv(buffer, PAGE, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
  memset(buffer + 100, 0, 1000 + (size_t)rank);
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void *other_thread(void *row) {
  ((double *)row)[N + N / 2] = 3; // a hole: it is the program's own
  ((double *)row)[2 * N + N / 4] = 3;
  return NULL;
}

static void by_a_thread(void) {
  MPI_Datatype halves;
  MPI_Type_vector(ROWS, N, 2 * N, MPI_DOUBLE, &halves);
  MPI_Type_commit(&halves);
  MPI_Issend(grid, 1, halves, 1, 4, MPI_COMM_WORLD, &request);
  MPI_Type_free(&halves);
  pthread_t thread;
  pthread_create(&thread, NULL, other_thread, grid);
  pthread_join(thread, NULL);
  go();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void moved_already(void) {
  MPI_Request both[2];
  MPI_Irecv(apart(1), N, MPI_DOUBLE, 0, 5, MPI_COMM_SELF, &both[0]);
  MPI_Isend(apart(0), N, MPI_DOUBLE, 0, 5, MPI_COMM_SELF, &both[1]);
  apart(0)[N / 2] = 3;
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
}

static void wrong(void) {
  if (rank == 0) {
    early_store();
    early_load();
    by_the_library();
    by_a_thread();
    moved_already();
    return;
  }
  await();
  MPI_Recv(apart(1), N, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  NEED(apart(1)[N / 2] == 0); // the early store was done all the same
  await();
  MPI_Send(apart(0), N, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
  await();
  MPI_Send(apart(0), PAGE, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
  await();
  MPI_Recv(grid, ROWS * N, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  own_handler(0);
  exchanges();
  partly();
  given_up();
  forks();
  give_back();
  reset_buffers();
  own_handler(1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1) wrong();
  free(apart(0) - 1);
  free(apart(1) - 1);
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
