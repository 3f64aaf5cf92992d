// SPDX-License-Identifier: MIT
// Receives for more data than there is memory, although little data comes. The first argument
// selects the place; with a second one a similar correct case runs.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { HALF = 2 << 20, ALL = 2 * HALF };
static int right;

static MPI_Request sent;
static const int one[1] = {1};

static void send(void) {
  MPI_Isend(one, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &sent);
}

static void receive(void *to, int count, MPI_Datatype type) {
  send();
  MPI_Recv(to, count, type, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

// No memory is mapped beyond the first half.
static char *half(void) {
  int mode = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
  char *all = mmap(NULL, 2 * ALL, mode, kind, -1, 0);
  munmap(all + HALF, ALL);
  return all;
}

static void plain(void) {
  receive(half(), (right ? HALF : ALL) / sizeof(int), MPI_INT);
}

static void again(void) {
  char *to = half();
  for (int i = 0; i < 5; i++) receive(to, (i < 4 || right ? HALF : ALL) / sizeof(int), MPI_INT);
}

static void combined(void) {
  char *to = half();
  MPI_Datatype type;
  MPI_Type_contiguous(HALF / sizeof(int), MPI_INT, &type);
  MPI_Type_commit(&type);
  receive(to, right ? 1 : 2, type);
  MPI_Type_free(&type);
}

// The bytes between the blocks do not belong to the datatype.
static void holes(void) {
  MPI_Datatype type;
  MPI_Type_vector(2, HALF / sizeof(int), right ? 3 * HALF / sizeof(int) : HALF / sizeof(int),
                  MPI_INT, &type);
  MPI_Type_commit(&type);
  receive(half(), 1, type);
  MPI_Type_free(&type);
}

// This memory was not used before.
static __attribute__((noinline)) void stack(void) {
  char all[ALL];
  receive(all, ALL / sizeof(int), MPI_INT);
  if (all[0] != 1) fputs("nothing has come\n", stdout);
}

static void closed(void) {
  char *all = half();
  mmap(all + HALF, HALF, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  receive(all, ALL / sizeof(int), MPI_INT);
}

static const struct {
  const char *name;
  void (*run)(void);
} all[] = {{"plain", plain}, {"again", again}, {"combined", combined},
           {"holes", holes}, {"stack", stack}, {"closed", closed}};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  right = argc > 2;
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
    if (!strcmp(argv[1], all[i].name) || !strcmp(argv[1], "all")) all[i].run();
  }
  fputs("received\n", stdout); // one write, because the other process prints this line, too
  MPI_Finalize();
  return 0;
}
