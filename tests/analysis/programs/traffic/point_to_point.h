// SPDX-License-Identifier: MIT
// Point-to-point communication between partners and around the ring.
#ifndef POINT_TO_POINT_H
#define POINT_TO_POINT_H
#include <stddef.h>

#include "traffic.h"

// Each send mode. The receive may be longer, and may be from any source with any tag.
static void modes(void) {
  int mode = draw(4), n = some_amount(), any_source = wild && draw(2), any_tag = wild && draw(2);
  static char room[LARGE * sizeof(double) + MPI_BSEND_OVERHEAD]; // the process's
  if (mode == 1 && threaded) mode = 0;
  if (mode == 1) MPI_Buffer_attach(room, sizeof room);
  dawdle();
  if (is_first) {
    if (mode == 3) MPI_Recv(NULL, 0, MPI_INT, partner, tag, comm, MPI_STATUS_IGNORE);
    if (mode == 0) MPI_Send(out, n, MPI_DOUBLE, partner, tag, comm);
    if (mode == 1) MPI_Bsend(out, n, MPI_DOUBLE, partner, tag, comm);
    if (mode == 2) MPI_Ssend(out, n, MPI_DOUBLE, partner, tag, comm);
    if (mode == 3) MPI_Rsend(out, n, MPI_DOUBLE, partner, tag, comm);
  } else {
    MPI_Request request;
    MPI_Status status;
    int count;
    MPI_Irecv(in, LARGE, MPI_DOUBLE, any_source ? MPI_ANY_SOURCE : partner,
              any_tag && !any_source ? MPI_ANY_TAG : tag, comm, &request);
    if (mode == 3) MPI_Send(NULL, 0, MPI_INT, partner, tag, comm);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    MUST(count == n);
  }
  if (mode == 1) MPI_Buffer_detach(&(void *){0}, &(int){0});
}

// First the number of elements, then the elements, of another type, with the same tag.
static void header_and_body(void) {
  int n = some_amount(), header = n, nonblocking = draw(2);
  MPI_Request r[2];
  dawdle();
  if (is_first && nonblocking) {
    MPI_Isend(&header, 1, MPI_INT, partner, tag, comm, &r[0]);
    MPI_Isend(out, n, MPI_DOUBLE, partner, tag, comm, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  } else if (is_first) {
    MPI_Send(&header, 1, MPI_INT, partner, tag, comm);
    MPI_Send(out, n, MPI_DOUBLE, partner, tag, comm);
  } else {
    header = -1;
    MPI_Recv(&header, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE);
    MUST(header == n);
    MPI_Recv(in, header, MPI_DOUBLE, partner, tag, comm, MPI_STATUS_IGNORE);
  }
}

// One buffer is sent several times at once, and received into several buffers.
static void many(void) {
  enum { MANY = 8 };
  MPI_Request r[2 * MANY];
  int n = draw(4) ? 1 + draw(SMALL) : LARGE / MANY, way = draw(4), synchronous = draw(2);
  int done = 0, index, flag;
  int indices[2 * MANY];
  for (int i = 0; i < MANY; i++) MPI_Irecv(in + i * n, n, MPI_DOUBLE, left, tag, comm, &r[i]);
  dawdle();
  for (int i = 0; i < MANY; i++)
    (synchronous ? MPI_Issend : MPI_Isend)(out, n, MPI_DOUBLE, right, tag, comm, &r[MANY + i]);
  if (way == 0) MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE);
  if (way == 1)
    for (int i = 0; i < 2 * MANY; i++) MPI_Waitany(2 * MANY, r, &index, MPI_STATUS_IGNORE);
  while (way == 2 && done < 2 * MANY) {
    MPI_Waitsome(2 * MANY, r, &flag, indices, MPI_STATUSES_IGNORE);
    done += flag;
  }
  for (int i = 2 * MANY; way == 3 && i--;)
    for (flag = 0; !flag;) MPI_Test(&r[i], &flag, MPI_STATUS_IGNORE);
}

static void exchanges(void) {
  int n = some_amount(), to = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  int from = rank ? rank - 1 : MPI_PROC_NULL;
  dawdle();
  MPI_Sendrecv(out, n, MPI_DOUBLE, right, tag, in, LARGE, MPI_DOUBLE, left, tag, comm,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, n, MPI_DOUBLE, to, tag, in, n, MPI_DOUBLE, from, MPI_ANY_TAG, comm,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(in, n, MPI_DOUBLE, left, tag, right, tag, comm, MPI_STATUS_IGNORE);
  // The two directions use different types, with the same tag.
  MPI_Sendrecv(&n, is_first, MPI_INT, partner, tag, in, !is_first, is_first ? MPI_DOUBLE : MPI_INT,
               partner, tag, comm, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
  MPI_Request r;
  MPI_Isendrecv(out, n, MPI_DOUBLE, right, tag, in, n, MPI_DOUBLE, left, tag, comm, &r);
  dawdle();
  MPI_Wait(&r, MPI_STATUS_IGNORE);
#endif
}

static void persistent(void) {
  int n = some_amount(), times = 1 + draw(3), all = draw(2);
  MPI_Request r[2];
  MPI_Recv_init(in, n, MPI_DOUBLE, left, tag, comm, &r[0]);
  (draw(2) ? MPI_Send_init : MPI_Ssend_init)(out, n, MPI_DOUBLE, right, tag, comm, &r[1]);
  for (int i = 0; i < times; i++) {
    dawdle();
    if (all) MPI_Startall(2, r);
    if (!all) MPI_Start(&r[1]), MPI_Start(&r[0]);
    // Another request for the same buffer is never started, and another message has this tag.
    MPI_Request other;
    MPI_Recv_init(in, n, MPI_DOUBLE, left, tag, comm, &other);
    MPI_Request_free(&other);
    MPI_Isend(&n, 1, MPI_INT, right, tag, comm, &other);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Recv(in, 1, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE); // the start is completed
    MPI_Wait(&other, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&r[1]);
  MPI_Request_free(&r[0]);
}

// The receiver divides the message into other partitions than the sender.
static void partitioned(void) {
#if MPI_VERSION >= 4
  int flag = 0, each = draw(2) ? 6 : 3000;
  MPI_Request r;
  if (partner == MPI_PROC_NULL) return;
  if (is_first)
    MPI_Psend_init(out, 4, each, MPI_DOUBLE, partner, tag, comm, MPI_INFO_NULL, &r);
  else
    MPI_Precv_init(in, 2, 2 * each, MPI_DOUBLE, partner, tag, comm, MPI_INFO_NULL, &r);
  for (int time = 0; time < 2; time++) {
    MPI_Start(&r);
    for (int i = 3; is_first && i >= 0; i--) dawdle(), MPI_Pready(i, r);
    if (!is_first) MPI_Parrived(r, 1, &flag);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&r);
#endif
}

// A message is probed for before it is received, in one of several ways.
static void probed(void) {
  int n = some_amount(), way = draw(4), flag = 0, count;
  MPI_Message message;
  MPI_Status status;
  MPI_Request sent, r;
  MPI_Isend(out, n, MPI_DOUBLE, right, tag, comm, &sent);
  dawdle();
  if (way == 0) MPI_Probe(left, tag, comm, &status);
  while (way == 1 && !flag) MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, &status);
  if (way == 2) MPI_Mprobe(left, tag, comm, &message, &status);
  while (way == 3 && !flag) MPI_Improbe(left, tag, comm, &flag, &message, &status);
  MPI_Get_count(&status, MPI_DOUBLE, &count);
  MUST(count == n);
  if (way < 2) MPI_Recv(in, n, MPI_DOUBLE, left, tag, comm, MPI_STATUS_IGNORE);
  if (way == 2) MPI_Mrecv(in, n, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  if (way == 3) MPI_Imrecv(in, n, MPI_DOUBLE, &message, &r), MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

// A probed message is received after a later message of another type.
static void out_of_order(void) {
  MPI_Message message;
  MPI_Request r[2];
  int number = 7;
  if (is_first) {
    MPI_Isend(out, 5, MPI_DOUBLE, partner, tag, comm, &r[0]);
    MPI_Isend(&number, 1, MPI_INT, partner, tag, comm, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  } else {
    MPI_Mprobe(partner, tag, comm, &message, MPI_STATUS_IGNORE);
    MPI_Recv(&number, 1, MPI_INT, partner, tag, comm, MPI_STATUS_IGNORE);
    dawdle();
    MPI_Mrecv(in, 5, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
  }
}

// All processes send to the first with one tag: the messages differ only in their content.
static void any_of_all(void) {
  enum { EACH = 3 };
  MPI_Status status;
  if (rank) {
    for (int i = 0; i < EACH; i++) {
      dawdle();
      MPI_Send(out, 1 + i, MPI_DOUBLE, 0, tag, comm);
    }
  }
  for (int i = 0; !rank && i < EACH * (size - 1); i++) {
    int any = i % 2;
    MPI_Probe(MPI_ANY_SOURCE, tag, comm, &status);
    MPI_Recv(in, LARGE, MPI_DOUBLE, any ? MPI_ANY_SOURCE : status.MPI_SOURCE, tag, comm, &status);
  }
  MPI_Barrier(comm);
}

// Receives are canceled, and later messages have the same tag.
static void cancelled(void) {
  int n = 1 + draw(SMALL), number = 1;
  MPI_Request r[2], never;
  MPI_Irecv(&number, 1, MPI_INT, left, tag, comm, &never);
  MPI_Irecv(in, n, MPI_DOUBLE, left, tag, comm, &r[0]);
  MPI_Cancel(&never);
  MPI_Wait(&never, MPI_STATUS_IGNORE);
  MPI_Barrier(comm); // nothing was sent before that
  MPI_Isend(out, n, MPI_DOUBLE, right, tag, comm, &r[1]);
  dawdle();
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(&(int){2}, 1, MPI_INT, right, tag, &number, 1, MPI_INT, left, tag, comm,
               MPI_STATUS_IGNORE);
  MUST(number == 2);
}

// Handles are freed while active operations still need the objects.
static void given_up(void) {
  int n = some_amount(), number = rank, from_left = -1;
  MPI_Request r[4];
  MPI_Datatype two;
  MPI_Comm copy, next;
  MPI_Type_contiguous(2, MPI_DOUBLE, &two);
  MPI_Type_commit(&two);
  MPI_Isend(out, n / 2, two, right, tag, comm, &r[0]);
  MPI_Request_free(&r[0]);
  MPI_Irecv(in, n / 2, two, left, tag, comm, &r[0]);
  MPI_Type_free(&two);
  dawdle();
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  // When the receiver reports the data, the send buffer is free: it is used for a receive.
  MPI_Isend(NULL, 0, MPI_INT, left, tag, comm, &r[0]);
  MPI_Recv(NULL, 0, MPI_INT, right, tag, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Sendrecv(in, 2, MPI_INT, left, tag, out, 2, MPI_INT, right, tag, comm, MPI_STATUS_IGNORE);
  // The same tags are used on two communicators, one after the other.
  MPI_Comm_dup(comm, &copy);
  MPI_Irecv(&from_left, 1, MPI_INT, left, 1, copy, &r[0]);
  MPI_Isend(&number, 1, MPI_INT, right, 1, copy, &r[1]);
  MPI_Comm_free(&copy);
  MPI_Comm_dup(comm, &next);
  MPI_Irecv(in, n, MPI_DOUBLE, left, 1, next, &r[2]);
  dawdle();
  MPI_Isend(out, n, MPI_DOUBLE, right, 1, next, &r[3]);
  MPI_Comm_free(&next);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
  MUST(from_left == left);
}

// Some messages that a receive from any source could take are for another receive.
static void wildcards(void) {
  int number = 0, second = tag + 10000, way = draw(3);
  MPI_Request r[2], sent[2];
  if (way == 0) { // in the order of the sends
    MPI_Irecv(&number, 1, MPI_INT, left, MPI_ANY_TAG, comm, &r[0]);
    MPI_Irecv(in, 3, MPI_DOUBLE, left, tag, comm, &r[1]);
  } else if (way == 1) { // the later message is for the earlier receive
    MPI_Irecv(in, 3, MPI_DOUBLE, left, second, comm, &r[0]);
    MPI_Irecv(&number, 1, MPI_INT, left, MPI_ANY_TAG, comm, &r[1]);
  } else {
    MPI_Irecv(&number, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &r[0]);
    MPI_Irecv(in, 3, MPI_DOUBLE, MPI_ANY_SOURCE, second, comm, &r[1]);
  }
  dawdle();
  MPI_Isend(&rank, 1, MPI_INT, right, tag, comm, &sent[0]);
  dawdle();
  MPI_Isend(out, 3, MPI_DOUBLE, right, way == 0 ? tag : second, comm, &sent[1]);
  MPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
  dawdle();
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MUST(number == left);
}

static void nothing(void) {
  MPI_Datatype empty;
  MPI_Request r[3];
  MPI_Type_contiguous(0, MPI_DOUBLE, &empty);
  MPI_Type_commit(&empty);
  MPI_Isend(NULL, 0, MPI_DOUBLE, right, tag, comm, &r[0]);
  MPI_Isend(out, 7, empty, right, tag, comm, &r[1]);
  MPI_Irecv(NULL, 0, MPI_INT, left, tag, comm, &r[2]);
  dawdle();
  MPI_Recv(out, 3, empty, left, tag, comm, MPI_STATUS_IGNORE); // no process sends it
  MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
  MPI_Send(out, 5, MPI_INT, MPI_PROC_NULL, tag, comm);
  MPI_Recv(out, 5, MPI_FLOAT, MPI_PROC_NULL, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  MPI_Type_free(&empty);
}

static void send_to_right(MPI_Datatype type, int count, MPI_Datatype wanted, int wanted_count) {
  MPI_Request r;
  MPI_Irecv(in, wanted_count, wanted, left, tag, comm, &r);
  dawdle();
  MPI_Send(out, count, type, right, tag, comm);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

// Two datatypes with the same signature go around the ring.
static void send_as(MPI_Datatype first, int first_count, MPI_Datatype second, int second_count) {
  if (draw(2))
    send_to_right(first, first_count, second, second_count);
  else
    send_to_right(second, second_count, first, first_count);
}

static void one_signature(void) {
  struct mixed {
    double value;
    int number;
  };
  int four = 4 * (1 + draw(40));
  MPI_Datatype vector, structure, cell, row, indexed;
  MPI_Type_vector(four, 1, 3, MPI_DOUBLE, &vector);
  send_as(committed(vector), 1, MPI_DOUBLE, four);
  MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, offsetof(struct mixed, number)},
                         (MPI_Datatype[]){MPI_DOUBLE, MPI_INT}, &structure);
  MPI_Type_create_resized(structure, 0, sizeof(struct mixed), &cell);
  send_as(committed(cell), four, MPI_DOUBLE_INT, four);
  MPI_Type_contiguous(four / 2, cell, &row);
  send_as(committed(row), 2, MPI_DOUBLE_INT, four);
  MPI_Type_indexed(2, (int[]){3, 1}, (int[]){10, 2}, MPI_DOUBLE, &indexed);
  send_as(committed(indexed), 1, MPI_DOUBLE, 4);
  send_as(MPI_BYTE, 8 * four, MPI_BYTE, 8 * four);
  MPI_Type_free(&vector);
  MPI_Type_free(&structure);
  MPI_Type_free(&cell);
  MPI_Type_free(&row);
  MPI_Type_free(&indexed);
}

// A byte may be sent twice; between the received bytes lie others, also received.
static void interleaved(void) {
  enum { ROWS = 30, COLUMNS = 8 };
  MPI_Datatype again, column, narrow;
  MPI_Request r[2];
  MPI_Type_vector(3, 2, 1, MPI_DOUBLE, &again); // out[0], out[1], out[1], out[2] ...
  send_to_right(committed(again), 1, MPI_DOUBLE, 6);
  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
  MPI_Type_create_resized(column, 0, sizeof(double), &narrow);
  MPI_Type_commit(&narrow);
  MPI_Irecv(in, COLUMNS / 2, narrow, left, tag, comm, &r[0]);
  MPI_Irecv(in + COLUMNS / 2, COLUMNS / 2, narrow, left, tag, comm, &r[1]);
  MPI_Send(out, ROWS * COLUMNS / 2, MPI_DOUBLE, right, tag, comm);
  MPI_Type_free(&column);
  dawdle();
  MPI_Send(out, ROWS * COLUMNS / 2, MPI_DOUBLE, right, tag, comm);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Type_free(&narrow);
  MPI_Type_free(&again);
}

// Scattered variables are sent by their absolute addresses.
static void absolute(void) {
  int number = 1, got = 0;
  double value = 2, taken = 0;
  MPI_Aint sent[2], received[2];
  MPI_Datatype from, to, types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Request r;
  MPI_Get_address(&number, &sent[0]);
  MPI_Get_address(&value, &sent[1]);
  MPI_Get_address(&got, &received[0]);
  MPI_Get_address(&taken, &received[1]);
  MPI_Type_create_struct(2, (int[]){1, 1}, sent, types, &from);
  MPI_Type_create_struct(2, (int[]){1, 1}, received, types, &to);
  MPI_Type_commit(&from);
  MPI_Type_commit(&to);
  MPI_Isend(MPI_BOTTOM, 1, from, right, tag, comm, &r);
  MPI_Type_free(&from);
  dawdle();
  MPI_Recv(MPI_BOTTOM, 1, to, left, tag, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Type_free(&to);
  MUST(got == 1 && taken == 2);
}

static void packed(void) {
  char room[512];
  int position = 0, numbers[4] = {1, 2, 3, 4}, bytes;
  MPI_Request r;
  MPI_Pack(numbers, 4, MPI_INT, room, sizeof room, &position, comm);
  // Packed by the sender, then by the receiver, and at last by both.
  MPI_Isend(room, position, MPI_PACKED, right, tag, comm, &r);
  MPI_Recv(in, 4, MPI_INT, left, tag, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  dawdle();
  MPI_Pack_size(4, MPI_INT, comm, &bytes);
  MPI_Isend(numbers, 4, MPI_INT, right, tag, comm, &r);
  MPI_Recv(in, bytes, MPI_PACKED, left, tag, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Isend(room, position, MPI_PACKED, right, tag, comm, &r);
  MPI_Recv(in, sizeof room, MPI_PACKED, left, tag, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

// Columns of one grid go both ways at once; they alternate in memory, but do not overlap.
static void halo(void) {
  enum { N = 40 };
  static _Thread_local double grid[N][N];
  MPI_Datatype column[4];
  MPI_Request r[4];
  for (int i = 0; i < 4; i++) {
    int at = (int[]){0, 1, N - 2, N - 1}[i];
    MPI_Type_create_subarray(2, (int[]){N, N}, (int[]){N - 2, 1}, (int[]){1, at}, MPI_ORDER_C,
                             MPI_DOUBLE, &column[i]);
    MPI_Type_commit(&column[i]);
  }
  MPI_Irecv(grid, 1, column[0], left, tag, comm, &r[0]);
  MPI_Irecv(grid, 1, column[3], right, tag, comm, &r[1]);
  dawdle();
  MPI_Isend(grid, 1, column[2], right, tag, comm, &r[2]);
  MPI_Isend(grid, 1, column[1], left, tag, comm, &r[3]);
  for (int i = 0; i < 4; i++) MPI_Type_free(&column[i]);
  MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static void (*const WILD[])(void) = {modes, cancelled, wildcards};

// After wildcards and cancelled receives it is uncertain which receive later messages on the
// communicator match. So these run on a communicator of their own, and all others stay certain.
static void on_a_copy(void) {
  MPI_Comm before = comm, copy;
  MPI_Comm_dup(comm, &copy);
  work_on(copy);
  wild = 1;
  for (int i = 0; i < 3; i++) tag += 2000, WILD[draw(3)]();
  tag -= 6000;
  wild = 0;
  work_on(before);
  MPI_Comm_free(&copy);
}

static void (*const POINT_TO_POINT[])(void) = {
    modes,       header_and_body, many,       exchanges, persistent, partitioned,
    probed,      out_of_order,    any_of_all, given_up,  nothing,    one_signature,
    interleaved, absolute,        packed,     halo,      on_a_copy};

#endif
