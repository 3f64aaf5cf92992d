// SPDX-License-Identifier: MIT
// Correct and random: nonblocking operations of all kinds on three processes, completed in all
// ways. The sums are the same with any schedule. Arguments: seed, rounds.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 24, ROOM = 96, GUARD = 0x55 };

static int rank, size;
static uint64_t shared = 1; // the same in all processes
static uint64_t own = 1;    // of this process: may differ between runs, and must change no result
static uint64_t result;

static uint64_t draw(uint64_t *state, uint64_t below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (*state >> 33) % below;
}

static void need(int is_true, int line) {
  if (is_true) return;
  fprintf(stderr, "rank %d: line %d\n", rank, line);
  MPI_Abort(MPI_COMM_WORLD, 3);
}
#define NEED(x) need(x, __LINE__)

static void add(uint64_t value) {
  result += (value ^ value >> 31) * 0x9E3779B97F4A7C15u; // in any order
}

struct operation {
  int receives, from, count, kind, tag;
  int buffer[ROOM];
  MPI_Datatype type;
};
static struct operation operations[MOST];
static MPI_Request requests[MOST];
static int used;
static MPI_Datatype sparse, dashed; // every second INT; a struct in another order
static MPI_Comm second, ring;

static int value_of(int from, int to, int tag, int i) {
  return from * 1000003 + to * 10007 + tag * 101 + i;
}

// Returns where the i-th of the sent ints lies.
static int place(const struct operation *one, int i) {
  if (one->type == sparse) return 2 * i;
  if (one->type == dashed) return i % 2 ? 4 * (i / 2) : 4 * (i / 2) + 2;
  return i;
}

static MPI_Datatype type_of(int which) {
  return which == 0 ? MPI_INT : which == 1 ? sparse : dashed;
}

static int entries(const struct operation *one) {
  return one->type == dashed ? one->count / 2 : one->count;
}

static struct operation *next(void) {
  struct operation *one = &operations[used++];
  memset(one->buffer, GUARD, sizeof one->buffer);
  return one;
}

static void check_received(struct operation *one, const MPI_Status *status) {
  char is_data[ROOM] = {0};
  for (int i = 0; i < one->count; i++) {
    int at = place(one, i);
    is_data[at] = 1;
    NEED(one->buffer[at] == value_of(one->from, rank, one->tag, i));
    add((uint64_t)one->buffer[at]);
  }
  for (int i = 0; i < ROOM; i++) NEED(is_data[i] || one->buffer[i] == GUARD * 0x01010101);
  if (status) NEED(status->MPI_SOURCE == one->from && status->MPI_TAG == one->tag);
  one->receives = 0;
}

static void send(int to, int tag, int count, int mode, int type, MPI_Comm comm) {
  struct operation *one = next();
  one->type = type_of(type);
  one->count = count;
  one->receives = 0;
  for (int i = 0; i < count; i++) one->buffer[place(one, i)] = value_of(rank, to, tag, i);
  MPI_Datatype given = one->type;
  if (mode == 3) MPI_Type_contiguous(1, one->type, &given), MPI_Type_commit(&given);
  if (mode == 1)
    MPI_Issend(one->buffer, entries(one), given, to, tag, comm, &requests[used - 1]);
  else
    MPI_Isend(one->buffer, entries(one), given, to, tag, comm, &requests[used - 1]);
  if (mode == 3) MPI_Type_free(&given);
}

static void receive(int from, int tag, int count, int more, int type, MPI_Comm comm) {
  struct operation *one = next();
  one->type = type_of(type);
  one->count = count;
  one->from = from;
  one->tag = tag;
  one->receives = 1;
  MPI_Irecv(one->buffer, entries(one) + more, one->type, from, tag, comm, &requests[used - 1]);
}

// Messages that are probed for and received in several ways.
static void probed(int from, int tag, int count) {
  struct operation one = {.from = from, .tag = tag, .count = count, .type = MPI_INT};
  MPI_Status status;
  MPI_Message message;
  MPI_Request request;
  int flag = 0, got;
  memset(one.buffer, GUARD, sizeof one.buffer);
  switch (draw(&own, 4)) {
  case 0:
    MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &got);
    NEED(got == count);
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &status);
    NEED(flag);
    break;
  case 1:
    while (!flag) MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &status);
    flag = 0;
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &status);
    NEED(flag);
    break;
  case 2:
    while (!flag) MPI_Improbe(from, tag, MPI_COMM_WORLD, &flag, &message, &status);
    MPI_Imrecv(one.buffer, count, MPI_INT, &message, &request);
    MPI_Wait(&request, &status);
    check_received(&one, &status);
    return;
  default:
    MPI_Mprobe(from, tag, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(one.buffer, count, MPI_INT, &message, &status);
    check_received(&one, &status);
    return;
  }
  MPI_Recv(one.buffer, count, MPI_INT, from, tag, MPI_COMM_WORLD, &status);
  check_received(&one, &status);
}

static void completed(int index, const MPI_Status *status) {
  NEED(requests[index] == MPI_REQUEST_NULL);
  if (operations[index].receives) check_received(&operations[index], status);
}

static void complete_all(void) {
  int left = used, indices[MOST], count, flag, index;
  MPI_Status statuses[MOST], status;
  while (left > 0) {
    switch (draw(&own, 8)) {
    case 0:
      MPI_Waitall(used, requests, statuses);
      for (int i = 0; i < used; i++)
        if (operations[i].receives) completed(i, &statuses[i]);
      left = 0;
      break;
    case 1:
      MPI_Waitany(used, requests, &index, &status);
      if (index == MPI_UNDEFINED)
        left = 0;
      else
        completed(index, &status), left--;
      break;
    case 2:
      MPI_Testany(used, requests, &index, &flag, &status);
      if (flag && index != MPI_UNDEFINED) completed(index, &status), left--;
      break;
    case 3:
      MPI_Waitsome(used, requests, &count, indices, statuses);
      for (int i = 0; i < count && count != MPI_UNDEFINED; i++, left--)
        completed(indices[i], &statuses[i]);
      if (count == MPI_UNDEFINED) left = 0;
      break;
    case 4:
      MPI_Testsome(used, requests, &count, indices, MPI_STATUSES_IGNORE);
      for (int i = 0; i < count && count != MPI_UNDEFINED; i++, left--) completed(indices[i], NULL);
      break;
    case 5:
      MPI_Testall(used, requests, &flag, MPI_STATUSES_IGNORE);
      for (int i = 0; flag && i < used; i++) completed(i, NULL);
      if (flag) left = 0;
      break;
    case 6:
      index = (int)draw(&own, (uint64_t)used);
      if (requests[index] == MPI_REQUEST_NULL) break;
      MPI_Request_get_status(requests[index], &flag, &status);
      if (!flag) break;
      if (operations[index].receives) check_received(&operations[index], &status);
      MPI_Test(&requests[index], &flag, MPI_STATUS_IGNORE); // the request is known to be complete
      NEED(flag && requests[index] == MPI_REQUEST_NULL);
      left--;
      break;
    default:
      index = (int)draw(&own, (uint64_t)used);
      if (requests[index] == MPI_REQUEST_NULL) break;
      if (draw(&own, 2)) {
        MPI_Wait(&requests[index], &status);
      } else {
        for (flag = 0; !flag;) MPI_Test(&requests[index], &flag, &status);
      }
      completed(index, &status);
      left--;
    }
  }
  for (int i = 0; i < used; i++) NEED(requests[i] == MPI_REQUEST_NULL && !operations[i].receives);
}

static void collective(void) {
  enum { N = 18 };
  long in = rank + 1, out = 0, all[3] = {-1, -1, -1}, here = rank == 1 ? 77 : -1, place = in;
  long mine[3] = {rank, rank + 10, rank + 20}, theirs[3] = {-1, -1, -1}, upto = -1;
  long parts[3] = {rank, rank, rank}, gathered[3] = {-1, -1, -1}, total = -1;
  int counts[3] = {1, 1, 1}, at[3] = {0, 1, 2}, here_too = -1;
  long v[3] = {-1, -1, -1};
  MPI_Request some[N];
  MPI_Iallreduce(&in, &out, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &some[0]);
  MPI_Ibcast(&here, 1, MPI_LONG, 1, second, &some[1]);
  MPI_Iallgather(&in, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD, &some[2]);
  MPI_Ibarrier(second, &some[3]);
  MPI_Iallreduce(MPI_IN_PLACE, &place, 1, MPI_LONG, MPI_MAX, second, &some[4]);
  MPI_Ialltoall(mine, 1, MPI_LONG, theirs, 1, MPI_LONG, MPI_COMM_WORLD, &some[5]);
  MPI_Ireduce_scatter_block(MPI_IN_PLACE, parts, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &some[6]);
  MPI_Iscan(&in, &upto, 1, MPI_LONG, MPI_SUM, second, &some[7]);
  MPI_Igather(&in, 1, MPI_LONG, gathered, 1, MPI_LONG, 2, MPI_COMM_WORLD, &some[8]);
  MPI_Ireduce(&in, &total, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD, &some[9]);
  MPI_Iallgatherv(&in, 1, MPI_LONG, v, counts, at, MPI_LONG, MPI_COMM_WORLD, &some[10]);
  MPI_Iscatter(rank == 0 ? at : NULL, 1, MPI_INT, &here_too, 1, MPI_INT, 0, second, &some[11]);
  // Calls with arrays of counts, and calls among neighbors in a ring, to the left and to the right.
  long gv[3] = {-1, -1, -1}, sv = -1, tv[3] = {-1, -1, -1}, tw[3] = {-1, -1, -1}, rs = -1;
  long sides[2] = {-1, -1};
  int bytes[3] = {0, sizeof(long), 2 * sizeof(long)};
  MPI_Datatype longs[3] = {MPI_LONG, MPI_LONG, MPI_LONG};
  MPI_Igatherv(&in, 1, MPI_LONG, gv, rank == 1 ? counts : NULL, rank == 1 ? at : NULL, MPI_LONG, 1,
               MPI_COMM_WORLD, &some[12]);
  MPI_Iscatterv(mine, counts, at, MPI_LONG, &sv, 1, MPI_LONG, 2, second, &some[13]);
  MPI_Ialltoallv(mine, counts, at, MPI_LONG, tv, counts, at, MPI_LONG, MPI_COMM_WORLD, &some[14]);
  MPI_Ialltoallw(mine, counts, bytes, longs, tw, counts, bytes, longs, second, &some[15]);
  MPI_Ireduce_scatter(mine, &rs, counts, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &some[16]);
  MPI_Ineighbor_allgather(&in, 1, MPI_LONG, sides, 1, MPI_LONG, ring, &some[17]);
  if (draw(&own, 2)) {
    MPI_Waitall(N, some, MPI_STATUSES_IGNORE);
  } else {
    for (int i = 0, index; i < N; i++) MPI_Waitany(N, some, &index, MPI_STATUS_IGNORE);
  }
  NEED(out == 6 && here == 77 && all[0] == 1 && all[1] == 2 && all[2] == 3 && place == 3);
  for (int i = 0; i < 3; i++) NEED(theirs[i] == i + 10 * rank && v[i] == i + 1);
  NEED(parts[0] == 3 && upto == (rank + 1) * (rank + 2) / 2);
  for (int i = 0; i < 3; i++) NEED(gathered[i] == (rank == 2 ? i + 1 : -1));
  for (int i = 0; i < 3; i++)
    NEED(gv[i] == (rank == 1 ? i + 1 : -1) && tv[i] == theirs[i] && tw[i] == theirs[i]);
  NEED(sv == 2 + 10 * rank && rs == 3 + 30 * rank);
  NEED(sides[0] == (rank + 2) % 3 + 1 && sides[1] == (rank + 1) % 3 + 1);
  NEED(total == (rank == 0 ? 6 : -1) && here_too == rank);
}

// Requests that are canceled, freed, or null, and calls in which MPI finds an error.
static void corners(void) {
  int buffer[4] = {1, 2, 3, 4}, flag, more[4] = {5, 6, 7, 8};
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(buffer, 4, MPI_INT, (rank + 1) % 3, 900, MPI_COMM_WORLD, &request); // never sent
  MPI_Cancel(&request);
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &flag);
  NEED(flag && buffer[0] == 1 && buffer[3] == 4);
  MPI_Irecv(buffer, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  NEED(buffer[1] == 2);
  MPI_Isend(buffer, 4, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  MPI_Isend(more, 4, MPI_INT, rank, 901, MPI_COMM_WORLD, &request);
  MPI_Request_free(&request);
  NEED(request == MPI_REQUEST_NULL);
  MPI_Recv(buffer, 4, MPI_INT, rank, 901, MPI_COMM_WORLD, &status);
  NEED(buffer[0] == 5 && buffer[3] == 8);
  MPI_Comm_set_errhandler(second, MPI_ERRORS_RETURN);
  request = MPI_REQUEST_NULL;
  NEED(MPI_Isend(buffer, 4, MPI_INT, size + 7, 0, second, &request) != MPI_SUCCESS);
  NEED(MPI_Irecv(buffer, -1, MPI_INT, 0, 0, second, &request) != MPI_SUCCESS);
  NEED(MPI_Isend(buffer, -1, MPI_INT, 0, 0, second, &request) != MPI_SUCCESS);
  NEED(MPI_Iprobe(size + 7, 0, second, &flag, &status) != MPI_SUCCESS);
  MPI_Wait(&request, &status);
  MPI_Request persistent[2];
  MPI_Send_init(more, 4, MPI_INT, rank, 4, second, &persistent[0]);
  MPI_Recv_init(buffer, 4, MPI_INT, rank, 4, second, &persistent[1]);
  for (int i = 0; i < 3; i++) {
    more[0] = i;
    MPI_Testall(2, persistent, &flag, MPI_STATUSES_IGNORE);
    NEED(flag); // they are inactive
    MPI_Startall(2, persistent);
    MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE);
    NEED(buffer[0] == i && persistent[0] != MPI_REQUEST_NULL);
  }
  MPI_Request_free(&persistent[0]);
  MPI_Request_free(&persistent[1]);
}

static void add_ints(void *in, void *inout, int *length, MPI_Datatype *type) {
  NEED(*type == MPI_INT);
  for (int i = 0; i < *length; i++) ((int *)inout)[i] += ((int *)in)[i];
}

// A pending call's operation is freed. Open MPI 5 fails when the communicator is freed.
static void freed(void) {
  MPI_Op op;
  MPI_Request request;
  int in[] = {rank, 1}, out[2];
  MPI_Op_create(add_ints, 1, &op);
  MPI_Iallreduce(in, out, 2, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Op_free(&op);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(out[0] == 3 && out[1] == 3);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  NEED(size == 3 && argc > 2);
  shared += (uint64_t)atoi(argv[1]);
  own += shared + (uint64_t)rank * 7919;
  MPI_Type_vector(1, 1, 2, MPI_INT, &dashed);
  MPI_Type_create_resized(dashed, 0, 2 * sizeof(int), &sparse);
  MPI_Type_free(&dashed);
  int lengths[] = {1, 1};
  MPI_Aint displacements[] = {2 * sizeof(int), 0};
  MPI_Datatype parts[] = {MPI_INT, MPI_INT}, pair;
  MPI_Type_create_struct(2, lengths, displacements, parts, &pair);
  MPI_Type_create_resized(pair, 0, 4 * sizeof(int), &dashed);
  MPI_Type_free(&pair);
  MPI_Type_commit(&sparse);
  MPI_Type_commit(&dashed);
  int periods = 1;
  MPI_Comm_dup(MPI_COMM_WORLD, &second);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &ring);
  for (int round = 0; round < atoi(argv[2]); round++) {
    used = 0;
    int alone = (int)draw(&shared, 3); // sends the messages that are probed for
    for (int tag = 1; tag <= 6; tag++) {
      int from = (int)draw(&shared, 3), to = (int)draw(&shared, 3);
      int count = 2 * (int)draw(&shared, 12), mode = (int)draw(&shared, 4);
      int type = (int)draw(&shared, 3), other = (int)draw(&shared, 3);
      MPI_Comm comm = draw(&shared, 2) ? second : MPI_COMM_WORLD;
      int first = (int)draw(&own, 2);
      if (from == rank && first) send(to, tag, count, mode, type, comm);
      if (to == rank) receive(from, tag, count, 1, other, comm);
      if (from == rank && !first) send(to, tag, count, mode, type, comm);
    }
    if (alone == rank) send((rank + 1) % 3, 50, 8, 0, 0, MPI_COMM_WORLD);
    if ((alone + 1) % 3 == rank) probed(alone, 50, 8);
    if (draw(&shared, 2)) collective();
    complete_all();
    if (draw(&shared, 8) == 0) corners();
    freed();
  }
  uint64_t all;
  MPI_Reduce(&result, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("result %llx\n", (unsigned long long)all);
  MPI_Comm_free(&second);
  MPI_Comm_free(&ring);
  MPI_Type_free(&sparse);
  MPI_Type_free(&dashed);
  MPI_Finalize();
  return 0;
}
