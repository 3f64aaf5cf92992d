// SPDX-License-Identifier: MIT
// A ring of requests to the system (io_uring), by system calls without the C library. With "late"
// the ring is created while a buffer's pages are protected, else before that. One process.
#include <fcntl.h>
#include <linux/io_uring.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, N = 8 * PAGE, ENTRIES = 4, SECTIONS = 3 };

static struct { char in[N], out[N], registered[N]; } _Alignas(PAGE) memory;
static struct io_uring_params parameters;
static struct io_uring_sqe *entries;
static char *submitted, *completed;
static int ring, file;

// Maps the rings as the library liburing does.
static long plainly(long number, long a, long b, long c, long d, long e, long f) {
  register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "+a"(number)
                   : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return number;
}

static char *map(size_t bytes, off_t what) {
  return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what);
}

static void make(int by_library) {
  long made = by_library ? syscall(SYS_io_uring_setup, ENTRIES, &parameters)
                         : plainly(SYS_io_uring_setup, ENTRIES, (long)&parameters, 0, 0, 0, 0);
  if (made < 0) {
    fputs("refused\n", stdout);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  ring = (int)made;
  entries = (void *)map(ENTRIES * sizeof *entries, IORING_OFF_SQES);
  submitted = map(PAGE, IORING_OFF_SQ_RING);
  completed = map(PAGE, IORING_OFF_CQ_RING);
  struct iovec all = {memory.registered, N};
  if (plainly(SYS_io_uring_register, ring, IORING_REGISTER_BUFFERS, (long)&all, 1, 0, 0))
    fputs("not registered\n", stdout);
}

// Waits for the result of the request.
static int request(int what, void *at, unsigned bytes) {
  uint32_t *tail = (uint32_t *)(submitted + parameters.sq_off.tail);
  uint32_t *places = (uint32_t *)(submitted + parameters.sq_off.array);
  uint32_t *head = (uint32_t *)(completed + parameters.cq_off.head), next = *tail % ENTRIES;
  uint32_t mask = *(uint32_t *)(completed + parameters.cq_off.ring_mask);
  entries[next] = (struct io_uring_sqe){
      .opcode = (uint8_t)what, .fd = file, .addr = (uintptr_t)at, .len = bytes};
  places[next] = next;
  __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
  plainly(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, 0, 0);
  struct io_uring_cqe *all = (struct io_uring_cqe *)(completed + parameters.cq_off.cqes);
  int result = all[*head & mask].res;
  __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
  return result;
}

static void start(MPI_Request *requests, char *in, char *out) {
  MPI_Irecv(in, N, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Issend(out, N, MPI_CHAR, 0, 2, MPI_COMM_SELF, &requests[1]);
}

static void end(MPI_Request *requests, char value) {
  static char other[N];
  memset(other, value, N);
  MPI_Send(other, N, MPI_CHAR, 0, 1, MPI_COMM_SELF);
  MPI_Recv(other, N, MPI_CHAR, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Request requests[2];
  int is_late = argc > 1 && strcmp(argv[1], "late") == 0;
  char name[] = "/tmp/mpipp-ring-XXXXXX";
  MPI_Init(&argc, &argv);
  file = mkstemp(name);
  unlink(name);
  memset(memory.out, 'o', N);
  if (!is_late) make(0);
  start(requests, memory.in, memory.out);
  if (is_late) make(1);
  printf("%d written\n", request(IORING_OP_WRITE, memory.out, N));
  if (is_late) printf("%d read\n", request(IORING_OP_READ, memory.in, 5)); // an error
  end(requests, 'a');
  printf("%c%c\n", memory.in[0], memory.in[N - 1]);
  start(requests, memory.registered, memory.out);
  end(requests, 'b');
  printf("%c\n", memory.registered[N - 1]);
  // The memory is registered: if the guard exchanged its pages, the kernel would read into others.
  printf("%d read\n", request(IORING_OP_READ_FIXED, memory.registered, N));
  printf("%c\n", memory.registered[N - 1]);
  start(requests, memory.in, memory.out);
  printf("%d read\n", request(IORING_OP_READ, memory.in + 7, 5)); // an error
  end(requests, 'c');
  printf("%c\n", memory.in[7]);
  MPI_Finalize();
  return 0;
}
