// SPDX-License-Identifier: MIT
// Calls that are wrong in one process: with --on-error handler MPI does not see them. Prints for
// each row the error class that the call returned, and the error handlers that got this class. Two
// processes. The arguments of the rows must not change.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, numbers[16], more[16];
static char heard[120];
static const char *path;
static MPI_Comm alone, both, between; // of one process; of two; between two
static MPI_Win win;
static MPI_File file;
static MPI_Group all;

#define ROW(NAME) static int NAME(void)

static void hear(const char *who) {
  strcat(strcat(heard, " "), who);
}
static void told_of_comm(MPI_Comm *comm, int *code, ...) {
  (void)code;
  hear(*comm == alone           ? "alone"
       : *comm == both          ? "both"
       : *comm == between       ? "between"
       : *comm == MPI_COMM_SELF ? "self"
                                : "world");
}
static void told_of_win(MPI_Win *of, int *code, ...) {
  (void)code;
  hear(*of == win ? "win" : "another window");
}
static void told_of_file(MPI_File *of, int *code, ...) {
  (void)code;
  hear(*of == MPI_FILE_NULL ? "no file" : "file");
}

ROW(negative_count) {
  return MPI_Send(numbers, -1, MPI_INT, 0, 1, alone);
}
ROW(no_rank) {
  return MPI_Send(numbers, 1, MPI_INT, 7, 1, alone);
}
ROW(negative_tag) {
  return MPI_Send(numbers, 1, MPI_INT, 0, -7, alone);
}
ROW(uncommitted) {
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  int code = MPI_Send(numbers, 1, type, 0, 1, alone);
  MPI_Type_free(&type);
  return code;
}
ROW(operation) {
  return MPI_Allreduce(numbers, more, 1, MPI_DOUBLE, MPI_BAND, alone);
}
ROW(aliased) {
  return MPI_Sendrecv(numbers, 4, MPI_INT, 0, 1, numbers, 4, MPI_INT, 0, 1, alone,
                      MPI_STATUS_IGNORE);
}
ROW(freed_comm) {
  MPI_Comm copy, gone;
  MPI_Comm_dup(alone, &copy);
  gone = copy;
  MPI_Comm_free(&copy);
  return MPI_Barrier(gone);
}
ROW(predefined) {
  MPI_Comm world = MPI_COMM_WORLD;
  return MPI_Comm_free(&world);
}
ROW(constructor) {
  MPI_Datatype type;
  return MPI_Type_vector(-1, 1, 1, MPI_INT, &type);
}
ROW(group) {
  MPI_Group part;
  int ranks[] = {9};
  return MPI_Group_incl(all, 1, ranks, &part);
}
static void complete(MPI_Request *received) {
  MPI_Send(more, 4, MPI_INT, 0, 2, alone);
  MPI_Wait(received, MPI_STATUS_IGNORE);
}
// Makes several calls of a row in both processes; returns the code of all, or one that differs.
static int codes[16], made_calls;
#define CALL(MADE) MPI_Barrier(both), codes[made_calls++] = (MADE)
static int alike(void) {
  int count = made_calls;
  made_calls = 0;
  for (int i = 1; i < count; i++) {
    if (codes[i] != codes[0]) return codes[i];
  }
  return codes[0];
}
ROW(two_groups) {
  MPI_Request request;
  MPI_Comm made;
  MPI_Win window;
  MPI_File opened;
  int one = 1, none = 0, *base;
  CALL(MPI_Scan(numbers, more, 4, MPI_INT, MPI_SUM, between));
  CALL(MPI_Iexscan(numbers, more, 4, MPI_INT, MPI_SUM, between, &request));
  CALL(MPI_Cart_create(between, 1, &one, &none, 0, &made));
  CALL(MPI_Graph_create(between, 1, &one, &none, 0, &made));
  CALL(MPI_Dist_graph_create_adjacent(between, 0, NULL, MPI_UNWEIGHTED, 0, NULL, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &made));
  CALL(MPI_Win_create(numbers, 4, 1, MPI_INFO_NULL, between, &window));
  CALL(MPI_Win_allocate(4, 1, MPI_INFO_NULL, between, &base, &window));
  CALL(MPI_File_open(between, path, MPI_MODE_RDWR, MPI_INFO_NULL, &opened));
  CALL(MPI_Comm_create_group(between, all, 0, &made));
  CALL(MPI_Intercomm_create(between, 0, both, !rank, 0, &made));
  return alike();
}
ROW(one_group) {
  MPI_Comm made;
  MPI_Group group;
  int size;
  CALL(MPI_Intercomm_merge(both, rank, &made));
  CALL(MPI_Comm_remote_size(both, &size));
  CALL(MPI_Comm_remote_group(both, &group));
  return alike();
}
// The second receive is rejected each time the program calls it.
ROW(overlap) {
  MPI_Request received, other;
  int code = MPI_SUCCESS;
  MPI_Irecv(numbers, 4, MPI_INT, 0, 2, alone, &received);
  for (int i = 0; i < 3; i++) code = MPI_Irecv(numbers + 2, 4, MPI_INT, 0, 3, alone, &other);
  complete(&received);
  return code;
}
ROW(started_overlap) {
  MPI_Request received, other;
  MPI_Recv_init(numbers + 2, 4, MPI_INT, 0, 3, alone, &other);
  MPI_Irecv(numbers, 4, MPI_INT, 0, 2, alone, &received);
  int code = MPI_Start(&other);
  if (code == MPI_SUCCESS) MPI_Send(more, 4, MPI_INT, 0, 3, alone); // it has not been refused
  MPI_Wait(&other, MPI_STATUS_IGNORE);
  complete(&received);
  MPI_Request_free(&other);
  return code;
}
ROW(not_persistent) {
  MPI_Request received;
  MPI_Irecv(numbers, 4, MPI_INT, 0, 2, alone, &received);
  int code = MPI_Start(&received);
  complete(&received);
  return code;
}
ROW(completed) {
  MPI_Request received, copy;
  MPI_Irecv(numbers, 4, MPI_INT, 0, 2, alone, &received);
  copy = received;
  complete(&received);
  return MPI_Wait(&copy, MPI_STATUS_IGNORE);
}
ROW(null_given_up) {
  MPI_Request none = MPI_REQUEST_NULL;
  int code = MPI_Cancel(&none);
  return code == MPI_SUCCESS ? code : MPI_Request_free(&none);
}
ROW(null_window) {
  MPI_Win window;
  return MPI_Win_create(NULL, 8, 1, MPI_INFO_NULL, alone, &window);
}
ROW(outside) {
  MPI_Win_fence(0, win);
  int code = MPI_Put(more, 4, MPI_INT, rank, 14, 4, MPI_INT, win);
  MPI_Win_fence(0, win);
  return code;
}
ROW(written) {
  return MPI_File_write(file, numbers, -1, MPI_INT, MPI_STATUS_IGNORE);
}
ROW(split) {
  MPI_File_write_all_begin(file, numbers, 4, MPI_INT);
  int code = MPI_File_write_all_begin(file, more, 4, MPI_INT);
  MPI_File_write_all_end(file, numbers, MPI_STATUS_IGNORE);
  return code;
}
ROW(no_file) {
  return MPI_File_write(MPI_FILE_NULL, numbers, 1, MPI_INT, MPI_STATUS_IGNORE);
}
// One process makes the wrong call: it does not begin in any process.
ROW(one_of_two) {
  return MPI_Bcast(numbers, rank ? -1 : 4, MPI_INT, 0, both);
}
ROW(one_of_two_types) {
  MPI_Datatype type;
  MPI_Type_contiguous(1, MPI_INT, &type);
  if (rank) MPI_Type_commit(&type);
  int code = MPI_Allgather(more, 1, type, numbers, 1, MPI_INT, both);
  MPI_Type_free(&type);
  return code;
}
// MPI gets a call that is correct, or only may be wrong.
ROW(warned) {
  MPI_Comm freed;
  MPI_Request received;
  MPI_Comm_dup(alone, &freed);
  MPI_Irecv(more, 4, MPI_INT, 0, 2, freed, &received);
  MPI_Send(more + 8, 4, MPI_INT, 0, 2, freed);
  int code = MPI_Comm_free(&freed);
  MPI_Wait(&received, MPI_STATUS_IGNORE);
  return code;
}
// The last two of many requests are equal.
ROW(many_twice) {
  MPI_Request requests[70], last;
  for (int i = 0; i < 70; i++) MPI_Irecv(NULL, 0, MPI_INT, 0, 4, alone, &requests[i]);
  for (int i = 0; i < 70; i++) MPI_Send(NULL, 0, MPI_INT, 0, 4, alone);
  last = requests[69];
  requests[69] = requests[68];
  int code = MPI_Waitall(70, requests, MPI_STATUSES_IGNORE);
  requests[69] = last;
  MPI_Waitall(70, requests, MPI_STATUSES_IGNORE);
  return code;
}
// mpipp also checks the handles of calls that only query.
ROW(null_rank) {
  int own;
  return MPI_Comm_rank(MPI_COMM_NULL, &own);
}
ROW(null_beside) {
  int result;
  return MPI_Comm_compare(alone, MPI_COMM_NULL, &result);
}
ROW(freed_size) {
  MPI_Datatype type, gone;
  int size;
  MPI_Type_contiguous(2, MPI_INT, &type);
  gone = type;
  MPI_Type_free(&type);
  return MPI_Type_size(gone, &size);
}
// Rejected calls did not take part: each send is compared with the receive that got it.
ROW(compared) {
  float received[4];
  return MPI_Sendrecv(more, 4, MPI_INT, 0, 8, received, 4, MPI_FLOAT, 0, 8, alone,
                      MPI_STATUS_IGNORE);
}
ROW(right) {
  MPI_Status status;
  MPI_Barrier(both);
  return MPI_Sendrecv(more, 4, MPI_INT, !rank, 1, more + 8, 4, MPI_INT, !rank, 1, both, &status);
}

#define ENTRY(NAME)                                                                                \
  { #NAME, NAME }
static const struct {
  const char *name;
  int (*run)(void);
} rows[] = {
    ENTRY(negative_count), ENTRY(no_rank),
    ENTRY(negative_tag),   ENTRY(uncommitted),
    ENTRY(operation),      ENTRY(aliased),
    ENTRY(freed_comm),     ENTRY(predefined),
    ENTRY(constructor),    ENTRY(group),
    ENTRY(overlap),        ENTRY(started_overlap),
    ENTRY(not_persistent), ENTRY(completed),
    ENTRY(null_given_up),  ENTRY(null_window),
    ENTRY(outside),        ENTRY(written),
    ENTRY(split),          ENTRY(no_file),
    ENTRY(one_of_two),     ENTRY(one_of_two_types),
    ENTRY(many_twice),     ENTRY(null_rank),
    ENTRY(null_beside),    ENTRY(freed_size),
    ENTRY(two_groups),     ENTRY(one_group),
    ENTRY(warned),         ENTRY(compared),
    ENTRY(right),
};

static const char *named(int code) {
  static const struct {
    int class;
    const char *name;
  } classes[] = {
      {MPI_SUCCESS, "success"},       {MPI_ERR_COUNT, "count"}, {MPI_ERR_RANK, "rank"},
      {MPI_ERR_TAG, "tag"},           {MPI_ERR_TYPE, "type"},   {MPI_ERR_OP, "op"},
      {MPI_ERR_BUFFER, "buffer"},     {MPI_ERR_COMM, "comm"},   {MPI_ERR_ARG, "arg"},
      {MPI_ERR_REQUEST, "request"},   {MPI_ERR_IO, "io"},       {MPI_ERR_FILE, "file"},
      {MPI_ERR_RMA_RANGE, "outside"},
  };
  int class;
  MPI_Error_class(code, &class);
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
    if (classes[i].class == class) return classes[i].name;
  }
  return "another class";
}

// Rank 0 prints the results of both processes in one line.
static void tell(const char *what, int code) {
  char own[128], other[128];
  snprintf(own, sizeof own, "%s%s", named(code), heard);
  for (int i = 0; i < 16; i++) {
    if (numbers[i] != i) strcpy(own, "changed");
  }
  if (rank) MPI_Send(own, sizeof own, MPI_CHAR, 0, 9, MPI_COMM_WORLD);
  if (rank) return;
  MPI_Recv(other, sizeof other, MPI_CHAR, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("%s: %s; %s\n", what, own, other);
  fflush(stdout);
}

static void handle(void) {
  MPI_Errhandler of_comm, of_win, of_file;
  MPI_Comm_create_errhandler(told_of_comm, &of_comm);
  MPI_Win_create_errhandler(told_of_win, &of_win);
  MPI_File_create_errhandler(told_of_file, &of_file);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_comm);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, of_comm);
  MPI_Comm_set_errhandler(alone, of_comm);
  MPI_Comm_set_errhandler(both, of_comm);
  MPI_Comm_set_errhandler(between, of_comm);
  MPI_Win_set_errhandler(win, of_win);
  MPI_File_set_errhandler(file, of_file);
  MPI_File_set_errhandler(MPI_FILE_NULL, of_file);
  MPI_Errhandler_free(&of_comm);
  MPI_Errhandler_free(&of_win);
  MPI_Errhandler_free(&of_file);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  path = argv[1];
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_dup(MPI_COMM_WORLD, &both);
  MPI_Intercomm_create(alone, 0, MPI_COMM_WORLD, !rank, 0, &between);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  if (argc < 3) handle(); // otherwise the job ends
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (argc > 3 && strcmp(argv[3], rows[i].name) != 0) continue;
    *heard = '\0';
    for (int k = 0; k < 16; k++) numbers[k] = more[k] = k;
    int code = rows[i].run();
    for (int k = 0; k < 6; k++) numbers[k] = k; // a row receives into it to complete operations
    tell(rows[i].name, code);
  }
  MPI_File_close(&file);
  MPI_Win_free(&win);
  MPI_Group_free(&all);
  MPI_Comm_free(&between);
  MPI_Comm_free(&both);
  MPI_Comm_free(&alone);
  MPI_Finalize();
}
