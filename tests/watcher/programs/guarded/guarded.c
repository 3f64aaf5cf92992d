// SPDX-License-Identifier: MIT
// Operations of each kind, in a directory, with allowed accesses to their buffers. With a second
// argument also errors, in lines with a comment: access, element, operation. Two processes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planted.h"

enum { N = 4096, ROOM = 3 * N };

static _Alignas(4096) double memory[4][ROOM];
static double *const out = memory[0] + 3, *const in = memory[1] + 5; // with bytes before a page
static double *const more = memory[2] + 7;
static MPI_Request request;

static void fill(void) {
  for (int i = 0; i < ROOM; i++) {
    memory[0][i] = rank * 100000 + i;
    memory[1][i] = memory[2][i] = -i;
  }
}

// Checks the received data, and that no other data has changed.
static void check(const double *at, int count, double first) {
  for (int i = 0; i < count; i++) NEED(at[i] == first + i || (wrong && at[i] == 7));
  at = at == in ? memory[1] : memory[2];
  NEED(at[0] == 0 && at[ROOM - 1] == -(ROOM - 1));
}

static void done(void) {
  sum += out[100];                         // a send buffer may be read
  memory[1][1] = memory[1][ROOM - 2] = -1; // the memory beside the buffer
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  in[N / 2] = in[N / 2] + 0;
  out[N / 2] = out[N / 2] + 0;
}

static double from(int process) {
  return process * 100000 + 3;
}

static void point_to_point(void) {
  static char buffered[N * sizeof(double) + MPI_BSEND_OVERHEAD];
  MPI_Message message;
  MPI_Request sent;
  int bytes;
  void *buffer;
  fill();
  MPI_Buffer_attach(buffered, sizeof buffered);
  MPI_Ibsend(out, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
  store(&out[1001]); // store buf[1001](DOUBLE) MPI_Ibsend
  MPI_Recv(in, N, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  done();
  check(in, N, from(other));
  MPI_Buffer_detach(&buffer, &bytes);
  fill();
  MPI_Isend(out, N, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &sent);
  MPI_Mprobe(other, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in, N, MPI_DOUBLE, &message, &request);
  load(&in[1002]); // load buf[1002](DOUBLE) MPI_Imrecv
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(in, N, from(other));
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Irecv(out, N, MPI_DOUBLE, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &request);
  out[9] = out[N / 2] = 1; // no process receives
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void persistent(void) {
  MPI_Request both[2];
  MPI_Status statuses[2];
  int flag = 0;
  fill();
  MPI_Send_init(out, N, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &both[0]);
  MPI_Recv_init(in, N, MPI_DOUBLE, other, 3, MPI_COMM_WORLD, &both[1]);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < N; i++) out[i] = round + i;
    in[1] = in[N / 2] = in[N - 1] = 3; // not started
    MPI_Startall(2, both);
    if (round == 1) store(&out[1003]); // store buf[1003](DOUBLE) MPI_Send_init
    if (round == 2) load(&in[1004]);   // load buf[1004](DOUBLE) MPI_Recv_init
    if (round == 0) MPI_Waitall(2, both, statuses);
    if (round == 1) MPI_Wait(&both[0], MPI_STATUS_IGNORE);
    for (flag = round == 0; !flag;) MPI_Testall(2, both, &flag, statuses);
    check(in, N, round);
  }
  MPI_Request_free(&both[0]);
  MPI_Start(&both[1]);
  MPI_Send(out, 10, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
  for (flag = 0; !flag;) MPI_Request_get_status(both[1], &flag, MPI_STATUS_IGNORE);
  in[N / 2] = 1;
  MPI_Wait(&both[1], MPI_STATUS_IGNORE);
  NEED(in[N / 2] == 1);
  MPI_Request_free(&both[1]);
}

// The memory of a persistent send was freed, and is allocated again.
static void another_memory(void) {
  size_t bytes = 100 * N * sizeof(double);
  char *first = calloc(bytes, 1);
  MPI_Send_init(first, (int)bytes, MPI_BYTE, rank, 4, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 3; round++) {
    memset(first, round + 1, bytes);
    MPI_Start(&request);
    char *got = malloc(bytes);
    MPI_Recv(got, (int)bytes, MPI_BYTE, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (size_t i = 0; i < bytes; i++) NEED(got[i] == round + 1);
    free(got);
    free(first);
    if (malloc(bytes) != first) break;
  }
  MPI_Request_free(&request);
}

static void collective(void) {
  int counts[2] = {1500, 1600}, places[2] = {0, 1500};
  fill();
  MPI_Ibcast(rank == 0 ? out : in, N, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  store(&out[1005]); // store buffer[1005](DOUBLE) MPI_Ibcast
  done();
  if (rank == 1) check(in, N, from(0));
  fill();
  MPI_Ibcast(rank == 1 ? out : in, N, MPI_DOUBLE, 1, MPI_COMM_WORLD, &request);
  load(&in[1006]); // load buffer[1006](DOUBLE) MPI_Ibcast
  done();
  if (rank == 0) check(in, N, from(1));
  fill();
  MPI_Igather(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  if (rank == 1) in[N / 2] = in[N / 2] + 0; // only the root receives
  load(&in[N + 1000]);                      // load recvbuf[5096](DOUBLE) MPI_Igather
  done();
  if (rank == 0) check(in + N, N, from(1));
  fill();
  MPI_Igatherv(out, counts[rank], MPI_DOUBLE, in, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD,
               &request);
  load(&in[2007]); // load recvbuf[507](DOUBLE) of rank 1 MPI_Igatherv
  done();
  fill();
  MPI_Iscatter(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
  store(&out[N + 1001]); // store sendbuf[5097](DOUBLE) MPI_Iscatter
  done();
  check(in, N, from(0) + rank * N);
  fill();
  MPI_Iscatterv(out, counts, places, MPI_DOUBLE, in, counts[rank], MPI_DOUBLE, 0, MPI_COMM_WORLD,
                &request);
  store(&out[2008]); // store sendbuf[508](DOUBLE) of rank 1 MPI_Iscatterv
  done();
  check(in, counts[rank], from(0) + places[rank]);
  fill();
  MPI_Iallgather(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, MPI_COMM_WORLD, &request);
  store(&in[1009]); // store recvbuf[1009](DOUBLE) MPI_Iallgather
  done();
  fill();
  memcpy(in + places[rank], out, (size_t)counts[rank] * sizeof *out);
  MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, MPI_COMM_WORLD,
                  &request);
  load(&in[1010]); // load recvbuf[1010](DOUBLE) of rank 0 MPI_Iallgatherv
  done();
  check(in + places[other], counts[other], from(other));
}

static void all_to_all(void) {
  int counts[2] = {1500, 1500}, places[2] = {2000, 100}, bytes[2] = {2000 * 8, 100 * 8};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  fill();
  MPI_Ialltoall(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, MPI_COMM_WORLD, &request);
  store(&out[1011]); // store sendbuf[1011](DOUBLE) MPI_Ialltoall
  done();
  check(in + other * N, N, from(other) + rank * N);
  fill();
  MPI_Ialltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, MPI_COMM_WORLD,
                 &request);
  out[1700] = in[1700] = 5; // between the shares
  store(&out[1012]);        // store sendbuf[912](DOUBLE) of rank 1 MPI_Ialltoallv
  done();
  check(in + places[other], 1500, from(other) + places[rank]);
  fill();
  MPI_Ialltoallw(out, counts, bytes, types, in, counts, bytes, types, MPI_COMM_WORLD, &request);
  load(&in[3013]); // load recvbuf[1013](DOUBLE) of rank 0 MPI_Ialltoallw
  done();
  check(in + places[other], 1500, from(other) + places[rank]);
}

static void reductions(void) {
  int counts[2] = {N, N};
  fill();
  MPI_Ireduce(out, in, N, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &request);
  if (rank == 1) in[N / 2] = in[N / 2] + 0;
  load(&in[1014]); // load recvbuf[1014](DOUBLE) MPI_Ireduce
  done();
  fill();
  MPI_Iallreduce(out, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  store(&out[1015]); // store sendbuf[1015](DOUBLE) MPI_Iallreduce
  done();
  NEED(in[10] == 100000 + 2 * 13);
  MPI_Iallreduce(MPI_IN_PLACE, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  load(&in[1016]); // load recvbuf[1016](DOUBLE) MPI_Iallreduce
  done();
  NEED(in[10] == 2 * (100000 + 2 * 13));
  fill();
  MPI_Iscan(out, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  store(&in[1017]); // store recvbuf[1017](DOUBLE) MPI_Iscan
  done();
  fill();
  MPI_Iexscan(out, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  if (rank == 0) in[N / 2] = 5; // rank 0 receives nothing here
  store(&out[1018]);            // store sendbuf[1018](DOUBLE) MPI_Iexscan
  done();
  NEED(rank == 0 ? in[N / 2] == 5 : in[10] == 13);
  fill();
  MPI_Ireduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  store(&out[N + 1000]); // store sendbuf[5096](DOUBLE) MPI_Ireduce_scatter
  done();
  fill();
  MPI_Ireduce_scatter_block(out, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  load(&in[1019]); // load recvbuf[1019](DOUBLE) MPI_Ireduce_scatter_block
  done();
  NEED(in[10] == 100000 + 2 * (13 + N * rank));
}

static void neighbors(void) {
  MPI_Comm line, ring;
  int two = 2, open = 0, closed = 1, counts[2] = {N, N}, places[2] = {0, N};
  MPI_Aint bytes[2] = {0, N * 8};
  MPI_Datatype types[2] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &open, 0, &line);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &closed, 0, &ring);
  fill();
  MPI_Ineighbor_alltoall(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, line, &request);
  in[rank == 0 ? N / 2 : N + N / 2] = 5; // there is no neighbor for this part
  out[rank == 0 ? N / 2 : N + N / 2] = 5;
  load(&in[N + 1000]); // load recvbuf[1000](DOUBLE) of neighbor 1 MPI_Ineighbor_alltoall
  done();
  NEED(in[rank == 0 ? N / 2 : N + N / 2] == 5);
  fill();
  MPI_Ineighbor_allgather(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, ring, &request);
  store(&out[1020]); // store sendbuf[1020](DOUBLE) MPI_Ineighbor_allgather
  done();
  check(in + N, N, from(other));
  fill();
  MPI_Ineighbor_alltoallv(out, counts, places, MPI_DOUBLE, in, counts, places, MPI_DOUBLE, ring,
                          &request);
  store(&out[N + 1001]); // store sendbuf[1001](DOUBLE) of neighbor 1 MPI_Ineighbor_alltoallv
  done();
  fill();
  MPI_Ineighbor_alltoallw(out, counts, bytes, types, in, counts, bytes, types, ring, &request);
  load(&in[1021]); // load recvbuf[1021](DOUBLE) of neighbor 0 MPI_Ineighbor_alltoallw
  done();
  MPI_Comm_free(&line);
  MPI_Comm_free(&ring);
}

// Operations that end in other ways: afterwards, MPI does not use their buffers.
static void ends(void) {
  MPI_Request both[2];
  MPI_Status statuses[2];
  MPI_Comm comm;
  fill();
  MPI_Irecv(in, N, MPI_DOUBLE, other, 10, MPI_COMM_WORLD, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(in[10] == -15 && in[N / 2] == -(N / 2 + 5));
  in[N / 2] = 1;
  // Two persistent operations, the first of which fails: both are complete.
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Recv_init(in, 8, MPI_DOUBLE, other, 11, comm, &both[0]);
  MPI_Recv_init(in + N, N, MPI_DOUBLE, other, 12, comm, &both[1]);
  MPI_Startall(2, both);
  MPI_Barrier(comm);
  MPI_Send(out, N, MPI_DOUBLE, other, 12, comm);
  MPI_Send(out, 16, MPI_DOUBLE, other, 11, comm);
  while (MPI_Waitall(2, both, statuses) == MPI_ERR_IN_STATUS &&
         statuses[1].MPI_ERROR == MPI_ERR_PENDING)
    continue;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  check(in + N, N, from(other));
  in[1] = in[N + 10] = in[N + N / 2] = 1;
  if (both[0] != MPI_REQUEST_NULL) MPI_Request_free(&both[0]); // Open MPI has removed it
  MPI_Request_free(&both[1]);
  // The communicator is freed earlier, and a request while its operation is active.
  MPI_Irecv(in, N, MPI_DOUBLE, other, 13, comm, &both[0]);
  MPI_Isend(out, N, MPI_DOUBLE, other, 13, comm, &both[1]);
  MPI_Comm_free(&comm);
  MPI_Waitall(2, both, statuses);
  check(in, N, from(other));
  MPI_Send_init(out, N, MPI_DOUBLE, other, 14, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Request_free(&request);
  MPI_Recv(in, N, MPI_DOUBLE, other, 14, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(in, N, from(other));
  MPI_Barrier(MPI_COMM_WORLD);
}

static void files(const char *name) {
  MPI_File file;
  fill();
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_iwrite_at(file, 0, out, N, MPI_DOUBLE, &request);
  store(&out[1041]); // store buf[1041](DOUBLE) MPI_File_iwrite_at
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  out[N / 2] = 1;
  MPI_File_iread_at(file, 0, in, N, MPI_DOUBLE, &request);
  load(&in[1042]); // load buf[1042](DOUBLE) MPI_File_iread_at
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check(in, N, from(rank));
  MPI_File_close(&file);
}

static void one_sided(void) {
  static double window[N];
  MPI_Win win;
  MPI_Group group, peer;
  MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  fill();
  MPI_Win_fence(0, win);
  MPI_Put(out, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, win);
  store(&out[1031]); // store origin_addr[1031](DOUBLE) MPI_Put
  sum += out[1032];
  MPI_Win_fence(0, win);
  out[N / 2] = 1;
  NEED(window[7] == from(other) + 7 && window[N - 1] == from(other) + N - 1);
  MPI_Win_fence(0, win);
  MPI_Get(in, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, win);
  load(&in[1033]); // load origin_addr[1033](DOUBLE) MPI_Get
  MPI_Win_fence(0, win);
  check(in, N / 4, from(rank));
  in[N / 2] = 1;
  MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win);
  fill();
  MPI_Accumulate(out, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, MPI_REPLACE, win);
  store(&out[1034]); // store origin_addr[1034](DOUBLE) MPI_Accumulate
  MPI_Win_flush_local(other, win);
  out[N / 2] = 2;
  MPI_Win_flush(other, win);
  MPI_Get_accumulate(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, MPI_NO_OP,
                     win);
  out[N / 2] = 3;  // the operation reads nothing
  load(&in[1035]); // load result_addr[1035](DOUBLE) MPI_Get_accumulate
  MPI_Win_unlock(other, win);
  check(in, N / 4, from(rank));
  in[N / 2] = 3;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Rput(out, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, win, &request);
  store(&out[1036]); // store origin_addr[1036](DOUBLE) MPI_Rput
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  out[N / 2] = 4;
  MPI_Rput(out, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, win, &request);
  MPI_Win_flush_all(win);
  out[N / 2] = 5; // the flush has completed this operation, too
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Rget(in, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, win, &request);
  MPI_Win_flush(rank, win);
  load(&in[1038]); // load origin_addr[1038](DOUBLE) MPI_Rget
  MPI_Win_flush(other, win);
  in[N / 2] += 1;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Group_incl(group, 1, &other, &peer);
  MPI_Win_post(peer, 0, win);
  MPI_Win_start(peer, 0, win);
  MPI_Rget(in, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, win, &request);
  load(&in[1037]); // load origin_addr[1037](DOUBLE) MPI_Rget
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  in[N / 2] = 6;
  MPI_Put(more, N, MPI_DOUBLE, other, 0, N, MPI_DOUBLE, win);
  MPI_Win_complete(win);
  more[N / 2] = 6;
  MPI_Win_wait(win);
  // Memory that other processes may use is not guarded.
  MPI_Irecv(window, N, MPI_DOUBLE, other, 8, MPI_COMM_WORLD, &request);
  MPI_Send(out, N, MPI_DOUBLE, other, 8, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(window[N / 2] == 5);
  MPI_Group_free(&group);
  MPI_Group_free(&peer);
  MPI_Win_free(&win);
  // Memory becomes part of a window while an operation uses it.
  MPI_Irecv(in, N, MPI_DOUBLE, other, 9, MPI_COMM_WORLD, &request);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_attach(win, memory[1], sizeof memory[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(out, N, MPI_DOUBLE, other, 9, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  NEED(in[N / 2] == 5);
  MPI_Win_detach(win, memory[1]);
  MPI_Win_free(&win);
}

#if MPI_VERSION >= 4
static void partitioned(void) {
  enum { PARTS = 8, SIZE = ROOM / 12 };
  MPI_Request both[2];
  MPI_Status statuses[2];
  int list[] = {7, 5}, flag = 0;
  fill();
  MPI_Psend_init(out, PARTS, SIZE, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[0]);
  MPI_Precv_init(in, PARTS, SIZE, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &both[1]);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < PARTS * SIZE; i++) in[i] = -1;
    MPI_Startall(2, both);
    for (int i = 0; i < PARTS * SIZE; i++) out[i] = round + i; // these partitions are not ready
    MPI_Pready(0, both[0]);
    out[SIZE] = round + SIZE;
    MPI_Pready_range(1, 3, both[0]);
    if (round == 1) store(&out[2 * SIZE + 100]); // store buf[2148](DOUBLE) MPI_Psend_init
    out[6 * SIZE + 10] = round + 6 * SIZE + 10;
    MPI_Pready(4, both[0]);
    MPI_Pready_list(2, list, both[0]);
    out[6 * SIZE + 511] = round + 6 * SIZE + 511;
    if (round == 1) store(&out[4 * SIZE + 101]); // store buf[4197](DOUBLE) MPI_Psend_init
    if (round == 2) load(&in[7 * SIZE + 100]);   // load buf[7268](DOUBLE) MPI_Precv_init
    MPI_Pready(6, both[0]);
    for (int part = 0; round && part < PARTS; part += 3) {
      for (flag = 0; !flag;) MPI_Parrived(both[1], part, &flag);
      check(&in[part * SIZE], SIZE, round + part * SIZE);
      in[part * SIZE] = in[part * SIZE + SIZE - 1] = 77;
    }
    MPI_Waitall(2, both, statuses);
    for (int i = 0; i < PARTS * SIZE; i++) {
      int is_mine = round && i / SIZE % 3 == 0 && (i % SIZE == 0 || i % SIZE == SIZE - 1);
      NEED(in[i] == (is_mine ? 77 : round + i) || (wrong && in[i] == 7));
    }
  }
  for (int i = 0; i < PARTS * SIZE; i++) in[i] = 3;
  MPI_Request_free(&both[0]);
  MPI_Request_free(&both[1]);
  for (int i = 0; i < PARTS * SIZE; i++) NEED(in[i] == 3);
}

static void of_mpi_4(void) {
  partitioned();
  fill();
  MPI_Isendrecv(out, N, MPI_DOUBLE, other, 5, in, N, MPI_DOUBLE, other, 5, MPI_COMM_WORLD,
                &request);
  store(&out[1022]); // store sendbuf[1022](DOUBLE) MPI_Isendrecv
  load(&in[1023]);   // load recvbuf[1023](DOUBLE) MPI_Isendrecv
  done();
  check(in, N, from(other));
  fill();
  MPI_Isendrecv_replace(more, N, MPI_DOUBLE, other, 6, other, 6, MPI_COMM_WORLD, &request);
  load(&more[1024]); // load buf[1024](DOUBLE) MPI_Isendrecv_replace
  done();
  fill();
  MPI_Issend_c(out, N, MPI_DOUBLE, other, 7, MPI_COMM_WORLD, &request);
  store(&out[1025]); // store buf[1025](DOUBLE) MPI_Issend_c
  MPI_Recv(in, N, MPI_DOUBLE, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  done();
  MPI_Allreduce_init(out, in, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < 3; round++) {
    fill();
    MPI_Start(&request);
    if (round == 1) store(&out[1026]); // store sendbuf[1026](DOUBLE) MPI_Allreduce_init
    if (round == 2) load(&in[1027]);   // load recvbuf[1027](DOUBLE) MPI_Allreduce_init
    done();
    NEED(in[10] == 100000 + 2 * 13);
  }
  MPI_Request_free(&request);
}
#else
static void of_mpi_4(void) {}
#endif

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  other = 1 - rank;
  wrong = argc > 2;
  char name[500];
  point_to_point();
  persistent();
  another_memory();
  collective();
  all_to_all();
  reductions();
  neighbors();
  one_sided();
  ends();
  snprintf(name, sizeof name, "%s/guarded.%d", argv[1], rank);
  files(name);
  of_mpi_4();
  MPI_Finalize();
  if (rank == 0) fputs("done\n", stdout);
  return 0;
}
