// SPDX-License-Identifier: MIT
// The program has protected a page of a receive buffer against its own stores, and its handler of
// SIGSEGV sees the arrival of data. "opens": it opens the page; "leaves": it continues at another
// place. One process.
#define _GNU_SOURCE
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, N = 64 };

static _Alignas(PAGE) char page[PAGE];
static volatile int handled, opens;
static sigjmp_buf back;

static void handle(int number) {
  (void)number;
  handled++;
  mprotect(page, PAGE, PROT_READ | PROT_WRITE);
  if (!opens) siglongjmp(back, 1);
}

int main(int argc, char **argv) {
  MPI_Request request;
  char out[N];
  MPI_Init(&argc, &argv);
  opens = strcmp(argv[1], "opens") == 0;
  signal(SIGSEGV, handle);
  memset(out, 'x', N);
  MPI_Irecv(page, N, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  mprotect(page, PAGE, PROT_READ);
  if (!sigsetjmp(back, 1)) {
    MPI_Send(out, N, MPI_CHAR, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("%c%c ", page[0], page[N - 1]);
  }
  printf("%d\n", handled);
  fflush(stdout);
  MPI_Isend(out, N, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
