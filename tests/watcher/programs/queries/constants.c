// SPDX-License-Identifier: MIT
// Receives into constants. The first argument selects how; with a second one a similar correct case
// runs.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, COUNT = 4 };
static const int table[COUNT] = {1, 2, 3, 4}, sent[COUNT] = {1};
static int variables[COUNT], numbers[COUNT];
static char *const names[] = {(char *)numbers, (char *)variables};
static const char pages[3 * PAGE] __attribute__((aligned(PAGE))) = {1};
static int rank, right;

static int receive(void *to, int count) {
  MPI_Request requests[2];
  MPI_Isend(sent, count, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
  int code = MPI_Irecv(to, count, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
  if (code) MPI_Irecv(numbers, count, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  return code;
}

// If this receive fails, the other process's message is received later.
static int received(void *to, int count, MPI_Datatype type) {
  int code = MPI_Recv(to, count, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (code) MPI_Recv(numbers, 16, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return code;
}

static int literal(void) {
  char *name = right ? strcpy((char *)numbers, "nobody") : "nobody";
  if (rank) return MPI_Send("sender", 7, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  return received(name, 7, MPI_CHAR);
}

static int bcast(void) {
  const int *given = right && rank ? variables : table;
  return MPI_Bcast((void *)given, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
}

static int get(void) {
  MPI_Win win;
  MPI_Win_create(numbers, sizeof numbers, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  int *to = right ? variables : (int *)table;
  int code = rank ? MPI_SUCCESS : MPI_Get(to, COUNT, MPI_INT, 1, 0, COUNT, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  return code;
}

static int relocated(void) {
  return receive(right ? names[1] : (char *)names, 2);
}

static int reduced(void) {
  int *to = right ? variables : (int *)table;
  for (int i = 0; i < 3; i++) MPI_Allreduce(table, numbers, COUNT, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  return MPI_Allreduce(numbers, to, COUNT, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

static int shares(void) {
  int *to = right ? variables : (int *)table, count = COUNT, none = 0;
  return MPI_Allgatherv(numbers, COUNT, MPI_INT, to, &count, &none, MPI_INT, MPI_COMM_SELF);
}

// The place was checked before, with variables as buffers.
static int again(void) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < 9 && !code; i++) {
    int *to = i < 8 || right ? variables : (int *)table;
    code = MPI_Sendrecv(sent, 2, MPI_INT, 0, 0, to, 2, MPI_INT, 0, 0, MPI_COMM_SELF,
                        MPI_STATUS_IGNORE);
  }
  return code;
}

// The bytes between are still constant: the last byte of the type is one, or not.
static int parts(void) {
  MPI_Datatype type;
  int code = MPI_SUCCESS;
  mprotect((void *)pages, PAGE, PROT_READ | PROT_WRITE);
  mprotect((char *)pages + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE);
  MPI_Type_vector(2, 8, right ? 2 * PAGE : PAGE, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  if (rank)
    MPI_Send(table, 16, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  else
    code = received((void *)pages, 1, type);
  MPI_Type_free(&type);
  return code;
}

// The memory is writable during the receive.
static int protected(void) {
  mprotect((void *)pages, sizeof pages, PROT_READ | PROT_WRITE);
  int code = receive((void *)pages, COUNT);
  mprotect((void *)pages, sizeof pages, PROT_READ);
  return code || pages[0] != 1;
}

static int nothing(void) {
  int code = receive((void *)table, 0);
  return code ? code
              : MPI_Recv((void *)table, COUNT, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
}

static const struct {
  const char *name;
  int (*run)(void);
} all[] = {{"literal", literal},     {"bcast", bcast},     {"get", get},
           {"relocated", relocated}, {"reduced", reduced}, {"shares", shares},
           {"again", again},         {"parts", parts},     {"protected", protected},
           {"nothing", nothing}};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  right = argc > 2;
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    if (strcmp(argv[1], all[i].name) && strcmp(argv[1], "all")) continue;
    int code = all[i].run(), error_class = code, of_other;
    if (code) MPI_Error_class(code, &error_class);
    MPI_Allreduce(&error_class, &of_other, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!rank)
      printf("%s: %s\n", all[i].name,
             of_other == MPI_ERR_BUFFER ? "buffer"
             : of_other                 ? "wrong"
                                        : "fine");
  }
  MPI_Finalize();
  return 0;
}
