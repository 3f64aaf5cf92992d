// SPDX-License-Identifier: MIT
// Random correct one-sided programs of several threads. They are ordered by joins and barriers of
// threads, by messages, and by communicators and windows of all kinds that belong to one thread.
// Two to four processes. Its arguments are the first seed, and the number of programs.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 3, SLOTS = 8, STEPS = 6, ELEMENTS = THREADS * SLOTS * 4 };
static int rank, size, *memory, wrong;
static uint64_t seed;
static MPI_Win win;
static MPI_Comm comms[THREADS];
static pthread_barrier_t barrier;

struct one {
  int number;
  uint64_t random;   // a state for this thread alone
  uint64_t together; // a state that is equal in all processes
  void (*work)(struct one *one);
  int out, in, result; // buffers, which stay until an operation is complete
};

static int below(uint64_t *state, int most) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (int)(*state >> 33) % most;
}

static uint64_t started(int of) {
  uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15 + (uint64_t)of * 0xbf58476d1ce4e5b9;
  for (int i = 0; i < 4; i++) below(&state, 2);
  return state;
}

// Calls with large counts do the same, if MPI has them.
#if MPI_VERSION >= 4
#define CALL_BY(STATE, NAME, ...)                                                                  \
  (below(STATE, 4) ? MPI_##NAME(__VA_ARGS__) : MPI_##NAME##_c(__VA_ARGS__))
#else
#define CALL_BY(STATE, NAME, ...) MPI_##NAME(__VA_ARGS__)
#endif
#define CALL(...) CALL_BY(&one->random, __VA_ARGS__)

// Returns the slot of a thread of this process, in each window.
static int slot(const struct one *one, int which) {
  return (rank * THREADS + one->number) * SLOTS + which;
}

static void expect(int found, int wanted) {
  if (found != wanted) __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
}

// An operation on the thread's own slots, which a later flush completes.
static void operate(struct one *one, int target, int at) {
  one->out = below(&one->random, 1000);
  MPI_Request request = MPI_REQUEST_NULL;
  int kind = below(&one->random, 9);
  switch (kind) {
  case 0:
    CALL(Put, &one->out, 1, MPI_INT, target, at, 1, MPI_INT, win);
    break;
  case 1:
    CALL(Get, &one->in, 1, MPI_INT, target, at, 1, MPI_INT, win);
    break;
  case 2:
    CALL(Accumulate, &one->out, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, win);
    break;
  case 3:
    CALL(Get_accumulate, &one->out, 1, MPI_INT, &one->result, 1, MPI_INT, target, at, 1, MPI_INT,
         MPI_REPLACE, win);
    break;
  case 4:
    MPI_Fetch_and_op(&one->out, &one->result, MPI_INT, target, at, MPI_SUM, win);
    break;
  case 5:
    MPI_Compare_and_swap(&one->out, &one->in, &one->result, MPI_INT, target, at, win);
    break;
  case 6:
    CALL(Rput, &one->out, 1, MPI_INT, target, at, 1, MPI_INT, win, &request);
    break;
  case 7:
    CALL(Rget, &one->in, 1, MPI_INT, target, at, 1, MPI_INT, win, &request);
    break;
  default:
    CALL(Raccumulate, &one->out, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, win, &request);
    break;
  }
  if (kind > 5) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void passive(struct one *one) {
  for (int i = 0; i < STEPS; i++) {
    int target = below(&one->random, size);
    operate(one, target, slot(one, below(&one->random, SLOTS)));
    if (below(&one->random, 2))
      MPI_Win_flush(target, win);
    else
      MPI_Win_flush_all(win);
    if (below(&one->random, 4) == 0) MPI_Win_sync(win);
  }
}

// The next thread continues with the slots of the thread before it.
static void in_turns(struct one *one) {
  struct one other = *one;
  for (int i = 0; i < STEPS; i++) {
    int target = below(&one->random, size);
    operate(one, target, slot(&other, below(&one->random, SLOTS)));
    MPI_Win_flush(target, win);
    pthread_barrier_wait(&barrier);
    other.number = (other.number + 1) % THREADS;
  }
}

// One thread completes the operations that others have begun.
static void by_one(struct one *one) {
  static int buffers[THREADS][STEPS];
  for (int i = 0; i < STEPS; i++) {
    MPI_Put(&buffers[one->number][i], 1, MPI_INT, i % size, slot(one, i % SLOTS), 1, MPI_INT, win);
    pthread_barrier_wait(&barrier);
    if (one->number == i % THREADS) MPI_Win_flush_all(win);
    pthread_barrier_wait(&barrier);
    buffers[(one->number + 1) % THREADS][i] = i;
  }
}

// A thread exchanges messages with the threads of the same number in other processes.
static void by_messages(struct one *one) {
  MPI_Comm comm = comms[one->number];
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int i = 0; i < STEPS; i++) {
    int out = i * 100 + rank, in = -1, at = slot(one, i % SLOTS), there = -1;
    MPI_Put(&out, 1, MPI_INT, next, at, 1, MPI_INT, win);
    MPI_Win_flush(next, win);
    switch (below(&one->together, 4)) {
    case 0:
      MPI_Sendrecv(&at, 1, MPI_INT, next, i, &there, 1, MPI_INT, before, i, comm,
                   MPI_STATUS_IGNORE);
      break;
    case 1:
      if (rank % 2 == 0) MPI_Ssend(&at, 1, MPI_INT, next, i, comm);
      MPI_Recv(&there, 1, MPI_INT, before, i, comm, MPI_STATUS_IGNORE);
      if (rank % 2) MPI_Send(&at, 1, MPI_INT, next, i, comm);
      break;
    case 2: {
      MPI_Request requests[2];
      MPI_Irecv(&there, 1, MPI_INT, before, i, comm, &requests[0]);
      MPI_Isend(&at, 1, MPI_INT, next, i, comm, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      break;
    }
    default:
      MPI_Barrier(comm);
      there = (before * THREADS + one->number) * SLOTS + i % SLOTS;
    }
    MPI_Get(&in, 1, MPI_INT, rank, there, 1, MPI_INT, win);
    MPI_Win_flush(rank, win);
    expect(in, i * 100 + before);
    MPI_Barrier(comm);
  }
}

// Active epochs of the whole process, in which threads communicate.
static void in_fences(struct one *one) {
  int buffers[STEPS];
  for (int i = 0; i < STEPS; i++) {
    buffers[i] = i;
    if (one->number == 0) MPI_Win_fence(0, win);
    pthread_barrier_wait(&barrier);
    MPI_Put(&buffers[i], 1, MPI_INT, below(&one->random, size), slot(one, i % SLOTS), 1, MPI_INT,
            win);
    pthread_barrier_wait(&barrier);
  }
  if (one->number == 0) MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  pthread_barrier_wait(&barrier); // their buffers stay until then
}

// Creates a window of one kind. Returns the memory to be freed after it, or NULL. Stores the
// displacement of its memory in each process: 0, or addresses for a dynamic window.
static int *make_window(struct one *one, MPI_Win *own, MPI_Aint *first) {
  MPI_Aint bytes = 4 * sizeof(int) * SLOTS, at = 0;
  MPI_Comm comm = comms[one->number];
  int kind = below(&one->together, 4), *part = kind > 1 ? malloc((size_t)bytes) : NULL;
  if (kind == 0)
    CALL_BY(&one->together, Win_allocate, bytes, sizeof(int), MPI_INFO_NULL, comm, &part, own);
  else if (kind == 1)
    CALL_BY(&one->together, Win_allocate_shared, bytes, sizeof(int), MPI_INFO_NULL, comm, &part,
            own);
  else if (kind == 2)
    CALL_BY(&one->together, Win_create, part, bytes, sizeof(int), MPI_INFO_NULL, comm, own);
  else
    MPI_Win_create_dynamic(MPI_INFO_NULL, comm, own);
  if (kind == 3) {
    MPI_Win_attach(*own, part, bytes);
    MPI_Get_address(part, &at);
  }
  MPI_Allgather(&at, 1, MPI_AINT, first, 1, MPI_AINT, comm);
  return kind > 1 ? part : NULL;
}

#define AT(TARGET, PLACE) (first[TARGET] + (MPI_Aint)(PLACE)*unit)

static void of_its_own(struct one *one) {
  int value = one->number;
  MPI_Aint first[4];
  MPI_Win own;
  MPI_Group group;
  MPI_Comm comm = comms[one->number];
  int *part = make_window(one, &own, first), unit = first[rank] ? sizeof(int) : 1;
  MPI_Comm_group(comm, &group);
  for (int i = 0; i < STEPS; i++) {
    int target = below(&one->random, size), next = (rank + 1) % size;
    switch (below(&one->together, 4)) {
    case 0:
      MPI_Win_fence(0, own);
      MPI_Put(&value, 1, MPI_INT, target, AT(target, rank), 1, MPI_INT, own);
      MPI_Win_fence(MPI_MODE_NOSUCCEED, own);
      break;
    case 1: // others must not lock exposed memory
      MPI_Barrier(comm);
      MPI_Win_post(group, 0, own);
      MPI_Win_start(group, 0, own);
      MPI_Put(&value, 1, MPI_INT, target, AT(target, rank), 1, MPI_INT, own);
      MPI_Win_complete(own);
      if (below(&one->random, 2))
        MPI_Win_wait(own);
      else
        for (int is_over = 0; !is_over;) MPI_Win_test(own, &is_over);
      MPI_Barrier(comm);
      break;
    case 2:
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, own);
      MPI_Put(&value, 1, MPI_INT, next, AT(next, 5), 1, MPI_INT, own);
      MPI_Win_unlock(next, own);
      break;
    default:
      MPI_Win_lock_all(0, own);
      MPI_Accumulate(&value, 1, MPI_INT, target, AT(target, 6), 1, MPI_INT, MPI_SUM, own);
      MPI_Win_unlock_all(own);
    }
    MPI_Barrier(comm);
  }
  MPI_Group_free(&group);
  MPI_Win_free(&own);
  free(part);
}

static void *run(void *argument) {
  struct one *one = argument;
  one->work(one);
  return NULL;
}

static void together(void (*work)(struct one *one)) {
  pthread_t threads[THREADS];
  struct one all[THREADS];
  for (int i = 0; i < THREADS; i++) {
    all[i] = (struct one){i, started(100 + rank * THREADS + i), started(i), work, 0, 0, 0};
    pthread_create(&threads[i], NULL, run, &all[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void program(void) {
  void (*const works[])(struct one * one) = {passive, in_turns, by_one, by_messages};
  uint64_t shape = started(0);
  MPI_Win_allocate(ELEMENTS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &memory, &win);
  for (int part = 0; part < 3; part++) {
    int which = below(&shape, 6);
    if (which < 4) {
      MPI_Win_lock_all(0, win);
      together(works[which]);
      MPI_Win_unlock_all(win);
    } else {
      together(which == 4 ? in_fences : of_its_own);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&win);
}

int main(int argc, char **argv) {
  int provided, number = argc > 2 ? atoi(argv[2]) : 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  pthread_barrier_init(&barrier, NULL, THREADS);
  seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  for (int i = 0; i < number; i++, seed++) program();
  for (int i = 0; i < THREADS; i++) MPI_Comm_free(&comms[i]);
  MPI_Reduce(rank ? &wrong : MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", wrong ? "wrong" : "right");
  MPI_Finalize();
  return 0;
}
