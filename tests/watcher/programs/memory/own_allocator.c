// SPDX-License-Identifier: MIT
// The program has an allocator of its own, like jemalloc or tcmalloc. While it holds its lock it
// returns unused memory to the system, which then zeroes it. Its fork handler takes that lock. One
// thread starts operations, whose buffers are its memory; another allocates and frees, and one
// forks.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, SMALLEST = 6, LARGE = 17, SIZES = 30, BYTES = 1 << 20, TIMES = 15, MANY = 80 };
struct block {   // header of each block
  uint64_t size; // a power of two
  struct block *next, *base;
  uint64_t unused;
};

static _Alignas(4096) char pool[1 << 30];
static size_t used;
static struct block *unused[SIZES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_over, junk;

static void take(void) {
  pthread_mutex_lock(&lock);
}
static void give(void) {
  pthread_mutex_unlock(&lock);
}
// Registered before any library's handler, as by an allocator that is called before all else.
static void first(void) {
  pthread_atfork(take, give, give);
}
__attribute__((section(".preinit_array"), used)) static void (*const at_first)(void) = first;

static struct block *cut(uint64_t size) {
  size_t bytes = (size_t)1 << size;
  if (bytes >= PAGE) used = (used + PAGE - 1) & ~(size_t)(PAGE - 1);
  if (used + bytes > sizeof pool) return NULL;
  struct block *block = (void *)(pool + used);
  used += bytes;
  return block;
}

void *memalign(size_t aligned, size_t bytes) {
  uint64_t size = SMALLEST,
           more = sizeof(struct block) + (aligned > sizeof(struct block)) * aligned;
  while (size < SIZES && ((uint64_t)1 << size) < bytes + more) size++;
  if (size == SIZES) return NULL;
  take();
  struct block *base = unused[size];
  if (base)
    unused[size] = base->next;
  else
    base = cut(size);
  if (base) base->size = size;
  give();
  if (!base) return NULL;
  uint64_t at = ((uintptr_t)(base + 1) + aligned - 1) & ~(uint64_t)(aligned - 1);
  struct block *head = (struct block *)(uintptr_t)at - 1;
  head->base = base;
  return head + 1;
}

void *malloc(size_t bytes) {
  return memalign(sizeof(struct block), bytes);
}

void free(void *memory) {
  if (!memory) return;
  int saved = errno;
  struct block *base = ((struct block *)memory - 1)->base;
  take();
  if (base->size >= LARGE) madvise((char *)base + PAGE, (1u << base->size) - PAGE, MADV_DONTNEED);
  base->next = unused[base->size];
  unused[base->size] = base;
  give();
  errno = saved;
}

size_t malloc_usable_size(void *memory) {
  const struct block *head = (struct block *)memory - 1;
  return memory ? (size_t)((char *)head->base + ((uint64_t)1 << head->base->size) - (char *)memory)
                : 0;
}

void *calloc(size_t count, size_t bytes) {
  void *memory = malloc(count * bytes);
  return memory ? memset(memory, 0, count * bytes) : NULL;
}

void *realloc(void *memory, size_t bytes) {
  size_t before = malloc_usable_size(memory);
  if (memory && bytes <= before) return memory;
  void *now = malloc(bytes);
  if (now && memory) memcpy(now, memory, before);
  if (now) free(memory);
  return now;
}

int posix_memalign(void **memory, size_t aligned, size_t bytes) {
  return (*memory = memalign(aligned, bytes)) ? 0 : ENOMEM;
}
void *aligned_alloc(size_t aligned, size_t bytes) {
  return memalign(aligned, bytes);
}
void *valloc(size_t bytes) {
  return memalign(PAGE, bytes);
}

static void *allocates(void *unused_here) {
  (void)unused_here;
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    char *memory = malloc(BYTES);
    if (memory[BYTES / 2]) junk++;
    memset(memory, 1, BYTES);
    free(memory);
    usleep(100); // other threads must get the lock, too
  }
  return NULL;
}

static void *forks(void *unused_here) {
  (void)unused_here;
  while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
    pid_t child = fork();
    if (!child) _exit(0);
    waitpid(child, NULL, 0);
  }
  return NULL;
}

// Blocks that are not in the list yet, which has to be sorted.
static void exchange(int i) {
  int lengths[MANY], displacements[MANY], sum = 0;
  for (int k = 0; k < MANY; k++) {
    lengths[k] = BYTES / 128;
    displacements[k] = (MANY - 1 - k) * (BYTES / 88) + (k * k + i) % 64;
  }
  MPI_Datatype type;
  MPI_Request requests[4];
  char *out = calloc(1, BYTES), *in = malloc(BYTES), *sent = calloc(1, BYTES), *got = malloc(BYTES);
  out[BYTES / 2] = sent[displacements[3]] = (char)(i % 100);
  MPI_Type_indexed(MANY, lengths, displacements, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  MPI_Irecv(in, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Irecv(got, 1, type, 0, 1, MPI_COMM_SELF, &requests[1]);
  MPI_Isend(out, BYTES, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[2]);
  MPI_Isend(sent, 1, type, 0, 1, MPI_COMM_SELF, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  sum = in[BYTES / 2] + got[displacements[3]];
  if (sum != 2 * (i % 100)) printf("%d: %d\n", i, sum);
  MPI_Type_free(&type);
  free(out);
  free(in);
  free(sent);
  free(got);
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  exchange(0);
  pthread_create(&threads[0], NULL, allocates, NULL);
  pthread_create(&threads[1], NULL, argc > 1 ? forks : allocates, NULL);
  for (int i = 0; i < TIMES; i++) exchange(i);
  __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("done, %d\n", junk);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
