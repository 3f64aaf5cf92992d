// SPDX-License-Identifier: MIT
// Uses a buffer that is guarded while the alternate signal stack is as small as programs make them.
// Prints how many bytes below it were written. Usage: small_stack BYTES [thread]: size of that
// stack (0: none); in a thread that does not call MPI.
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { N = 8192, ROOM = 1 << 16, PAINT = 0x5a };
static _Alignas(4096) double out[N], in[N];
static _Alignas(4096) unsigned char room[ROOM];
static size_t bytes;

__attribute__((noinline)) static void store(void) {
  out[7] = 1;
}

__attribute__((noinline)) static void calls_store(void) {
  store();
  __asm__ volatile("");
}

static void *run(void *argument) {
  const stack_t small = {.ss_sp = room + ROOM - bytes, .ss_size = bytes};
  if (bytes && sigaltstack(&small, NULL)) perror("sigaltstack"), _Exit(2);
  calls_store();
  sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
  return argument;
}

int main(int argc, char **argv) {
  MPI_Request requests[2];
  int given;
  size_t written = 0;
  bytes = strtoul(argv[1], NULL, 10);
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given);
  memset(room, PAINT, ROOM);
  MPI_Issend(out, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[0]);
  if (argc > 2) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 16384); // PTHREAD_STACK_MIN
    pthread_create(&thread, &attributes, run, NULL);
    pthread_join(thread, NULL);
  } else {
    run(NULL);
  }
  for (size_t i = 0; i < ROOM - bytes; i++) written += room[i] != PAINT;
  MPI_Irecv(in, N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  printf("%zu bytes below, least %lu\n", bytes ? written : 0, getauxval(AT_MINSIGSTKSZ));
  MPI_Finalize();
  return 0;
}
