// SPDX-License-Identifier: MIT
// All kinds of accesses to small buffers without a protected page. A comment that begins with a
// colon is the expected finding for its line; other lines have none. One process.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 16 };
typedef int Eight __attribute__((vector_size(32), aligned(4)));

static struct {
  int before[2], cells[N], after[2]; // two of four cells are the buffer's
} _Alignas(64) all;
static int *const cells = all.cells, other[N] = {9, 9, 9, 9, 9, 9, 9, 9};
static char *const bytes = (char *)all.cells;
static MPI_Datatype pairs;

static void *store(void *at) {
  *(int *)at = 9;
  return NULL;
}
static void by_a_thread(int *at) {
  pthread_t thread;
  pthread_create(&thread, NULL, store, at);
  pthread_join(thread, NULL);
}
static void store_word(int first) { // two cells
  *(volatile uint64_t *)&all.cells[first] = 0x900000009;
}
__attribute__((target("avx"))) static void store_vector(int first) {
  *(volatile Eight *)&cells[first] = (Eight){9, 9, 9, 9, 9, 9, 9, 9};
}

static void complete(MPI_Request *request) {
  int in[N / 2];
  MPI_Recv(in, N / 2, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(request, MPI_STATUS_IGNORE);
}
static void receive(MPI_Request *request) {
  MPI_Send(other, N / 2, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(request, MPI_STATUS_IGNORE);
}

// Each access has its own function, whose line appears in the report.
#define SENT(NAME, ...)                                                                            \
  static void NAME(void) {                                                                         \
    MPI_Request request;                                                                           \
    memset(&all, 0, sizeof all);                                                                   \
    MPI_Issend(cells, 1, pairs, 0, 0, MPI_COMM_SELF, &request);                                    \
    __VA_ARGS__;                                                                                   \
    complete(&request);                                                                            \
  }
#define RECEIVED(NAME, ...)                                                                        \
  static void NAME(void) {                                                                         \
    MPI_Request request;                                                                           \
    MPI_Irecv(cells, 1, pairs, 0, 0, MPI_COMM_SELF, &request);                                     \
    __VA_ARGS__;                                                                                   \
    receive(&request);                                                                             \
  }

SENT(first_byte, bytes[0] = 9)                 //: [0][0](INT) was 0 and is 9
SENT(last_byte, bytes[14 * 4 - 1] = 9)         //: [3][1](INT) was 0 and is 150994944
SENT(beside_it, bytes[-1] = bytes[14 * 4] = 9) // before and behind
SENT(in_a_hole, cells[2] = cells[7] = cells[10] = 9)
SENT(into_it_from_before, store_word(-1))        //: [0][0](INT) was 0 and is 9
SENT(into_it_from_a_hole, store_word(3))         //: [1][0](INT) was 0 and is 9
SENT(out_of_it, store_word(9))                   //: [2][1](INT) was 0 and is 9
SENT(by_memcpy, memcpy(cells + 2, other, 16))    //: [1][0](INT) was 0 and is 9
SENT(by_vectors, store_vector(5))                //: [1][1](INT) was 0 and is 9
SENT(adds, __atomic_fetch_add(&cells[12], 9, 5)) //: [3][0](INT) was 0 and is 9
SENT(of_a_thread, by_a_thread(&cells[5]))        //: [1][1](INT) was 0 and is 9

RECEIVED(first_received, bytes[0] ^= 1)         //: [0][0](INT) holds
RECEIVED(last_received, bytes[14 * 4 - 1] ^= 1) //: [3][1](INT) holds
RECEIVED(beside_received, bytes[-1] = bytes[56] = 9)
RECEIVED(hole_received, cells[2] = cells[7] = cells[10] = 9)
RECEIVED(into_received, store_word(3))                        //: [1][0](INT) holds
RECEIVED(out_of_received, store_word(9))                      //: [2][1](INT) holds
RECEIVED(memcpy_received, memcpy(cells + 2, other, 16))       //: [1][0](INT) holds
RECEIVED(vectors_received, store_vector(5))                   //: [1][1](INT) holds
RECEIVED(adds_received, __atomic_fetch_add(&cells[12], 9, 5)) //: [3][0](INT) holds
RECEIVED(thread_received, by_a_thread(&cells[5]))             //: [1][1](INT) holds

static void (*const accesses[])(void) = {
    first_byte,          last_byte,       beside_it,       in_a_hole,      into_it_from_before,
    into_it_from_a_hole, out_of_it,       by_memcpy,       adds,           of_a_thread,
    first_received,      last_received,   beside_received, hole_received,  into_received,
    out_of_received,     memcpy_received, adds_received,   thread_received};

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Type_vector(4, 2, 4, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++) accesses[i]();
  if (__builtin_cpu_supports("avx")) {
    by_vectors();
    vectors_received();
  }
  MPI_Type_free(&pairs);
  MPI_Finalize();
  fputs("done\n", stdout);
  return 0;
}
