// SPDX-License-Identifier: MIT
// A thread of the program fills pages when they are first used, and again when they have been
// dropped. One process.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, BYTES = 8 * PAGE };

static _Alignas(4096) char data[BYTES], in[BYTES], filled[PAGE];
static int file;

static void *fills(void *unused) {
  struct uffd_msg message;
  while (read(file, &message, sizeof message) == sizeof message) {
    uint64_t at = message.arg.pagefault.address & ~(uint64_t)(PAGE - 1);
    struct uffdio_copy copy = {.dst = at, .src = (uintptr_t)filled, .len = PAGE};
    ioctl(file, UFFDIO_COPY, &copy);
  }
  return unused;
}

static int registers(void) {
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register all = {.range = {(uintptr_t)data, BYTES},
                                .mode = UFFDIO_REGISTER_MODE_MISSING};
  file = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  return file >= 0 && !ioctl(file, UFFDIO_API, &api) && !ioctl(file, UFFDIO_REGISTER, &all);
}

static void sends(void) {
  MPI_Request request;
  MPI_Isend(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, &request);
  MPI_Recv(in, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  pthread_t thread;
  int provided;
  memset(filled, 7, sizeof filled);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  if (!registers()) {
    fputs("not allowed\n", stdout);
  } else {
    pthread_create(&thread, NULL, fills, NULL);
    pthread_detach(thread);
    sends();
    madvise(data, BYTES, MADV_DONTNEED);
    printf("%d %d\n", in[BYTES - 1], data[BYTES - 1]);
  }
  MPI_Finalize();
  return 0;
}
