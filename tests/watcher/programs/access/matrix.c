// SPDX-License-Identifier: MIT
// All kinds of accesses to pages of pending operations. A comment that begins with a colon is the
// expected finding for its line; other lines have none. One process.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 4096, N = 2 * PAGE / 8 };
typedef double Four __attribute__((vector_size(32), aligned(8)));

static struct {
  char before[PAGE];
  double cells[4 * N]; // two pages, two that are a hole, and so on
  char after[PAGE];
} _Alignas(PAGE) all;
static double *const cells = all.cells, in[2 * N];
static char *const bytes = (char *)all.cells;
static volatile double sink;
static MPI_Datatype halves, unlike; // blocks: equal, and not

// Stores to a send buffer.

static void first_byte(void) {
  bytes[0] = 1; //: stores to buf(VECTOR)[0][0](DOUBLE)
}
static void last_byte(void) {
  bytes[6 * PAGE - 1] = 1; //: stores to buf(VECTOR)[1][1023](DOUBLE)
}
static void before_and_behind(void) {
  bytes[-1] = 1;
  bytes[6 * PAGE] = 1;
}
static void in_a_hole(void) {
  cells[N] = cells[2 * N - 1] = 1;
}
static void across_pages(void) {
  *(volatile uint64_t *)(bytes + PAGE - 4) = 1; //: stores to buf(VECTOR)[0][511](DOUBLE)
}
static void into_it_from_before(void) {
  *(volatile uint64_t *)(bytes - 4) = 1; //: stores to buf(VECTOR)[0][0](DOUBLE)
}
static void into_it_from_the_hole(void) {
  *(volatile uint64_t *)(bytes + 4 * PAGE - 3) = 1; //: stores to buf(VECTOR)[1][0](DOUBLE)
}
static void out_of_it(void) {
  *(volatile uint64_t *)(bytes + 2 * PAGE - 4) = 1; //: stores to buf(VECTOR)[0][1023](DOUBLE)
}
static void by_memset(void) {
  memset(cells + 100, (int)sink, 1000); //: stores to buf(VECTOR)[0][100](DOUBLE)
}
static void by_memcpy(void) {
  memcpy(&cells[2 * N + 7], in, 8 * sizeof *in); //: stores to buf(VECTOR)[1][7](DOUBLE)
}
__attribute__((target("avx"))) static void by_vectors(void) {
  *(volatile Four *)&cells[40] = (Four){1, 2, 3, 4}; //: stores to buf(VECTOR)[0][40](DOUBLE)
}
static void atomically(void) {
  uint64_t *word = (uint64_t *)&cells[9];
  __atomic_fetch_add(word, 1, __ATOMIC_SEQ_CST); //: stores to buf(VECTOR)[0][9](DOUBLE)
}
static void *store(void *at) {
  *(double *)at = 1; //: stores to buf(VECTOR)[0][11](DOUBLE)
  return NULL;
}
static void by_a_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, store, &cells[11]);
  pthread_join(thread, NULL);
}
static void loads_are_right(void) {
  sink += cells[0] + cells[2 * N];
}

// Loads from a receive buffer.

static void load_first_byte(void) {
  sink += bytes[0]; //: loads buf(VECTOR)[0][0](DOUBLE)
}
static void load_last_byte(void) {
  sink += bytes[6 * PAGE - 1]; //: loads buf(VECTOR)[1][1023](DOUBLE)
}
static void load_across_pages(void) {
  sink += (double)*(volatile uint64_t *)(bytes + PAGE - 4); //: loads buf(VECTOR)[0][511](DOUBLE)
}
static void load_in_a_hole(void) {
  sink += cells[N] + cells[2 * N - 1] + bytes[-1];
}
static void load_by_memcpy(void) {
  memcpy(in, &cells[2 * N + 7], 8 * sizeof *in); //: loads buf(VECTOR)[1][7](DOUBLE)
}
__attribute__((target("avx"))) static void load_by_vectors(void) {
  Four four = *(volatile Four *)&cells[40]; //: loads buf(VECTOR)[0][40](DOUBLE)
  sink += four[1];
}
static void load_atomically(void) {
  uint64_t *word = (uint64_t *)&cells[9];
  sink += (double)__atomic_load_n(word, __ATOMIC_SEQ_CST); //: loads buf(VECTOR)[0][9](DOUBLE)
}
static void *load(void *at) {
  sink += *(double *)at; //: loads buf(VECTOR)[0][11](DOUBLE)
  return NULL;
}
static void load_by_a_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, load, &cells[11]);
  pthread_join(thread, NULL);
}

// Blocks of different lengths: the pages of the blocks, and the memory between them.
static void into_a_list(void) {
  cells[700] = cells[2300] = cells[3003] = 1;
  cells[1600] = 1; //: stores to buf(INDEXED)[1][476](DOUBLE)
  bytes[7] = 1;    //: stores to buf(INDEXED)[0][0](DOUBLE)
}
static void load_from_a_list(void) {
  sink += cells[700] + cells[2300] + cells[3003];
  sink += cells[1601]; //: loads buf(INDEXED)[1][477](DOUBLE)
}

static void (*const stores[])(void) = {first_byte,
                                       last_byte,
                                       before_and_behind,
                                       in_a_hole,
                                       across_pages,
                                       into_it_from_before,
                                       into_it_from_the_hole,
                                       out_of_it,
                                       by_memset,
                                       by_memcpy,
                                       by_vectors,
                                       atomically,
                                       by_a_thread,
                                       loads_are_right};
static void (*const loads[])(void) = {load_first_byte, load_last_byte,  load_across_pages,
                                      load_in_a_hole,  load_by_memcpy,  load_by_vectors,
                                      load_atomically, load_by_a_thread};

static void while_sent(void (*access)(void), MPI_Datatype type) {
  MPI_Request request;
  MPI_Issend(cells, 1, type, 0, 0, MPI_COMM_SELF, &request);
  access();
  MPI_Recv(in, 2 * N, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void while_received(void (*access)(void), MPI_Datatype type) {
  MPI_Request request;
  MPI_Irecv(cells, 1, type, 0, 0, MPI_COMM_SELF, &request);
  access();
  MPI_Send(in, type == halves ? 2 * N : 1803, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Type_vector(2, N, 2 * N, MPI_DOUBLE, &halves);
  MPI_Type_commit(&halves);
  MPI_Type_indexed(3, (int[]){700, 1100, 3}, (int[]){0, 1124, 3000}, MPI_DOUBLE, &unlike);
  MPI_Type_commit(&unlike);
  int has_vectors = __builtin_cpu_supports("avx");
  for (unsigned i = 0; i < sizeof stores / sizeof *stores; i++)
    if (has_vectors || stores[i] != by_vectors) while_sent(stores[i], halves);
  for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++)
    if (has_vectors || loads[i] != load_by_vectors) while_received(loads[i], halves);
  while_sent(into_a_list, unlike);
  for (int i = 0; i < 2 * N; i++) in[i] = 0.5;
  while_received(load_from_a_list, unlike);
  if (cells[700] != 1 || cells[699] != 0.5 || cells[1124] != 0.5 || cells[3002] != 0.5)
    fputs("bad\n", stdout);
  MPI_Type_free(&unlike);
  MPI_Type_free(&halves);
  MPI_Finalize();
  fputs("done\n", stdout);
  return 0;
}
