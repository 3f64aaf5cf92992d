// SPDX-License-Identifier: MIT
// Error handlers that jump out of MPI, and the next calls. These come from the same frame, from one
// further out, and from one further in, which overlaps the left frame.
#include <setjmp.h>

#include "probe.h"

static jmp_buf out;
static int memory[8], sent[8];
static MPI_Comm comm;

static void jump(MPI_Comm *failed, int *code, ...) {
  (void)failed, (void)code;
  longjmp(out, 1);
}

__attribute__((noinline)) static void fail(int deep) {
  volatile char frame[512];
  frame[0] = 0;
  if (deep) fail(deep - 1);
  MPI_Send(memory, 1, MPI_INT, 99, 1, comm);
  frame[1] = 0;
}

static void after(const char *stop) {
  MPI_Datatype made;
  MPI_Type_contiguous(3, MPI_INT, &made);
  SAY(made);
  look(stop);
  MPI_Type_free(&made);
}

// The calls of this function lie below an array that no code writes to.
__attribute__((noinline)) static void further_in(const char *stop) {
  volatile char unwritten[4000];
  __asm__ volatile("" : : "r"(unwritten) : "memory");
  after(stop);
}

// MPI calls this function: calls in it are not the program's.
static int copy(MPI_Comm from, int key, void *extra, void *in, void *out, int *flag) {
  MPI_Datatype inner;
  (void)from, (void)key, (void)extra, (void)in, (void)out;
  MPI_Type_contiguous(4, MPI_INT, &inner);
  SAY(inner);
  look("callback");
  MPI_Type_free(&inner);
  *flag = 0;
  return MPI_SUCCESS;
}

// A wait that fails: mpipp does not know whether the operation is complete.
static void waiting(void) {
  MPI_Request requests[3];
  MPI_Irecv(memory, 1, MPI_INT, 0, 5, comm, &requests[0]);
  MPI_Irecv(memory + 1, 1, MPI_INT, 0, 6, comm, &requests[1]);
  MPI_Irecv(memory + 2, 1, MPI_INT, 0, 7, comm, &requests[2]);
  MPI_Send(sent, 4, MPI_INT, 0, 5, comm); // the message is too long
  MPI_Send(sent, 1, MPI_INT, 0, 6, comm);
  look("three");
  if (!setjmp(out)) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  after("one");
}

int main(int argc, char **argv) {
  int key;
  MPI_Comm other;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  SAY(comm);
  if (!setjmp(out)) fail(0);
  after("same");
  if (!setjmp(out)) fail(5);
  after("out");
  if (!setjmp(out)) fail(2);
  further_in("in");
  if (!setjmp(out)) fail(5);
  PMPI_Barrier(MPI_COMM_SELF);
  after("profiling");
  if (argc > 1) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    waiting();
  }
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(comm, key, memory);
  MPI_Comm_dup(comm, &other);
  after("end");
  MPI_Finalize();
  return 0;
}
