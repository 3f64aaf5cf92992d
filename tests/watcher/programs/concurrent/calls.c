// SPDX-License-Identifier: MIT
// calls THREADS WAY: two threads of rank 0 call MPI for one object, as `WAY` says. THREADS: posix
// or openmp.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm comms[2];
static MPI_Win win;
static MPI_File file;
static MPI_Request requests[2];
static int begun, rank, values[2];

static int is(const char *way, const char *name) {
  return strcmp(way, name) == 0;
}

static void test_until_complete(void) {
  for (int flag = 0; !flag;) {
    pthread_mutex_lock(&mutex);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&mutex);
  }
}

// Each of the two threads of rank 0 runs this function. Rank 1 runs it once for each of them.
static void call(const char *way, int number) {
  int count, indices[2], left = 2 - number;
  MPI_Request copy = requests[0], *first = requests + number;
  MPI_Status statuses[2];
  __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
  if (is(way, "one communicator")) MPI_Barrier(comms[0]); // one communicator
  if (is(way, "two communicators")) MPI_Barrier(comms[number]);
  if (is(way, "nonblocking")) {
    MPI_Ibarrier(comms[number], &copy);
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
  }
  if (is(way, "window")) MPI_Win_fence(0, win);                                        // window
  if (is(way, "file")) MPI_File_read_all(file, &count, 1, MPI_INT, MPI_STATUS_IGNORE); // file
  if (is(way, "critical")) {
    pthread_mutex_lock(&mutex);
    MPI_Barrier(comms[0]);
    pthread_mutex_unlock(&mutex);
  }
  if (rank == 1) return;
  if (is(way, "wait")) MPI_Wait(number ? &copy : &requests[0], MPI_STATUS_IGNORE); // wait
  if (is(way, "waitsome")) MPI_Waitsome(left, first, &count, indices, statuses);   // waitsome
  if (is(way, "own requests")) MPI_Wait(&requests[number], MPI_STATUS_IGNORE);
  if (is(way, "test")) test_until_complete();
}

// Rank 1 continues when both threads are likely to wait in their calls.
static void release(void) {
  while (__atomic_load_n(&begun, __ATOMIC_SEQ_CST) < 2) usleep(1000);
  usleep(500000);
  MPI_Send(&rank, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
}

static const char *way;

static void *run(void *number) {
  call(way, number != NULL);
  return NULL;
}

static void with_threads(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, run, NULL);
  pthread_create(&threads[1], NULL, run, &mutex);
  release();
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static void with_openmp(void) {
#pragma omp parallel for num_threads(3) schedule(static, 1)
  for (int number = 0; number < 3; number++) {
    if (number < 2)
      call(way, number);
    else
      release();
  }
}

int main(int argc, char **argv) {
  int provided, token;
  way = argc > 2 ? argv[2] : "";
  MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 2; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  int receives =
      is(way, "wait") || is(way, "waitsome") || is(way, "own requests") || is(way, "test");
  int count = is(way, "waitsome") || is(way, "own requests") ? 2 : receives;
  if (rank == 0) {
    for (int i = 0; i < count; i++)
      MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (is(argv[1], "openmp"))
      with_openmp();
    else
      with_threads();
  } else {
    MPI_Recv(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) call(way, i);
    for (int i = 0; i < count; i++) MPI_Send(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD);
  }
  for (int i = 0; i < 2; i++) MPI_Comm_free(&comms[i]);
  MPI_Win_free(&win);
  MPI_File_close(&file);
  MPI_Finalize();
}
