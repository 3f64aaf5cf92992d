// SPDX-License-Identifier: MIT
// Windows on the program's own memory, in all kinds of places. The argument selects how the
// program uses the memory meanwhile. The accesses are ordered, except with "wrong". Two
// processes.
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 512, PAGES = 6, N = PAGE * PAGES, MANY = 64 * PAGE };
static struct { double before[20], memory[N], after[20]; } fixed;
static double mine[MANY], sent[MANY];
static MPI_Win win;
static int rank;

static void expect(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "rank %d: %s\n", rank, what);
  abort();
}
#define EXPECT(WHAT) expect(WHAT, #WHAT)

__attribute__((noinline)) static double sum(const double *of, long count) {
  double all = 0;
  for (long i = 0; i < count; i++) all += of[i];
  return all;
}

static MPI_Win make(void *memory, MPI_Aint bytes) {
  MPI_Win made;
#if MPI_VERSION >= 4
  static int number;
  if (number++ % 2) {
    MPI_Win_create_c(memory, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
    return made;
  }
#endif
  MPI_Win_create(memory, bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &made);
  return made;
}

static void fill(double *memory, long count) {
  for (long i = 0; i < count; i++) memory[i] = (double)(i % 7 + rank);
}

static int is_filled(const double *memory, long count) {
  for (long i = 0; i < count; i++)
    if (memory[i] != (double)(i % 7 + rank)) return 0;
  return 1;
}

// Rank 1 sums up the data that rank 0 puts, or reads other pages.
static double used(double *memory, int wrong) {
  double all = 0;
  fill(memory, N);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(mine, 8, MPI_DOUBLE, 1, 2 * PAGE + 4, 8, MPI_DOUBLE, win);
  if (rank == 1) all = sum(memory + (wrong ? 2 : 3) * PAGE, 10);
  MPI_Win_fence(0, win);
  all += sum(memory, N);
  if (rank == 1) EXPECT(memory[2 * PAGE + 4] == 1 && memory[2 * PAGE + 12] == 1036 % 7 + 1);
  return all;
}

static void use_all(double *memory, int wrong) {
  void *base = NULL;
  int has = 0;
  win = make(memory, N * sizeof *memory);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &has);
  EXPECT(has && base == memory);
  double all = used(memory, wrong);
  MPI_Win_free(&win);
  EXPECT(all > 0 && sum(memory, N) > 0);
}

static void in_static(int wrong) {
  fixed.before[19] = fixed.after[0] = 5;
  use_all(fixed.memory, wrong);
  EXPECT(fixed.before[19] == 5 && fixed.after[0] == 5);
}

static void in_block(int wrong) {
  double *memory = malloc(MANY * sizeof *memory);
  use_all(memory, wrong);
  // The block can grow as if it had never been a window.
  fill(memory, MANY);
  memory = realloc(memory, 4 * MANY * sizeof *memory);
  EXPECT(is_filled(memory, MANY));
  free(memory);
}

static void in_heap(int wrong) {
  char *before = malloc(64);
  double *memory = malloc(N * sizeof *memory);
  char *after = malloc(64);
  strcpy(before, "before");
  strcpy(after, "after");
  use_all(memory, wrong);
  EXPECT(!strcmp(before, "before") && !strcmp(after, "after"));
  free(before);
  free(after);
  free(memory);
}

static void on_stack(int wrong) {
  double memory[N];
  use_all(memory, wrong);
}

static void in_mapped(int wrong) {
  double *memory =
      mmap(NULL, N * sizeof *memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  use_all(memory, wrong);
  munmap(memory, N * sizeof *memory);
}

// Two windows have the same memory, one has none, and two are in one block.
static void several(int wrong) {
  double *memory = malloc(MANY * sizeof *memory), all = 0;
  MPI_Win none = make(NULL, 0), other = make(memory, N * sizeof *memory);
  MPI_Win rest = make(memory + MANY / 2, MANY / 2 * sizeof *memory);
  win = make(memory, N * sizeof *memory);
  all += used(memory, 0);
  MPI_Win_free(&win);
  win = other;
  all += used(memory, wrong);
  MPI_Win_fence(0, rest);
  if (rank == 0) MPI_Put(mine, 1, MPI_DOUBLE, 1, 3, 1, MPI_DOUBLE, rest);
  MPI_Win_fence(0, rest);
  if (rank == 1) EXPECT(memory[MANY / 2 + 3] == 1);
  MPI_Win_free(&other);
  MPI_Win_free(&rest);
  MPI_Win_free(&none);
  EXPECT(all > 0);
  free(memory);
}

// Two windows share a part of the memory. MPICH 4.0.2 mistakes one for the other.
static void overlap(int wrong) {
  double *memory = malloc(MANY * sizeof *memory), all = 0;
  MPI_Win part = make(memory + PAGE, 2 * N * sizeof *memory);
  win = make(memory, N * sizeof *memory);
  all += used(memory, wrong);
  MPI_Win_free(&win);
  MPI_Win_fence(0, part);
  if (rank == 0) MPI_Put(mine, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, part);
  MPI_Win_fence(0, part);
  if (rank == 1) EXPECT(memory[PAGE] == 1);
  MPI_Win_free(&part);
  EXPECT(all > 0);
  free(memory);
}

// A child process and its parent each have memory of their own.
static void forks(int wrong) {
  double *memory = malloc(MANY * sizeof *memory);
  int to_child[2], status = 1;
  char word = 0;
  win = make(memory, MANY * sizeof *memory);
  double all = used(memory, wrong);
  fill(memory, MANY);
  MPI_Win_fence(0, win);
  EXPECT(!pipe(to_child));
  pid_t child = fork();
  if (child == 0) {
    EXPECT(read(to_child[0], &word, 1) == 1 && is_filled(memory, MANY));
    memory[5] = -1;
    _exit(0);
  }
  memory[PAGE] = -2;
  EXPECT(write(to_child[1], &word, 1) == 1);
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  EXPECT(memory[5] == 5 + rank && memory[PAGE] == -2 && all > 0);
  MPI_Win_free(&win);
  child = fork();
  if (child == 0) {
    memory[5] = -1;
    _exit(0);
  }
  EXPECT(waitpid(child, &status, 0) == child && status == 0 && memory[5] == 5 + rank);
  free(memory);
  close(to_child[0]);
  close(to_child[1]);
}

// Messages that begin before the window exists, and are active when it has been freed.
static void messages(int wrong) {
  double *memory = malloc(4 * MANY * sizeof *memory), all = 0;
  MPI_Request pending, again;
  fill(sent, MANY);
  for (int before = 0; before < 2; before++) {
    MPI_Irecv(memory + MANY, MANY, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &pending);
    MPI_Recv_init(memory + 2 * MANY, MANY, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, &again);
    if (before) {
      MPI_Send(sent, MANY, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
      MPI_Wait(&pending, MPI_STATUS_IGNORE);
    }
    win = make(memory, 4 * MANY * sizeof *memory);
    all += used(memory, wrong && before);
    MPI_Start(&again);
    if (before) MPI_Irecv(memory + MANY, MANY, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &pending);
    MPI_Win_fence(0, win);
    memory[5] = 5; // pages are protected now
    MPI_Win_free(&win);
    fill(sent, MANY);
    MPI_Send(sent, MANY, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Send(sent, MANY, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    MPI_Request_free(&again);
    all += sum(memory + MANY, 2 * MANY);
    rank = 1 - rank;
    EXPECT(is_filled(memory + MANY, MANY) && is_filled(memory + 2 * MANY, MANY));
    rank = 1 - rank;
  }
  EXPECT(all > 0);
  free(memory);
}

// Messages that begin while the window exists.
static void outlives(int wrong) {
  double *memory = malloc(4 * MANY * sizeof *memory);
  MPI_Request pending, again;
  fill(sent, MANY);
  win = make(memory, 4 * MANY * sizeof *memory);
  double all = used(memory, wrong);
  MPI_Irecv(memory + MANY, MANY, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD, &pending);
  MPI_Recv_init(memory + 2 * MANY, MANY, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, &again);
  MPI_Win_free(&win);
  MPI_Start(&again);
  MPI_Send(sent, MANY, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD);
  MPI_Send(sent, MANY, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD);
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
  MPI_Wait(&again, MPI_STATUS_IGNORE);
  rank = 1 - rank;
  EXPECT(is_filled(memory + MANY, MANY) && is_filled(memory + 2 * MANY, MANY) && all > 0);
  rank = 1 - rank;
  MPI_Request_free(&again);
  memory = realloc(memory, 8 * MANY * sizeof *memory);
  rank = 1 - rank;
  EXPECT(is_filled(memory + MANY, MANY) && is_filled(memory + 2 * MANY, MANY));
  rank = 1 - rank;
  free(memory);
}

// A second window on memory that MPI allocated, or that a persistent request has as its buffer.
static void second(int wrong) {
  double *memory, *block = malloc(MANY * sizeof *memory), all = 0;
  MPI_Request pending;
  MPI_Win first;
  fill(sent, MANY);
  MPI_Win_allocate(MANY * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &first);
  win = make(memory, MANY * sizeof *memory);
  all += used(memory, wrong);
  MPI_Win_free(&win);
  MPI_Win_free(&first);
  first = make(block, MANY * sizeof *memory);
  MPI_Recv_init(block + MANY / 2, PAGE, MPI_DOUBLE, 1 - rank, 2, MPI_COMM_WORLD, &pending);
  win = make(block, MANY * sizeof *memory);
  for (int i = 0; i < 8; i++) {
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Put(sent, N, MPI_DOUBLE, 1, i * PAGE, N, MPI_DOUBLE, win);
    double until = MPI_Wtime() + 1e-3;
    while (rank == 1 && MPI_Wtime() < until) continue;
    MPI_Win_fence(0, win);
    if (rank == 1) EXPECT(block[i * PAGE + 5] == 5 && block[i * PAGE + N - 1] == (N - 1) % 7);
  }
  MPI_Win_free(&first);
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(sent, N, MPI_DOUBLE, 1, 0, N, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
  if (rank == 1) EXPECT(block[5] == 5);
  MPI_Win_free(&win);
  MPI_Request_free(&pending);
  EXPECT(all > 0);
  free(block);
}

// As if there were no disk space for files.
static void limited(int wrong) {
  const struct rlimit most = {1 << 30, 1 << 30};
  EXPECT(!setrlimit(RLIMIT_FSIZE, &most));
  in_block(wrong);
}

// Buffers inside the window, across its borders, and in another window.
static void buffers(int wrong) {
  double *memory = malloc(MANY * sizeof *memory);
  MPI_Win dynamic;
  MPI_Aint address = 0;
  win = make(memory + 5, N * sizeof *memory);
  double all = used(memory + 5, wrong);
  fill(memory, MANY);
  MPI_Win_fence(0, win);
  MPI_Sendrecv(memory, MANY / 2, MPI_DOUBLE, 1 - rank, 0, memory + MANY / 2, MANY / 2, MPI_DOUBLE,
               1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(memory[MANY / 2 + 8] == 8 % 7 + 1 - rank);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_attach(dynamic, memory, N * sizeof *memory);
  MPI_Get_address(memory + PAGE, &address);
  MPI_Sendrecv_replace(&address, 1, MPI_AINT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  MPI_Win_fence(0, dynamic);
  if (rank == 0) MPI_Put(mine, 8, MPI_DOUBLE, 1, address, 8, MPI_DOUBLE, dynamic);
  MPI_Win_fence(0, dynamic);
  if (rank == 1) EXPECT(memory[PAGE + 7] == 1);
  MPI_Win_free(&win);
  MPI_Win_fence(0, dynamic);
  if (rank == 0) MPI_Put(mine, 8, MPI_DOUBLE, 1, address, 8, MPI_DOUBLE, dynamic);
  MPI_Win_fence(0, dynamic);
  MPI_Win_detach(dynamic, memory);
  MPI_Win_free(&dynamic);
  EXPECT(all > 0);
  free(memory);
}

// An error in the program: it frees the memory while the window exists.
static void given_back(int wrong) {
  enum { TIMES = 4 };
  for (int how = 0; how < TIMES; how++) {
    double *memory = malloc(MANY * sizeof *memory);
    win = make(memory, MANY * sizeof *memory);
    double all = used(memory, wrong);
    MPI_Win_fence(0, win);
    char *first = (char *)memory - (size_t)memory % 4096, *last = first + 8 * 4096;
    fill(memory, MANY);
    if (how == 0) free(memory);
    if (how == 1) memory = realloc(memory, 2 * MANY * sizeof *memory);
    if (how == 2) madvise(first + 4096, 4096, MADV_DONTNEED);
    if (how == 3) {
      mmap(first + 4096, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      MPI_Win_fence(0, win);
      char *other =
          mmap(last, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      EXPECT(first[4096] == 0 && other == last && *other == 0);
    }
    if (how == 1) EXPECT(is_filled(memory, MANY));
    double *more = malloc(MANY * sizeof *more);
    fill(more, MANY);
    MPI_Win_fence(0, win);
    EXPECT(is_filled(more, MANY) && all > 0);
    MPI_Win_free(&win);
    EXPECT(is_filled(more, MANY));
    if (how == 1) EXPECT(is_filled(memory, MANY));
    free(more);
    if (how == 1) free(memory);
  }
}

// Other threads use memory beside a window and in it while the window is created, many times.
static int over;
static void *go_on(void *unused) {
  static double counts[2];
  int ends[2];
  (void)unused;
  EXPECT(!pipe(ends));
  for (int i = 0; !__atomic_load_n(&over, __ATOMIC_ACQUIRE); i++) {
    fixed.after[1] += 1;
    fixed.memory[N - 1] += 1;
    fixed.memory[PAGE] += 1;
    counts[0] += 1;
    counts[1] = i;
    EXPECT(fixed.after[1] == counts[0] && fixed.memory[N - 1] == counts[0] &&
           fixed.memory[PAGE] == counts[0]);
    EXPECT(write(ends[1], &counts[1], 8) == 8 && read(ends[0], fixed.after + 2, 8) == 8);
    EXPECT(fixed.after[2] == counts[1]);
  }
  close(ends[0]);
  close(ends[1]);
  return NULL;
}

static void threads(int wrong) {
  enum { TIMES = 20 };
  double *memory = malloc(MANY * sizeof *memory);
  pthread_t thread;
  memset(&fixed, 0, sizeof fixed);
  EXPECT(!pthread_create(&thread, NULL, go_on, NULL));
  for (int i = 0; i < TIMES; i++) {
    win = make(fixed.memory, N * sizeof(double));
    MPI_Win other = make(memory, MANY * sizeof *memory);
    MPI_Win_fence(0, other);
    MPI_Win_free(&win);
    MPI_Win_free(&other);
  }
  __atomic_store_n(&over, 1, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  // If memory belonged to a window during a call of this thread, mpipp may ignore it afterwards.
  double *after = malloc(MANY * sizeof *after);
  use_all(after, wrong);
  free(after);
  free(memory);
}

// Blocks are allocated and freed again and again at the same addresses.
static void again(int wrong) {
  for (int i = 0; i < 20; i++) {
    double *memory = malloc(MANY * sizeof *memory);
    EXPECT(sum(memory, MANY) == 0);
    use_all(memory, wrong);
    memory[5] = 7;
    free(memory);
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(int wrong);
  } all[] = {
      {"static", in_static},  {"block", in_block},  {"heap", in_heap},     {"stack", on_stack},
      {"mapped", in_mapped},  {"several", several}, {"forks", forks},      {"messages", messages},
      {"buffers", buffers},   {"threads", threads}, {"given", given_back}, {"again", again},
      {"outlives", outlives}, {"limited", limited}, {"second", second},    {"overlap", overlap},
  };
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 8; i++) mine[i] = 1;
  mallopt(M_MMAP_THRESHOLD, 65536); // equal for all blocks, after any frees
  for (int i = 1; i < argc; i++) {
    for (unsigned j = 0; j < sizeof all / sizeof *all; j++)
      if (!strcmp(argv[i], all[j].name)) all[j].run(argc > i + 1 && !strcmp(argv[i + 1], "wrong"));
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
