// SPDX-License-Identifier: MIT
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *sleep_on(void *unused) {
  for (;;) pause();
  return unused;
}

// Some libraries start threads before main, when they are loaded, such as UCX.
static void start_threads(void) {
  for (int i = 0; i < 6; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, sleep_on, NULL);
  }
}

__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = start_threads;

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  puts("passed");
  MPI_Finalize();
  return 0;
}
