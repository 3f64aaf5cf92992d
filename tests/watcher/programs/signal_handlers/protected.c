// SPDX-License-Identifier: MIT
// The program itself protects buffers, before, during and after an operation. Its signal handler
// must see stores there. One process.
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

enum { N = 1 << 13, KINDS = 4 };

static _Alignas(4096) double data[KINDS][N], in[N];
static volatile int handled;

static void handle(int number, siginfo_t *info, void *unused) {
  (void)number, (void)unused;
  double *at = info->si_addr;
  int kind = (int)((at - data[0]) / N);
  handled++;
  mprotect(data[kind], sizeof *data, PROT_READ | PROT_WRITE);
}

static void protect(int kind) {
  if (kind == 3)
    pkey_mprotect(data[kind], sizeof *data, PROT_READ, -1);
  else
    mprotect(data[kind], sizeof *data, PROT_READ);
}

static void end(MPI_Request *request, int kind, double first) {
  MPI_Recv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (in[0] != first || in[N - 1] != kind) printf("%d: %g %g\n", kind, in[0], in[N - 1]);
}

static void store(int kind, double value) {
  int before = handled;
  data[kind][0] = value;
  if (handled != before + 1 || data[kind][0] != value) printf("%d: not handled\n", kind);
}

static void exchange(int kind) {
  MPI_Request request;
  for (int round = 0; round < 2; round++) {
    double first = data[kind][0];
    MPI_Isend(data[kind], N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    if (round && kind == 1) protect(kind);
    end(&request, kind, first);
    if (round == 0 && kind != 1) protect(kind);
  }
  store(kind, 5);
  MPI_Isend(data[kind], N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  end(&request, kind, 5);
  protect(kind);
  store(kind, 6);
}

static void persistent(int kind) {
  MPI_Request request;
  MPI_Send_init(data[kind], N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  for (int round = 0; round < 3; round++) {
    MPI_Start(&request);
    end(&request, kind, round == 2 ? 5 : kind);
    if (round == 0) protect(kind);
    if (round == 1) store(kind, 5);
  }
  MPI_Request_free(&request);
}

// When the request is freed, the guard must not copy MPI's data into the buffer again.
static void received(void) {
  MPI_Request request;
  MPI_Recv_init(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  for (int round = 0; round < 2; round++) {
    MPI_Start(&request);
    MPI_Send(data[1], N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (in[N - 1] != data[1][N - 1]) printf("received %g\n", in[N - 1]);
    mprotect(in, sizeof in, PROT_READ);
    if (!round) mprotect(in, sizeof in, PROT_READ | PROT_WRITE);
  }
  MPI_Request_free(&request);
  mprotect(in, sizeof in, PROT_READ | PROT_WRITE);
}

int main(int argc, char **argv) {
  struct sigaction own = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  MPI_Init(&argc, &argv);
  for (int kind = 0; kind < KINDS; kind++)
    for (int i = 0; i < N; i++) data[kind][i] = kind;
  sigaction(SIGSEGV, &own, NULL);
  exchange(0);
  exchange(1);
  persistent(2);
  exchange(3);
  received();
  printf("handled %d\n", handled);
  MPI_Finalize();
  return 0;
}
