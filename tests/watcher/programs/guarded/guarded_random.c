// SPDX-License-Identifier: MIT
// Random nonblocking operations, all correct: their results are summed. The same seed makes the
// same operations, guarded or not. With "threads" two threads of each process make operations, on
// one heap, and a third one stores between their buffers. Three processes.
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 10, KINDS = 17, MOST = 3000, CELLS = 1200, THREADS = 2 };

struct operation {
  MPI_Request request;
  double *out, *in, *memory[2]; // around them lie bytes of the program
  int all_out, all_in;          // doubles
  int *arrays;
  MPI_Datatype *types;
  int persistent, rounds;
};

static __thread struct operation slots[SLOTS];
static __thread MPI_Comm comms[4];
static MPI_Datatype rows, spread;
static int rank, size, steps;
static __thread uint64_t shared, own; // states of generators: shared by all, and this thread's
static __thread double sum;
// The buffers, and between them the counters of another thread.
static struct {
  long count;
  double out[CELLS], in[CELLS];
} fields[THREADS][SLOTS];
static __thread int number;
static int is_over;

static unsigned next(uint64_t *state, unsigned below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(*state >> 33) % below;
}

static double *room(double **memory, int count) {
  *memory = malloc((size_t)(count + 2) * sizeof(double));
  (*memory)[0] = (*memory)[count + 1] = -1;
  return *memory + 1;
}

static void fill(struct operation *one, int with) {
  for (int i = 0; i < one->all_out; i++) one->out[i] = with + rank + i % 7;
  for (int i = 0; i < one->all_in; i++) one->in[i] = -with;
}

// Data goes to the next process, and comes back from the one before.
static void around(int tag, MPI_Comm comm) {
  double *out = fields[number][tag % SLOTS].out, *in = fields[number][tag % SLOTS].in;
  int to = (rank + 1) % size, from = (rank + size - 1) % size, done = 0;
  for (int i = 0; i < CELLS; i++) out[i] = tag + i;
  for (int way = 0; way < 2; way++) {
    MPI_Request requests[2];
    MPI_Irecv(in, CELLS, MPI_DOUBLE, way ? to : from, tag, comm, &requests[0]);
    MPI_Isend(out, CELLS, MPI_DOUBLE, way ? from : to, tag, comm, &requests[1]);
    if (tag % 2) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < CELLS; i++) {
      sum += in[i] * (i % 3);
      out[i] = in[i] + way;
    }
  }
}

static void neighbors(struct operation *one, MPI_Comm comm, int count, int tag) {
  int to = (rank + 1) % size, from = (rank + size - 1) % size, flag;
  MPI_Request sent;
  MPI_Datatype type = count % 3 == 0 ? rows : count % 3 == 1 ? spread : MPI_DOUBLE;
  int n = type == MPI_DOUBLE ? count : 2;
  MPI_Irecv(one->in, n, type, from, tag, comm, &one->request);
  if (tag % 3 == 0) MPI_Issend(one->out, n, type, to, tag, comm, &sent);
  if (tag % 3 == 1) MPI_Isend(one->out, n, type, to, tag, comm, &sent);
  if (tag % 3 == 2) MPI_Ibsend(one->out, n, type, to, tag, comm, &sent);
  if (tag % 4 == 0) MPI_Test(&sent, &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

// The number of doubles for each process is its number in the order of this call.
static void shares(struct operation *one, int count) {
  one->arrays = malloc((size_t)size * 4 * sizeof(int));
  one->types = malloc((size_t)size * sizeof(MPI_Datatype));
  for (int i = 0, at = 0; i < size; i++) {
    int n = count / 2 + (i + rank) % 2 * 17;
    one->arrays[i] = n;
    one->arrays[size + i] = at;
    one->arrays[2 * size + i] = at * (int)sizeof(double);
    one->arrays[3 * size + i] = count / 2 + i * 9;
    one->types[i] = MPI_DOUBLE;
    at += n;
  }
}

static void start(struct operation *one, int tag) {
  int kind = (int)next(&shared, KINDS), count = 1 + (int)next(&shared, MOST);
  int root = (int)next(&shared, (unsigned)size);
  MPI_Comm comm = comms[next(&shared, 3)];
  if (next(&shared, 3) == 0) count *= 9;
  one->all_out = one->all_in = size * (count + 40) + 8000;
  one->out = room(&one->memory[0], one->all_out);
  one->in = room(&one->memory[1], one->all_in);
  fill(one, tag);
  shares(one, count);
  double *out = one->out, *in = one->in;
  MPI_Request *request = &one->request;
  int *counts = one->arrays, *places = counts + size, *bytes = places + size, *n = bytes + size;
  int rank_in = 0;
  MPI_Comm_rank(comm, &rank_in);
  switch (kind) {
  case 0:
    MPI_Ibcast(rank_in == root ? out : in, count, MPI_DOUBLE, root, comm, request);
    break;
  case 1:
    MPI_Igather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, root, comm, request);
    break;
  case 2:
    MPI_Iscatter(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, root, comm, request);
    break;
  case 3:
    MPI_Iallgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, comm, request);
    break;
  case 4:
    MPI_Ialltoall(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, comm, request);
    break;
  case 5:
    MPI_Iallreduce(out, in, count, MPI_DOUBLE, MPI_SUM, comm, request);
    break;
  case 6:
    MPI_Ireduce(out, in, count, MPI_DOUBLE, MPI_SUM, root, comm, request);
    break;
  case 7:
    MPI_Iscan(out, in, count, MPI_DOUBLE, MPI_SUM, comm, request);
    break;
  case 8:
    MPI_Iexscan(out, in, count, MPI_DOUBLE, MPI_SUM, comm, request);
    if (rank_in == 0) in[0] = in[count - 1] = 1; // its own
    break;
  case 9:
    MPI_Ireduce_scatter_block(out, in, count, MPI_DOUBLE, MPI_SUM, comm, request);
    break;
  case 10:
    MPI_Iallreduce(MPI_IN_PLACE, in, count, MPI_DOUBLE, MPI_SUM, comm, request);
    break;
  case 11:
    MPI_Ialltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, comms[0],
                   request);
    break;
  case 12:
    MPI_Ialltoallw(out, counts, bytes, one->types, in, counts, bytes, one->types, comms[0],
                   request);
    break;
  case 13: {
    for (int i = 0, at = 0; i < size; at += n[i], i++) places[i] = at;
    MPI_Iallgatherv(out, n[rank], MPI_DOUBLE, in, n, places, MPI_DOUBLE, comms[0], request);
    break;
  }
  case 14:
    MPI_Ineighbor_allgather(out, count, MPI_DOUBLE, in, count, MPI_DOUBLE, comms[3], request);
    if (rank == 0) in[0] = 3; // rank 0 has no neighbor on this side
    break;
  case 15:
    MPI_Send_init(out, count, MPI_DOUBLE, rank, tag, comms[1], request);
    one->persistent = 1;
    break;
  default:
    neighbors(one, comms[1], count, 2 * tag);
    around(2 * tag + 1, comms[1]);
  }
}

static void look(struct operation *one) {
  for (int i = 0; i < one->all_in; i++) sum += one->in[i] * (i % 5 + 1);
  sum += one->memory[0][0] + one->memory[1][one->all_in + 1];
}

static void end(struct operation *one) {
  look(one);
  fill(one, 1);
  free(one->memory[0]);
  free(one->memory[1]);
  free(one->arrays);
  free(one->types);
  one->memory[0] = NULL;
}

// Two rounds of a persistent send to itself, with other data in the second.
static void twice(struct operation *one) {
  for (int round = 0; round < 2; round++) {
    MPI_Request in;
    MPI_Irecv(one->in, one->all_in, MPI_DOUBLE, rank, MPI_ANY_TAG, comms[1], &in);
    MPI_Start(&one->request);
    MPI_Wait(&one->request, MPI_STATUS_IGNORE);
    fill(&(struct operation){.out = one->out, .all_out = one->all_out}, 5 + round);
    MPI_Wait(&in, MPI_STATUS_IGNORE);
    look(one);
  }
  MPI_Request_free(&one->request);
  one->persistent = 0;
}

// Completes some of the first `count` operations, in one of the possible ways.
static void complete(int count) {
  MPI_Request requests[SLOTS];
  int indices[SLOTS], done = 0, flag = 0;
  for (int i = 0; i < count; i++) requests[i] = slots[i].request;
  MPI_Status statuses[SLOTS];
  switch (next(&own, 7)) {
  case 0:
    done = MPI_Waitall(count, requests, statuses) ? 0 : -1;
    break;
  case 1:
    MPI_Waitany(count, requests, indices, MPI_STATUS_IGNORE);
    done = 1;
    break;
  case 2:
    MPI_Waitsome(count, requests, &done, indices, statuses);
    break;
  case 3:
    MPI_Testsome(count, requests, &done, indices, statuses);
    break;
  case 4:
    MPI_Testany(count, requests, indices, &flag, MPI_STATUS_IGNORE);
    done = flag;
    break;
  case 5:
    MPI_Testall(count, requests, &flag, statuses);
    done = -flag;
    break;
  default:
    indices[0] = (int)next(&own, (unsigned)count);
    MPI_Test(&requests[indices[0]], &flag, MPI_STATUS_IGNORE);
    done = flag;
  }
  for (int i = 0; i < count; i++) slots[i].request = requests[i];
  for (int i = 0; done != MPI_UNDEFINED && i < (done < 0 ? count : done); i++) {
    int which = done < 0 ? i : indices[i];
    if (which != MPI_UNDEFINED && slots[which].memory[0]) end(&slots[which]);
  }
}

static void run(void) {
  for (int i = 0; i < SLOTS; i++) slots[i].request = MPI_REQUEST_NULL;
  for (int step = 1; step <= steps; step++) {
    int free = 0;
    while (free < SLOTS && slots[free].memory[0]) free++;
    // The slot may differ between processes, but the order of the operations does not.
    while (free == SLOTS) {
      complete(SLOTS);
      for (free = 0; free < SLOTS && slots[free].memory[0];) free++;
    }
    start(&slots[free], step);
    if (slots[free].persistent) {
      twice(&slots[free]);
      end(&slots[free]);
    } else if (next(&own, 2)) {
      complete(SLOTS);
    }
  }
  for (int i = 0; i < SLOTS; i++) {
    MPI_Wait(&slots[i].request, MPI_STATUS_IGNORE);
    if (slots[i].memory[0]) end(&slots[i]);
  }
}

// The state of one thread.
struct work {
  MPI_Comm comms[4];
  uint64_t seed;
  int number;
  double sum;
};

static void *work(void *argument) {
  struct work *mine = argument;
  number = mine->number;
  memcpy(comms, mine->comms, sizeof comms);
  shared = mine->seed;
  own = shared + (uint64_t)rank + 1;
  run();
  mine->sum = sum;
  return NULL;
}

// Stores beside all static buffers until the other threads end: no store may be lost.
static void *store(void *lost) {
  long stored = 0;
  while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
    stored++;
    for (int i = 0; i < THREADS * SLOTS; i++)
      ++*(volatile long *)&fields[i / SLOTS][i % SLOTS].count;
  }
  for (int i = 0; i < THREADS * SLOTS; i++)
    *(long *)lost += fields[i / SLOTS][i % SLOTS].count != stored;
  return NULL;
}

int main(int argc, char **argv) {
  static char buffered[1 << 23];
  int threads = argc > 3, provided;
  mallopt(M_ARENA_MAX, 1);
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  struct work works[THREADS];
  for (int i = 0; i < THREADS; i++) {
    MPI_Comm *own_comms = works[i].comms;
    works[i].number = i;
    works[i].seed = strtoull(argv[1], NULL, 10) + 1000 * (uint64_t)i;
    MPI_Comm_dup(MPI_COMM_WORLD, &own_comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &own_comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &own_comms[2]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &(int){0}, 0, &own_comms[3]);
  }
  MPI_Type_vector(3, 700, 1300, MPI_DOUBLE, &rows);
  MPI_Type_commit(&rows);
  MPI_Type_create_resized(rows, 0, 1300 * 3 * 8, &spread);
  MPI_Type_commit(&spread);
  MPI_Buffer_attach(buffered, sizeof buffered);
  steps = atoi(argv[2]);
  pthread_t second, storing;
  long lost = 0;
  threads = threads && provided == MPI_THREAD_MULTIPLE;
  if (threads) {
    pthread_create(&second, NULL, work, &works[1]);
    pthread_create(&storing, NULL, store, &lost);
  }
  work(&works[0]);
  if (threads) {
    pthread_join(second, NULL);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(storing, NULL);
    works[0].sum += works[1].sum;
  }
  double all;
  MPI_Reduce(&works[0].sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f\n", all);
  if (lost) printf("lost %ld\n", lost);
  int bytes;
  void *buffer;
  MPI_Buffer_detach(&buffer, &bytes);
  MPI_Type_free(&rows);
  MPI_Type_free(&spread);
  for (int i = 0; i < THREADS * 4; i++) MPI_Comm_free(&works[i / 4].comms[i % 4]);
  MPI_Finalize();
  return 0;
}
