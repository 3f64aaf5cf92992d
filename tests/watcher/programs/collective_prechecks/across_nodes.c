// SPDX-License-Identifier: MIT
// The first two of four processes make another call than the last two. With "twice", these two
// first make different calls.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int rank;

static void reduce(MPI_Op op) {
  int one = 1, sum;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
}

static void twice(void) {
  MPI_Op first = rank == 1 ? MPI_MAX : MPI_SUM, second = rank > 1 ? MPI_PROD : MPI_MIN;
  for (int turn = 0; turn < 2; turn++) reduce(turn ? second : first);
}

static void later(int is_persistent) {
  int one = 1, sum;
  MPI_Op op = rank > 1 ? MPI_MAX : MPI_SUM;
  MPI_Request request;
#if MPI_VERSION >= 4
  if (is_persistent) {
    MPI_Allreduce_init(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
  }
#endif
  if (!is_persistent) MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (is_persistent) MPI_Request_free(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("went on\n");
}

// The last two processes complete their call when the error of the first two has been reported.
static void slowly(void) {
  int one = 1, sum, found;
  MPI_Request request;
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, rank > 1 ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD, &request);
  for (double until = MPI_Wtime() + 3; rank > 1 && MPI_Wtime() < until; usleep(2000))
    MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void file(void) {
  MPI_File file;
  MPI_Request request;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "disable");
  MPI_File_open(MPI_COMM_WORLD, "made", MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_Info_free(&info);
  if (rank > 1) MPI_File_seek(file, 4 * rank, MPI_SEEK_SET);
  if (rank > 1)
    MPI_File_iwrite_all(file, &rank, 1, MPI_INT, &request);
  else
    MPI_File_iwrite_at_all(file, 4 * rank, &rank, 1, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
}

static void *reduced(void *unused) {
  reduce(MPI_SUM);
  return unused;
}

// Threads share a communicator, and processes send packed data: both are correct.
static void threads(void) {
  pthread_t thread;
  char packed[64];
  int values[3] = {0}, at = 0;
  MPI_Request request;
  pthread_create(&thread, NULL, reduced, NULL);
  pthread_join(thread, NULL);
  reduce(MPI_SUM);
  if (rank) {
    MPI_Ibcast(values, 3, MPI_INT, 0, MPI_COMM_WORLD, &request);
  } else {
    MPI_Pack(values, 3, MPI_INT, packed, sizeof packed, &at, MPI_COMM_WORLD);
    MPI_Ibcast(packed, at, MPI_PACKED, 0, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void groups(void) {
  MPI_Group world, some;
  MPI_Comm made = MPI_COMM_NULL;
  int members[3] = {0, 1, rank > 1 ? 2 : 3};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 3, members, &some);
  int code = MPI_Comm_create(MPI_COMM_WORLD, some, &made), class;
  MPI_Error_class(code, &class);
  if (rank == 0) printf("%s\n", class == MPI_SUCCESS ? "made" : "not made");
  MPI_Group_free(&some);
  MPI_Group_free(&world);
}

int main(int argc, char **argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (argc > 1 && !strcmp(argv[1], "twice")) twice();
  if (argc > 1 && !strcmp(argv[1], "groups")) groups();
  if (argc > 1 && !strcmp(argv[1], "later")) later(argc > 2);
  if (argc > 1 && !strcmp(argv[1], "slowly")) slowly();
  if (argc > 1 && !strcmp(argv[1], "file")) file();
  if (argc > 1 && !strcmp(argv[1], "threads")) threads();
  if (argc > 1 && !strcmp(argv[1], "many"))
    for (int turn = 0; turn < 20; turn++) reduce(rank > 1 ? MPI_MAX : MPI_SUM);
  MPI_Finalize();
  return 0;
}
